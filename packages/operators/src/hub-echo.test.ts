/** When a function is asked again for what the hub has written itself, and when it is not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@fnlet/machinery';
import { ConfigMap, operator, progressing, ready } from '@fnlet/sdk/operator';
import { answered, type HubWorld, keyOf } from '../test/hub-world.ts';
import { openSites, retext, Site, site, sites } from '../test/sites.ts';

interface Told extends KubeObject {
  readonly data?: unknown;
  readonly status?: { readonly conditions?: readonly { readonly reason?: string }[] };
}

/** The writes to objects of users, but for Events. */
function written(world: HubWorld): string[] {
  return world.writes.flatMap(({ method, path }) =>
    /configmaps|sites/.test(path) && !path.includes('operators')
      ? [`${method} ${path.split('/namespaces/default/')[1]?.split('?')[0]}`]
      : [],
  );
}

test('an answer that did not depend on children is asked for once, and not after a restart', async () => {
  await using world = await openSites();
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  assert.deepEqual(world.reconciled, ['a']);
  assert.deepEqual(written(world), ['PATCH configmaps/a', 'PATCH sites/a/status']);
  const { status } = await world.operator('sites');
  assert.deepEqual(status?.objects, { total: 1, settled: 1, failing: 0 });
  await world.stop();
  world.calls.length = 0;
  world.writes.length = 0;
  world.start();
  await world.settle();
  assert.deepEqual([world.calls, written(world)], [[], []]);
});

test('every further change of the object is one call, too', async () => {
  await using world = await openSites();
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  for (const text of ['b', 'c', 'd']) {
    await retext(world, 'a', text);
    await world.settle();
  }
  assert.equal(world.calls.length, 4);
  assert.deepEqual((await world.of<Told>(ConfigMap).get(keyOf('a'))).data, { text: 'd' });
});

test('a function that looks at its children is asked again once they are there', async () => {
  await using world = await openSites();
  const looking = operator(Site, {
    ...{ owns: [ConfigMap] },
    reconcile: ({ object, children }) => ({
      children: [ConfigMap.of({ metadata: { name: object.metadata.name }, data: { a: 'b' } })],
      conditions: [children(ConfigMap).size > 0 ? ready() : progressing('Starting')],
    }),
  });
  await world.deploy('sites', looking);
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  assert.deepEqual(world.reconciled, ['a', 'a']);
  const told = await world.of<Told>(Site).get(keyOf('a'));
  assert.equal(told.status?.conditions?.[0]?.reason, 'Ready');
});

test('what others do to a child is a reason to ask, whatever they do', async () => {
  await using world = await openSites();
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  const maps = world.of<Told>(ConfigMap);
  const acts: readonly (() => Promise<unknown>)[] = [
    () => maps.patch(keyOf('a'), { type: 'merge', patch: { data: { other: 'x' } } }),
    () => maps.patch(keyOf('a'), { type: 'merge', patch: { data: { text: 'x' } } }),
    () => maps.patch(keyOf('a'), { type: 'merge', patch: { metadata: { labels: { a: 'b' } } } }),
    () => maps.delete(keyOf('a')),
  ];
  for (const [index, act] of acts.entries()) {
    world.calls.length = 0;
    await act();
    await world.settle();
    assert.equal(world.calls.length, 1, `act ${index}`);
  }
  assert.deepEqual((await maps.get(keyOf('a'))).data, { text: 'hello' });
});

test('a child that was changed while the function was asked is a reason to ask again', async () => {
  await using world = await openSites();
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  const maps = world.of<Told>(ConfigMap);
  world.calls.length = 0;
  world.answerer = async () => {
    world.answerer = undefined;
    await maps.patch(keyOf('a'), { type: 'merge', patch: { metadata: { labels: { x: 'y' } } } });
    const child = ConfigMap.of({ metadata: { name: 'a' }, data: { text: 'hello' } });
    return answered(200, { children: [child], childrenRead: false });
  };
  await world.hub?.wake(keyOf('sites'), keyOf('a'), 'A test');
  await world.settle();
  assert.equal(world.calls.length, 2);
});

test('an answer whose writes failed is asked for again, also for the same world', async () => {
  await using world = await openSites();
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  world.calls.length = 0;
  let isBroken = true;
  world.answerer = async () =>
    isBroken ? answered(200, { error: { message: 'away' } }) : answered(200, {});
  // Somebody asks, in a world in which it was settled.
  await world.hub?.wake(keyOf('sites'), keyOf('a'), 'A test');
  await world.settle('1s');
  await world.stop();
  world.calls.length = 0;
  isBroken = false;
  world.start();
  await world.settle();
  assert.deepEqual(world.reconciled, ['a']);
});

test('a resync asks of what is settled all the same', async () => {
  await using world = await openSites({ resync: '1h' });
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle();
  world.calls.length = 0;
  await world.settle('2h');
  assert.ok(world.calls.length >= 1 && world.calls.length <= 3, `${world.calls.length} calls`);
});

test('what is due is asked in its time, whatever was written meanwhile', async () => {
  await using world = await openSites();
  const poll = operator(Site, {
    ...sites,
    owns: [ConfigMap],
    reconcile: ({ object }) => ({
      children: [ConfigMap.of({ metadata: { name: object.metadata.name }, data: { a: 'b' } })],
      requeueAfter: '1m',
    }),
  });
  await world.deploy('sites', poll);
  world.start();
  await world.of(Site).create(site('a'));
  await world.settle('30s');
  assert.equal(world.calls.length, 1);
  await world.settle('10m');
  assert.equal(world.calls.length, 11);
});
