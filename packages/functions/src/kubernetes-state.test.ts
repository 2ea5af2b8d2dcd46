import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@fnlet/apiserver';
import { seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import { type Cache, createClient } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import { createManager } from '@fnlet/reconcile';
import { openMemoryStore } from '@fnlet/store';
import { openState } from './kubernetes-state.ts';

const bulky = 'bulky'.repeat(1000);

test('no cache keeps data, sources or annotations', async () => {
  const base = { clock: new VirtualClock(), random: seededRandom(1), logger: silentLogger };
  await using store = openMemoryStore();
  await using server = createApiServer({ ...base, store });
  const client = createClient(server.transport(), { fieldManager: 'test', clock: base.clock });
  const state = openState(createManager({ ...base, client }));
  const caches: readonly Pick<Cache<KubeObject>, 'type' | 'list'>[] = Object.values(state);
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': bulky };
  const labels = { 'fnlet.dev/function': 'x' };
  const object = {
    apiVersion: 'v1',
    metadata: { name: 'x', namespace: 'default', resourceVersion: '5', labels, annotations },
    data: { key: bulky },
    spec: { function: 'x', source: { inline: bulky }, dependencies: bulky },
  };
  for (const cache of Object.values(state)) {
    // Each takes another kind; all of them are made of this one object.
    Reflect.apply(cache.observe, cache, [{ ...object, kind: cache.type.kind }]);
  }
  for (const cache of caches) {
    assert.equal(cache.list().length, 1, cache.type.plural);
    assert.ok(!JSON.stringify(cache.list()).includes('bulky'), cache.type.plural);
  }
});
