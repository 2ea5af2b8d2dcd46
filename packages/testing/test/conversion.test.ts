import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger, systemClock } from '@fnlet/base';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { createConversionWebhook, routePaths } from '@fnlet/reconcile';
import { startTestCluster } from '../src/index.ts';
import { freePort, serveWebhooks } from './webhook-operator.ts';

interface Hub extends KubeObject {
  readonly spec: { readonly address: string };
}

interface Old extends KubeObject {
  readonly spec: { readonly host: string };
}

const isHub = (object: KubeObject): object is Hub => object.apiVersion === 'example.dev/v2';
const isOld = (object: KubeObject): object is Old => object.apiVersion === 'example.dev/v1';

const handler = routePaths({
  '/convert': createConversionWebhook<Hub>({
    ...{ clock: systemClock, logger: silentLogger, group: 'example.dev', hub: 'v2', isHub },
    versions: {
      v1: {
        toHub: (object) => {
          if (!isOld(object)) throw new Error('expected v1');
          if (object.spec.host === 'none') throw new Error('spec.host must not be none');
          return { ...object, spec: { address: object.spec.host } };
        },
        fromHub: ({ spec, ...rest }) => ({ ...rest, spec: { host: spec.address } }),
      },
    },
  }),
});

function version(name: string, field: string, storage: boolean): object {
  const spec = { type: 'object', properties: { [field]: { type: 'string' } } };
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  return { name, served: true, storage, schema: { openAPIV3Schema } };
}

function definition(url: string): KubeObject {
  const webhook = { clientConfig: { url }, conversionReviewVersions: ['v1'] };
  return {
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name: 'sites.example.dev' },
    spec: {
      ...{ group: 'example.dev', scope: 'Namespaced' },
      names: { plural: 'sites', kind: 'Site' },
      versions: [version('v1', 'host', false), version('v2', 'address', true)],
      conversion: { strategy: 'Webhook', webhook },
    },
  };
}

function typeOf(name: string): ResourceType {
  return { group: 'example.dev', version: name, kind: 'Site', plural: 'sites', namespaced: true };
}

test('the conversion webhook of an operator is called over TLS, for what is kept in another version', async () => {
  const port = await freePort();
  const objects = [definition(`https://127.0.0.1:${port}/convert`)];
  await using cluster = await startTestCluster({ clock: 'system', objects });
  const [old, hub] = [cluster.client.of<Old>(typeOf('v1')), cluster.client.of<Hub>(typeOf('v2'))];
  const metadata = { name: 'a', namespace: 'default' };
  const given = { apiVersion: 'example.dev/v1', kind: 'Site', metadata, spec: { host: 'x' } };
  await assert.rejects(old.create(given), {
    message: /^conversion webhook for example\.dev\/v1, Kind=Site failed: .*ECONNREFUSED/,
  });
  const targets = [{ kind: 'CustomResourceDefinition' as const, name: 'sites.example.dev' }];
  await using _ = await serveWebhooks(cluster, { port, handler, targets });
  // The definition trusts the operator now; its kinds are served anew in a moment.
  await cluster.settle();
  assert.deepEqual((await old.create(given)).spec, { host: 'x' });
  assert.deepEqual((await hub.get(metadata)).spec, { address: 'x' });
  const applied = { ...given, spec: { host: 'y' } };
  assert.deepEqual((await old.apply(applied, { force: true })).spec, { host: 'y' });
  const { items } = await hub.list({ namespace: 'default' });
  assert.deepEqual(
    items.map(({ spec }) => spec),
    [{ address: 'y' }],
  );
  const refused = { ...given, metadata: { ...metadata, name: 'b' }, spec: { host: 'none' } };
  await assert.rejects(old.create(refused), {
    message: 'conversion webhook for example.dev/v1, Kind=Site failed: spec.host must not be none',
  });
});
