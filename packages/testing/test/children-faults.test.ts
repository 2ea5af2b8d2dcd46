import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom, silentLogger } from '@fnlet/base';
import { createCache, createClient } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import {
  childPaths,
  childrenCondition,
  createChildWriter,
  keepOwnManagedFields,
} from '@fnlet/reconcile';
import { configMap, configMapType, createSite, startOperatorWorld } from './operator-world.ts';

const desired = ['a', 'b', 'c'].map((name) => configMap(name, { a: '1' }));

test('a write whose answer was lost is told as failed, and is not repeated when it was done', async () => {
  await using world = await startOperatorWorld();
  const site = await createSite(world, 'web');
  world.cluster.faults.loseAnswer({ verb: 'patch', name: 'b' });
  const outcomes = await world.pass(site, desired);
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ['created', 'failed', 'created'],
  );
  assert.equal(childrenCondition(outcomes).reason, 'Failed');
  world.takeWrites();
  const again = await world.pass(site, desired);
  assert.equal(childrenCondition(again).status, 'True');
  assert.deepEqual(world.takeWrites(), []);
});

test('a child that lost a race is written in the next pass, and nothing else is', async () => {
  await using world = await startOperatorWorld();
  const site = await createSite(world, 'web');
  await world.pass(site, desired);
  world.cluster.faults.conflict({ verb: 'patch', name: 'c' });
  const changed = desired.map((child) => ({ ...child, data: { a: '2' } }));
  await world.pass(site, changed);
  world.takeWrites();
  const outcomes = await world.pass(site, changed);
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ['skipped', 'skipped', 'applied'],
  );
  assert.deepEqual(world.takeWrites(), ['patch configmaps']);
});

test('a delete that fails is tried again, one that was done without an answer is not', async () => {
  await using world = await startOperatorWorld();
  const site = await createSite(world, 'web');
  await world.pass(site, desired);
  world.cluster.faults.fail({ verb: 'delete', name: 'a' });
  world.cluster.faults.loseAnswer({ verb: 'delete', name: 'b' });
  const outcomes = await world.pass(site, []);
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ['failed', 'failed', 'pruned'],
  );
  assert.deepEqual(
    (await world.pass(site, [])).map(({ kind, child }) => `${kind} ${child.name}`),
    ['pruned a'],
  );
});

test('an aborted pass ends, and tells each child that was not written', async () => {
  await using world = await startOperatorWorld();
  const site = await createSite(world, 'web');
  const signal = AbortSignal.abort();
  const outcomes = await world.writer.apply({ primary: site, desired, observed: [], signal });
  assert.ok(outcomes.every(({ kind }) => kind === 'failed'));
  assert.deepEqual(world.takeWrites(), []);
});

test('a cache shows own writes at once, and lets a new process start without a write', async () => {
  await using world = await startOperatorWorld();
  const { cluster, typeOf } = world;
  const { clock } = cluster;
  const site = await createSite(world, 'web');
  const client = createClient(cluster.transport(), { fieldManager: 'sites', clock });
  const stop = new AbortController();
  const cache = createCache<KubeObject>({
    client,
    type: configMapType,
    keep: [...childPaths, 'metadata.managedFields', 'data'],
    project: keepOwnManagedFields('sites'),
    clock,
    random: seededRandom(1),
    logger: silentLogger,
  });
  const running = cache.run(stop.signal);
  await cache.synced;
  const pass = (writer = createWriter()): ReturnType<typeof writer.apply> => {
    const observed = cache.list();
    return writer.apply({ primary: site, desired, observed, signal: stop.signal });
  };
  const createWriter = (): ReturnType<typeof createChildWriter> =>
    createChildWriter({ client, typeOf, clock, observe: (object) => cache.observe(object) });
  const writer = createWriter();
  await pass(writer);
  assert.equal(world.takeWrites().length, 3);
  await pass(writer);
  await cluster.settle();
  await pass(writer);
  await pass();
  assert.deepEqual(world.takeWrites(), []);
  stop.abort();
  await running;
});
