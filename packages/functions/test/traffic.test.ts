// Several Revisions of a Function: who gets which calls, when they move, and what they need first.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FunctionSpec, TrafficTarget } from '@fnlet/api';
import { createMachine, namespace, World } from './world.ts';

const second = { source: { inline: 'two' } };

interface Two {
  readonly world: World;
  /** Names of the Revisions; the newer one serves. */
  readonly older: string;
  readonly newer: string;
}

async function twoRevisions(spec: Partial<FunctionSpec> = {}): Promise<Two> {
  const world = await new World(createMachine()).start();
  await world.apply('hello', spec);
  const { status: first } = await world.ready('hello');
  await world.apply('hello', { ...second, ...spec });
  const { status } = await world.ready('hello');
  return { world, older: first?.revision ?? '', newer: status?.revision ?? '' };
}

/** How many of a hundred calls each Revision answers. */
async function shareOut(world: World): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (let call = 0; call < 100; call++) {
    const name = await world.call('hello');
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function awake(world: World): readonly string[] {
  const names = world.executor
    .instances()
    .filter(({ phase }) => phase !== 'draining')
    .map(({ revision }) => revision.revision);
  return [...new Set(names)].sort();
}

test('a function that is internal is shown, with its tags, by what those inside call it', async () => {
  const { world, older } = await twoRevisions({ visibility: 'internal' });
  await using _ = world;
  assert.equal(world.gateway.routes.get('default/hello')?.internal, true);
  const traffic: TrafficTarget[] = [
    { revision: older, percent: 0, tag: 'old' },
    { latest: true, percent: 100 },
  ];
  await world.apply('hello', { ...second, traffic, visibility: 'internal' });
  const { status } = await world.ready('hello');
  assert.equal(status?.url, 'http://hello.default.svc.cluster.local');
  assert.equal(status?.traffic?.[0]?.url, 'http://old-hello.default.svc.cluster.local');
  assert.equal(world.gateway.routes.get('default/hello')?.internal, true);
  await world.apply('hello', second);
  assert.equal((await world.ready('hello')).status?.url, 'http://gateway/default/hello');
  assert.equal(world.gateway.routes.get('default/hello')?.internal, undefined);
});

test('calls are shared out as the spec says, and the status shows it', async () => {
  const { world, older, newer } = await twoRevisions();
  await using _ = world;
  const traffic = [
    { revision: older, percent: 30, tag: 'old' },
    { latest: true, percent: 70 },
  ];
  await world.apply('hello', { ...second, traffic });
  const { status } = await world.ready('hello');
  assert.deepEqual(status?.traffic, [
    { revision: older, percent: 30, tag: 'old', url: 'http://gateway/default/old-hello' },
    { revision: newer, latest: true, percent: 70 },
  ]);
  assert.equal(status?.revision, newer);
  assert.deepEqual(await shareOut(world), { [older]: 30, [newer]: 70 });
  const routes = await world.condition('hello', 'RoutesReady', 'True');
  assert.equal(routes.message, `Calls go 30 % to ${older} (old), 70 % to ${newer}`);
  assert.deepEqual(awake(world), [older, newer].sort());
  await world.apply('hello', second);
  await world.ready('hello');
  assert.deepEqual(await shareOut(world), { [newer]: 100 });
  await world.until(() => awake(world).join() === newer);
});

test('a Revision with a tag alone sleeps, is kept, and wakes when it is called', async () => {
  const { world, older } = await twoRevisions();
  await using _ = world;
  const traffic: TrafficTarget[] = [
    { latest: true, percent: 100 },
    { revision: older, percent: 0, tag: 'old' },
  ];
  for (let edit = 0; edit < 8; edit++) {
    await world.apply('hello', { source: { inline: `edit ${edit}` }, traffic });
    await world.ready('hello');
    await world.advance(1000);
  }
  await world.until(async () => (await world.revisions.list({ namespace })).items.length === 7);
  assert.ok(await world.revisions.tryGet({ namespace, name: older }));
  assert.ok(!awake(world).includes(older));
  const { split } = world.gateway.routes.get('default/hello') ?? {};
  assert.deepEqual(
    split?.shares.map(({ tag }) => tag),
    [undefined, 'old'],
  );
});

test('a Revision that sleeps gets calls once it is awake, unless all are asleep', async () => {
  const { world, older, newer } = await twoRevisions();
  await using _ = world;
  world.machine.load = () => ({ afterMs: 400 });
  const pin = { ...second, traffic: [{ revision: older, percent: 100 }] };
  await world.apply('hello', pin);
  const waiting = await world.condition('hello', 'Ready', 'Unknown');
  assert.equal(waiting.reason, 'InstancesMissing');
  assert.match(waiting.message ?? '', /has 0 of the 1 Instances/);
  assert.equal(await world.call('hello'), newer);
  await world.ready('hello');
  assert.equal(await world.call('hello'), older);
  await world.until(() => awake(world).join() === older);
  await world.advance(70_000);
  assert.deepEqual(awake(world), []);
  await world.apply('hello', second);
  const { status } = await world.ready('hello');
  assert.equal(status?.revision, newer);
  assert.deepEqual(awake(world), []);
});

test('an edit takes over with as many Instances as serve, and keeps them for a while', async () => {
  await using world = await new World(createMachine()).start();
  const scale = { min: 3, max: 10, target: 50, limit: 0, idleAfter: '60s' };
  await world.apply('hello', { scale });
  const { status: first } = await world.ready('hello');
  const before = first?.revision ?? '';
  const ready = (): number =>
    world.executor.instances().filter(({ phase }) => phase === 'ready').length;
  await world.until(() => ready() === 3);
  let loads = 0;
  world.machine.load = () => ({ afterMs: 100 * ++loads });
  await world.apply('hello', { ...second, scale });
  await world.until(() => ready() === 5);
  assert.equal(await world.call('hello'), before);
  const { status } = await world.ready('hello');
  const after = status?.revision ?? '';
  assert.equal(world.gateway.endpointsOf(`default/${after}`).length, 3);
  assert.equal(await world.call('hello'), after);
  await world.apply('hello', { ...second, scale: { ...scale, min: 0 } });
  await world.advance(50_000);
  assert.equal(world.gateway.endpointsOf(`default/${after}`).length, 3);
  await world.advance(140_000);
  assert.deepEqual(world.executor.instances(), []);
});

test('Instances that do not come are told after the deadline, and the old ones serve on', async () => {
  const { world, older, newer } = await twoRevisions({ rollout: { deadline: '10s' } });
  await using _ = world;
  world.machine.load = () => ({ failure: { code: 'LoadError', message: 'no database' } });
  const traffic = [{ revision: older, percent: 100 }];
  await world.apply('hello', { ...second, traffic, rollout: { deadline: '10s' } });
  await world.condition('hello', 'Ready', 'Unknown');
  world.patienceMs = 20_000;
  const missing = await world.condition('hello', 'Ready', 'False');
  assert.equal(missing.reason, 'InstancesMissing');
  const cause = /has 0 of the 1 Instances .* then\. no database$/;
  await world.until(async () =>
    cause.test((await world.condition('hello', 'Ready', 'False')).message ?? ''),
  );
  assert.equal(await world.call('hello'), newer);
  world.machine.load = () => ({});
  world.patienceMs = 400_000;
  await world.ready('hello');
  assert.equal(await world.call('hello'), older);
});

test('a Revision that is not there is named, and calls go on as they went', async () => {
  const { world, newer } = await twoRevisions();
  await using _ = world;
  await world.apply('hello', { ...second, traffic: [{ revision: 'hello-gone', percent: 100 }] });
  const ready = await world.condition('hello', 'Ready', 'False');
  assert.equal(ready.reason, 'RevisionNotFound');
  assert.match(ready.message ?? '', /hello-gone/);
  assert.equal(await world.call('hello'), newer);
});

test('a Revision that somebody deletes gives up its calls and its tag to those that are left', async () => {
  const { world, older, newer } = await twoRevisions();
  await using _ = world;
  const traffic: TrafficTarget[] = [
    { revision: older, percent: 40, tag: 'old' },
    { latest: true, percent: 60 },
  ];
  await world.apply('hello', { ...second, traffic });
  await world.ready('hello');
  assert.deepEqual(await shareOut(world), { [older]: 40, [newer]: 60 });
  await world.revisions.delete({ namespace, name: older });
  const ready = await world.condition('hello', 'Ready', 'False');
  assert.equal(ready.reason, 'RevisionNotFound');
  assert.deepEqual(await shareOut(world), { [newer]: 100 });
  await world.until(() => awake(world).join() === newer);
  const { split } = world.gateway.routes.get('default/hello') ?? {};
  assert.equal(split, undefined);
});

test('where calls are pinned to a Revision that is deleted, nothing else answers them', async () => {
  const { world, older } = await twoRevisions();
  await using _ = world;
  await world.apply('hello', { ...second, traffic: [{ revision: older, percent: 100 }] });
  await world.ready('hello');
  await world.revisions.delete({ namespace, name: older });
  await world.condition('hello', 'Ready', 'False');
  await world.until(() => awake(world).length === 0);
  const route = world.gateway.routes.get('default/hello');
  assert.equal(route?.revision, undefined);
  assert.equal(route?.unavailable?.reason, 'RevisionNotFound');
  await world.apply('hello', second);
  await world.ready('hello');
  assert.notEqual(await world.call('hello'), older);
});

test('an edit while calls are pinned is proven, gets none, and sleeps', async () => {
  const { world, older } = await twoRevisions();
  await using _ = world;
  const traffic = [{ revision: older, percent: 100 }];
  await world.apply('hello', { ...second, traffic });
  await world.ready('hello');
  await world.apply('hello', { source: { inline: 'three' }, traffic });
  const { status } = await world.ready('hello');
  assert.equal(status?.revision, older);
  assert.notEqual(status?.latestRevision, older);
  assert.equal(await world.call('hello'), older);
  await world.until(() => awake(world).join() === older);
  await world.apply('hello', { source: { inline: 'three' } });
  const { status: unpinned } = await world.ready('hello');
  assert.equal(unpinned?.revision, status?.latestRevision);
});

test('a restart goes on with the shares as they were, and starts nothing', async () => {
  const machine = createMachine();
  const world = await new World(machine).start();
  await world.apply('hello', {});
  const older = (await world.ready('hello')).status?.revision ?? '';
  const traffic = [
    { revision: older, percent: 40, tag: 'old' },
    { latest: true, percent: 60 },
  ];
  await world.apply('hello', { ...second, traffic });
  const { status: before } = await world.ready('hello');
  const route = world.gateway.routes.get('default/hello');
  await world[Symbol.asyncDispose]();
  await using again = await new World(machine).start();
  assert.deepEqual(again.gateway.routes.get('default/hello'), route);
  await again.advance(1000);
  assert.deepEqual(again.executor.instances(), []);
  const { status: after } = await again.get('hello');
  assert.deepEqual([after?.traffic, after?.replicas], [before?.traffic, 0]);
});

test('each Revision scales by its part, and a deleted Function leaves none of them', async () => {
  const { world, older, newer } = await twoRevisions();
  await using _ = world;
  const scale = { min: 4, max: 10, target: 50, limit: 0, idleAfter: '60s' };
  const traffic = [
    { revision: older, percent: 25 },
    { latest: true, percent: 75 },
  ];
  await world.apply('hello', { ...second, traffic, scale });
  await world.until(() => world.executor.instances().length === 4);
  assert.equal(world.executor.instances(`default/${older}`).length, 1);
  assert.equal(world.executor.instances(`default/${newer}`).length, 3);
  await world.until(async () => (await world.get('hello')).status?.replicas === 4);
  await world.functions.delete({ namespace, name: 'hello' });
  await world.until(() => world.executor.instances().length === 0);
});

test('Revisions note when calls began to go to them', async () => {
  const { world, older, newer } = await twoRevisions();
  await using _ = world;
  const servedAt = async (name: string): Promise<string> =>
    (await world.revisions.get({ namespace, name })).status?.servedAt ?? '';
  let [first, last] = ['', ''];
  await world.until(async () => {
    [first, last] = [await servedAt(older), await servedAt(newer)];
    return first !== '' && last !== '';
  });
  assert.ok(first <= last, `${first} ${last}`);
  await world.advance(10);
  await world.apply('hello', {});
  await world.ready('hello');
  await world.until(async () => (await servedAt(older)) > last);
});
