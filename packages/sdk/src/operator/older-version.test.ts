import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineKind } from './define-kind.ts';
import { field } from './field.ts';

const WebSite = defineKind({
  group: 'example.dev',
  version: 'v2',
  kind: 'WebSite',
  description: 'A page that some Pods serve.',
  spec: { html: field.text('The page.'), replicas: field.integer('How many.', { default: 1 }) },
  columns: { Replicas: '.spec.replicas' },
  rules: [{ rule: 'self.spec.replicas < 10', message: 'at most 9' }],
  olderVersions: {
    v1: {
      spec: { page: field.text('The page.'), size: field.integer('How many.') },
      deprecation: 'example.dev/v1 WebSite is deprecated; use v2',
      toNewest: ({ spec }) => ({ spec: { html: spec.page, replicas: spec.size } }),
      fromNewest: ({ spec }) => ({ spec: { page: spec.html, size: spec.replicas } }),
    },
    v1beta1: {
      spec: { text: field.text('The page.') },
      toNewest: ({ spec, metadata }) => ({
        spec: { html: spec.text, replicas: Number(metadata.annotations?.replicas ?? 1) },
      }),
      fromNewest: ({ spec, metadata }) => ({
        spec: { text: spec.html },
        annotations: { ...metadata.annotations, replicas: String(spec.replicas) },
      }),
    },
  },
});

test('the manifest serves every version, and keeps the newest', () => {
  const { versions } = JSON.parse(JSON.stringify(WebSite.crd.spec));
  const told = versions.map((one: { name: string; served: boolean; storage: boolean }) => [
    one.name,
    one.served,
    one.storage,
  ]);
  assert.deepEqual(told, [
    ['v2', true, true],
    ['v1', true, false],
    ['v1beta1', true, false],
  ]);
  const [newest, old, oldest] = versions;
  assert.deepEqual(Object.keys(old.schema.openAPIV3Schema.properties.spec.properties), [
    'page',
    'size',
  ]);
  assert.equal(old.deprecationWarning, 'example.dev/v1 WebSite is deprecated; use v2');
  assert.equal(oldest.deprecated, undefined);
  assert.ok('x-kubernetes-validations' in newest.schema.openAPIV3Schema);
  assert.ok(!('x-kubernetes-validations' in old.schema.openAPIV3Schema), 'rules are of the newest');
  assert.deepEqual(old.subresources, { status: {} });
});

test('versions are converted through the newest, with what annotations remember', () => {
  const { newest, versions } = WebSite.conversion ?? {};
  assert.equal(newest, 'v2');
  const metadata = { name: 'a', annotations: { kept: 'yes' } };
  const old = versions?.v1beta1?.fromNewest({ metadata, spec: { html: '<p>', replicas: 3 } });
  assert.deepEqual(old, { spec: { text: '<p>' }, annotations: { kept: 'yes', replicas: '3' } });
  const back = versions?.v1beta1?.toNewest({ metadata: { ...metadata, ...old }, spec: old?.spec });
  assert.deepEqual(back?.spec, { html: '<p>', replicas: 3 });
});

test('a conversion is typed by the fields of its versions', () => {
  defineKind({
    group: 'example.dev',
    version: 'v2',
    kind: 'Odd',
    description: 'Odd.',
    spec: { size: field.integer('How large.') },
    olderVersions: {
      v1: {
        spec: { size: field.text('How large.') },
        // @ts-expect-error: the newest size is a number
        toNewest: ({ spec }) => ({ spec: { size: spec.size } }),
        fromNewest: ({ spec }) => ({ spec: { size: String(spec.size) } }),
      },
    },
  });
});
