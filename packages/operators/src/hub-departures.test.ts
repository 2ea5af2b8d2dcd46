/** Operators that are deleted while their finalizer is on objects: nothing waits for them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { functionType, operatorType } from '@fnlet/api';
import type { KubeObject } from '@fnlet/machinery';
import { ConfigMap, operator } from '@fnlet/sdk/operator';
import { everything, type HubWorld, keyOf } from '../test/hub-world.ts';
import { openSites, Site, site, sites } from '../test/sites.ts';

/** A hub with an Operator that cleans up, and the objects `a` and `b`. */
async function openWithFinalizers(): Promise<HubWorld> {
  const world = await openSites({ finalize: true }, everything);
  world.functions.set('sites', withCleanup({ finalized: true }));
  world.start();
  for (const name of ['a', 'b']) await world.of(Site).create(site(name));
  await world.settle();
  assert.deepEqual(await finalizersOf(world, 'a'), ['fnlet.dev/sites']);
  world.calls.length = 0;
  return world;
}

function withCleanup(answer: { finalized: true } | { requeueAfter: string }): typeof sites {
  return operator(Site, {
    owns: [ConfigMap],
    reconcile: sites.reconcile,
    cleanup: () => answer,
  });
}

async function finalizersOf(world: HubWorld, name: string): Promise<readonly string[]> {
  return (await world.of(Site).get(keyOf(name))).metadata.finalizers ?? [];
}

async function remove(world: HubWorld): Promise<void> {
  await world.cluster.client.of(operatorType).delete(keyOf('sites'));
}

function found(world: HubWorld): Promise<KubeObject | undefined> {
  return world.cluster.client.of<KubeObject>(operatorType).tryGet(keyOf('sites'));
}

test('an Operator that goes takes its finalizer off, and cleans up nothing that stays', async () => {
  await using world = await openWithFinalizers();
  await remove(world);
  await world.settle('10s');
  assert.equal(await found(world), undefined);
  assert.deepEqual(await finalizersOf(world, 'a'), []);
  assert.deepEqual(world.calls, []);
  assert.ok(await world.of<KubeObject>(ConfigMap).tryGet(keyOf('a')));
  await world.of(Site).delete(keyOf('a'));
  assert.equal(await world.of(Site).tryGet(keyOf('a')), undefined);
});

test('an Operator stays until what is being deleted was cleaned up, and runs nothing else', async () => {
  await using world = await openWithFinalizers();
  world.functions.set('sites', withCleanup({ requeueAfter: '10s' }));
  await world.of(Site).delete(keyOf('a'));
  await world.settle();
  await remove(world);
  await world.of(Site).create(site('c'));
  await world.settle('20s');
  assert.ok(await found(world));
  assert.ok(await world.of(Site).tryGet(keyOf('a')));
  assert.deepEqual(await finalizersOf(world, 'b'), []);
  world.functions.set('sites', withCleanup({ finalized: true }));
  await world.settle('20s');
  assert.equal(await world.of(Site).tryGet(keyOf('a')), undefined);
  assert.equal(await found(world), undefined);
  assert.deepEqual([...new Set(world.reconciled)], ['a']);
});

test('a restart under way goes on with it', async () => {
  await using world = await openWithFinalizers();
  world.functions.set('sites', withCleanup({ requeueAfter: '10s' }));
  await world.of(Site).delete(keyOf('a'));
  await world.settle();
  await world.stop();
  await remove(world);
  world.calls.length = 0;
  world.functions.set('sites', withCleanup({ finalized: true }));
  world.start();
  await world.settle('20s');
  assert.equal(await found(world), undefined);
  assert.equal(await world.of(Site).tryGet(keyOf('a')), undefined);
  assert.deepEqual(await finalizersOf(world, 'b'), []);
  assert.deepEqual([...new Set(world.reconciled)], ['a']);
});

for (const [what, take] of [
  ['function', (world) => world.cluster.client.of(functionType).delete(keyOf('sites'))],
  ['account', (world) => world.allow('default', [])],
] as const satisfies readonly (readonly [string, (world: HubWorld) => Promise<unknown>])[]) {
  test(`an Operator that goes without its ${what} lets go of its objects after a while`, async () => {
    await using world = await openWithFinalizers();
    await take(world);
    await world.settle();
    await world.of(Site).delete(keyOf('a'));
    await remove(world);
    await world.settle('30s');
    assert.ok(await world.of(Site).tryGet(keyOf('a')));
    await world.settle('1m');
    assert.equal(await world.of(Site).tryGet(keyOf('a')), undefined);
    assert.deepEqual(await finalizersOf(world, 'b'), []);
    assert.equal(await found(world), undefined);
  });
}
