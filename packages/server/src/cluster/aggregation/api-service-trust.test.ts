import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@fnlet/base';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { startTestCluster, type TestCluster } from '@fnlet/testing';
import { ApiServiceTrust } from './api-service-trust.ts';

const name = 'v1alpha1.events.fnlet.dev';
const apiServiceType: ResourceType = {
  ...{ group: 'apiregistration.k8s.io', version: 'v1', kind: 'APIService' },
  ...{ plural: 'apiservices', namespaced: false },
};
const apiService: KubeObject & { readonly spec: object } = {
  ...{ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name } },
  spec: {
    ...{ group: 'events.fnlet.dev', version: 'v1alpha1' },
    ...{ groupPriorityMinimum: 1_000, versionPriority: 100 },
    service: { namespace: 'fnlet-system', name: 'fnlet-api', port: 443 },
  },
};

async function trusted(cluster: TestCluster): Promise<string> {
  const found = await cluster.client.of(apiServiceType).get({ namespace: '', name });
  return Buffer.from(String(Object(found).spec.caBundle ?? ''), 'base64').toString();
}

function begin({ client, clock }: TestCluster) {
  const stop = new AbortController();
  const namespace = 'fnlet-system';
  const terms = { client, names: [name], namespace, caPem: 'first', clock, logger: silentLogger };
  const trust = new ApiServiceTrust(terms);
  const running = trust.run(stop.signal);
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  return { trust, [Symbol.asyncDispose]: end };
}

test('ApiServiceTrust names the authority, a new one at once, and mends what others change', async () => {
  await using cluster = await startTestCluster({ objects: [apiService] });
  await using began = begin(cluster);
  await cluster.advance('1s');
  assert.equal(await trusted(cluster), 'first');
  began.trust.renew('second');
  await cluster.advance('1s');
  assert.equal(await trusted(cluster), 'second');
  const patch = { spec: { caBundle: Buffer.from('stranger').toString('base64') } };
  const key = { namespace: '', name };
  await cluster.client.of(apiServiceType).patch(key, { type: 'merge', patch });
  await cluster.advance('61s');
  assert.equal(await trusted(cluster), 'second');
});

test('ApiServiceTrust makes no APIService of its own, and serves one that is installed later', async () => {
  await using cluster = await startTestCluster();
  await using _began = begin(cluster);
  await cluster.advance('20s');
  const services = cluster.client.of(apiServiceType);
  assert.equal(await services.tryGet({ namespace: '', name }), undefined);
  await services.create(apiService);
  await cluster.advance('6s');
  assert.equal(await trusted(cluster), 'first');
});

test('ApiServiceTrust leaves an APIService alone that leads to somebody else', async () => {
  const service = { namespace: 'monitoring', name: 'adapter', port: 443 };
  const others = { ...apiService, spec: { ...apiService.spec, service } };
  await using cluster = await startTestCluster({ objects: [others] });
  await using _began = begin(cluster);
  await cluster.advance('2m');
  assert.equal(await trusted(cluster), '');
});
