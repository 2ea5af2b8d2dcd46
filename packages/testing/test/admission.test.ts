import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger, systemClock } from '@fnlet/base';
import { createAuthority, listenHttps, signServerCertificate } from '@fnlet/client/tls';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { createMutatingWebhook, createValidatingWebhook, routePaths } from '@fnlet/reconcile';
import { startTestCluster } from '../src/index.ts';
import { freePort, serveWebhooks } from './webhook-operator.ts';

const ports = { clock: systemClock, logger: silentLogger };

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const maps: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps' },
  namespaced: true,
};

const handler = routePaths({
  '/validate': createValidatingWebhook<ConfigMap>(
    ({ object }) =>
      object?.data?.size === 'huge' ? { denied: 'data.size must not be huge' } : undefined,
    ports,
  ),
  '/mutate': createMutatingWebhook<ConfigMap>(
    ({ object }) => object && { object: { ...object, data: { size: 'small', ...object.data } } },
    ports,
  ),
});

function configuration(kind: 'Mutating' | 'Validating', url: string): KubeObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${kind}WebhookConfiguration`,
    metadata: { name: 'maps' },
    webhooks: [
      {
        name: 'maps.example.dev',
        clientConfig: { url },
        rules: [
          {
            ...{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
            operations: ['CREATE', 'UPDATE'],
          },
        ],
        ...{ sideEffects: 'None', admissionReviewVersions: ['v1'], timeoutSeconds: 5 },
      },
    ],
  };
}

const kinds = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'] as const;

test('the webhooks of an operator are called over TLS, and nothing passes while they are away', async () => {
  const port = await freePort();
  const url = `https://127.0.0.1:${port}`;
  const objects = [
    configuration('Mutating', `${url}/mutate`),
    configuration('Validating', `${url}/validate`),
  ];
  await using cluster = await startTestCluster({ clock: 'system', objects });
  const client = cluster.client.of<ConfigMap>(maps);
  const create = (name: string, data: ConfigMap['data'] = {}): Promise<ConfigMap> =>
    client.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'default' },
      data,
    });
  await assert.rejects(create('early'), {
    code: 'InternalError',
    message: /failed calling webhook "maps\.example\.dev": .*ECONNREFUSED/,
  });
  const targets = kinds.map((kind) => ({ kind, name: 'maps', webhooks: ['maps.example.dev'] }));
  await using _ = await serveWebhooks(cluster, { port, handler, targets });
  assert.deepEqual((await create('a')).data, { size: 'small' });
  assert.deepEqual((await create('b', { size: 'large' })).data, { size: 'large' });
  await assert.rejects(create('c', { size: 'huge' }), {
    code: 'Forbidden',
    message: 'admission webhook "maps.example.dev" denied the request: data.size must not be huge',
  });
  const found = await client.list({ namespace: 'default' });
  const names = found.items
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.length === 1);
  assert.deepEqual(names, ['a', 'b']);
});

test('a webhook whose certificate is of another authority is not believed', async () => {
  const port = await freePort();
  const objects = [configuration('Validating', `https://127.0.0.1:${port}/validate`)];
  await using cluster = await startTestCluster({ clock: 'system', objects });
  const terms = { commonName: 'stranger', now: systemClock.now(), lifeMs: 60_000 };
  const certificate = await signServerCertificate(
    await createAuthority(terms),
    ['127.0.0.1'],
    terms,
  );
  const where = { host: '127.0.0.1', port };
  await using _ = await listenHttps({ ...where, handler, certificate, logger: silentLogger });
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'default' },
  };
  await assert.rejects(cluster.client.of(maps).create(object), {
    message: /failed calling webhook .*(self-signed|unable to verify|signature)/,
  });
});
