import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@fnlet/machinery';
import { resourceTypeOf } from '@fnlet/reconcile';
import {
  ConfigMap,
  defineKind,
  field,
  kind,
  mutating,
  operator,
  ready,
  validating,
} from '@fnlet/sdk/operator';
import { testOperator } from '../src/index.ts';

const Site = defineKind({
  group: 'example.dev',
  version: 'v2',
  kind: 'Site',
  description: 'A site.',
  spec: {
    html: field.text('The page.'),
    owner: field.text('Whose it is.', { optional: true }),
  },
  status: { pages: field.integer('How many there are.') },
  olderVersions: {
    v1: {
      spec: { page: field.text('The page.') },
      toNewest: ({ spec, metadata: { annotations = {} } }) => {
        if (spec.page === '') throw new Error('spec.page must not be empty');
        const { owner } = annotations;
        return { spec: { html: spec.page, ...(owner === undefined ? {} : { owner }) } };
      },
      fromNewest: ({ spec: { html, owner }, metadata: { annotations = {} } }) => ({
        spec: { page: html },
        annotations: owner === undefined ? annotations : { ...annotations, owner },
      }),
    },
  },
});

const OldSite = kind<KubeObject & { readonly spec: { readonly page: string } }>({
  ...{ group: 'example.dev', version: 'v1', kind: 'Site', plural: 'sites', scope: 'Namespaced' },
});

const sites = operator(Site, {
  owns: [ConfigMap],
  webhooks: [
    mutating(
      Site,
      ({ object, user }) =>
        object && { object: { ...object, spec: { owner: user.name, ...object.spec } } },
    ),
    validating(Site, ({ object, oldObject }) =>
      oldObject !== undefined && oldObject.spec.owner !== object?.spec.owner
        ? { denied: 'spec.owner may not change' }
        : { warnings: object?.spec.html === '<p>' ? ['an empty page'] : [] },
    ),
    validating(ConfigMap, () => ({ denied: 'keep it' }), { operations: ['DELETE'] }),
  ],
  reconcile: ({ object: { metadata, spec } }) => ({
    children: [ConfigMap.of({ metadata: { name: metadata.name }, data: { page: spec.html } })],
    status: { pages: 1 },
    conditions: [ready()],
  }),
});

test('webhooks judge what a test writes, and what it deletes', async () => {
  await using t = await testOperator(sites);
  const site = await t.create(Site, { metadata: { name: 'a' }, spec: { html: 'x' } });
  assert.equal(site.spec.owner, 'kubernetes-admin');
  await t.settle();
  await assert.rejects(t.patch(Site, 'a', { spec: { owner: 'somebody' } }), {
    message:
      'admission webhook "validate.sites.example.dev" denied the request: spec.owner may not change',
  });
  await assert.rejects(t.delete(ConfigMap, 'a'), {
    message: 'admission webhook "validate.configmaps.core" denied the request: keep it',
  });
  assert.equal((await t.get(ConfigMap, 'a'))?.data?.page, 'x');
});

test('an operator sees the newest version, whichever an object was written in', async () => {
  await using t = await testOperator(sites);
  await t.create(OldSite, { metadata: { name: 'old' }, spec: { page: 'y' } });
  await t.settle();
  assert.equal((await t.get(ConfigMap, 'old'))?.data?.page, 'y');
  const newest = await t.get(Site, 'old');
  assert.deepEqual(newest?.spec, { html: 'y', owner: 'kubernetes-admin' });
  assert.equal(newest?.status?.pages, 1);
  const old = await t.get(OldSite, 'old');
  assert.deepEqual(old?.spec, { page: 'y' });
  assert.equal(old?.metadata.annotations?.owner, 'kubernetes-admin');
  t.clearWrites();
  await t.patch(OldSite, 'old', { spec: { page: 'z' } });
  await t.settle();
  assert.equal((await t.get(ConfigMap, 'old'))?.data?.page, 'z');
  assert.deepEqual((await t.get(Site, 'old'))?.spec, { html: 'z', owner: 'kubernetes-admin' });
});

test('what cannot be converted is refused, and is told why', async () => {
  await using t = await testOperator(sites);
  await assert.rejects(t.create(OldSite, { metadata: { name: 'a' }, spec: { page: '' } }), {
    message: /conversion webhook for example\.dev\/v1, Kind=Site failed: spec\.page must not be/,
  });
});

test('conversion is of all objects at once: lists and watches of an older version', async () => {
  await using t = await testOperator(sites);
  for (const name of ['a', 'b']) await t.create(Site, { metadata: { name }, spec: { html: name } });
  const listed = await t.list(OldSite);
  assert.deepEqual(
    listed.map(({ apiVersion, spec }) => [apiVersion, spec]),
    [
      ['example.dev/v1', { page: 'a' }],
      ['example.dev/v1', { page: 'b' }],
    ],
  );
  const abort = new AbortController();
  const client = t.cluster.client.of<KubeObject>(resourceTypeOf(OldSite));
  const seen: unknown[] = [];
  for await (const event of client.watch({ sendInitialEvents: true, signal: abort.signal })) {
    if (event.type === 'BOOKMARK') break;
    seen.push(event.object.spec);
  }
  abort.abort();
  assert.deepEqual(seen, [{ page: 'a' }, { page: 'b' }]);
});

test('an operator that keeps to namespaces is asked about nothing elsewhere', async () => {
  const strict = operator(ConfigMap, {
    namespaces: ['default'],
    webhooks: [validating(ConfigMap, () => ({ denied: 'never' }))],
    reconcile: () => ({}),
  });
  await using t = await testOperator(strict);
  await t.create(ConfigMap, { metadata: { name: 'a', namespace: 'kube-public' } });
  await assert.rejects(t.create(ConfigMap, { metadata: { name: 'a' } }), { message: /: never$/ });
});
