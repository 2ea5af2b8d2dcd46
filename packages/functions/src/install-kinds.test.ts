import assert from 'node:assert/strict';
import { test } from 'node:test';
import { functionCrd, revisionCrd } from '@fnlet/api';
import { createApiServer } from '@fnlet/apiserver';
import { seededRandom, silentLogger, systemClock } from '@fnlet/base';
import { createClient, type Transport } from '@fnlet/client';
import type { CustomResourceDefinition, ResourceType } from '@fnlet/machinery';
import { openMemoryStore } from '@fnlet/store';
import { installKinds } from './install-kinds.ts';

const clock = systemClock;
const crdType: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
const key = { namespace: '', name: functionCrd.metadata.name };

/** The same way to the API; `methods` tells what went over it. */
function noting(transport: Transport, methods: string[]): Transport {
  return {
    request: (request) => {
      methods.push(request.method);
      return transport.request(request);
    },
    close: () => transport.close(),
    [Symbol.asyncDispose]: () => transport.close(),
  };
}

async function withApi(run: (transport: Transport) => Promise<void>): Promise<void> {
  await using store = openMemoryStore();
  const parts = { store, clock, random: seededRandom(1), logger: silentLogger };
  await using server = createApiServer(parts);
  await server.start();
  await run(server.transport());
}

test('definitions that stand are only read', () =>
  withApi(async (transport) => {
    const methods: string[] = [];
    const client = createClient(noting(transport, methods), { fieldManager: 'fnlet', clock });
    await installKinds(client, [functionCrd, revisionCrd], clock);
    const first = await client.of(crdType).get(key);
    methods.length = 0;
    await installKinds(client, [functionCrd, revisionCrd], clock);
    assert.deepEqual(methods, ['GET', 'GET']);
    assert.deepEqual(await client.of(crdType).get(key), first);
  }));

test('a definition that somebody else has changed is brought back', () =>
  withApi(async (transport) => {
    const client = createClient(transport, { fieldManager: 'fnlet', clock });
    await installKinds(client, [functionCrd], clock);
    const crds = client.as('somebody').of<CustomResourceDefinition>(crdType);
    const shortNames = ['lambda'];
    const live = await crds.get(key);
    const names = { ...live.spec.names, shortNames };
    await crds.update({ ...live, spec: { ...live.spec, names } });
    await installKinds(client, [functionCrd], clock);
    assert.deepEqual(
      (await crds.get(key)).spec.names.shortNames,
      functionCrd.spec.names.shortNames,
    );
  }));

test('a field that an older Fnlet stated goes', () =>
  withApi(async (transport) => {
    const client = createClient(transport, { fieldManager: 'fnlet', clock });
    const { metadata } = functionCrd;
    const older = { ...functionCrd, metadata: { ...metadata, labels: { former: 'yes' } } };
    await installKinds(client, [older], clock);
    await installKinds(client, [functionCrd], clock);
    assert.equal((await client.of(crdType).get(key)).metadata.labels, undefined);
  }));
