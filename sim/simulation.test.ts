import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ConfigMap } from '@fnlet/sdk/operator';
import type { TestCluster } from '@fnlet/testing';
import type { Step } from './action.ts';
import { takeCensus } from './census.ts';
import { findWrongChildren } from './check-children.ts';
import { findTouched } from './check-foreign.ts';
import { findLies, findOldStatuses } from './check-statuses.ts';
import { Flaky } from './operators/faulty.ts';
import { RunWatch } from './run-watch.ts';
import { shrinkHistory } from './shrink-history.ts';
import { simulate } from './simulate.ts';
import { startEmptyCluster, World } from './world.ts';

let empty: TestCluster;
before(async () => {
  empty = await startEmptyCluster();
});
after(() => empty.close());

test('worlds settle, and keep every invariant, whatever happens in them', async () => {
  const seeds = Number(process.env.SEEDS ?? 4);
  for (let seed = 1; seed <= seeds; seed++) {
    const { problems, runs } = await simulate(empty, seed);
    assert.deepEqual(problems, [], `seed ${seed}: node sim/run.ts --seed ${seed} --shrink`);
    assert.ok(runs > 0);
  }
});

test('a seed replays equally, request by request', async () => {
  const [once, again] = [await simulate(empty, 5), await simulate(empty, 5)];
  assert.ok(once.transcript.length > 50);
  assert.deepEqual(again.transcript, once.transcript);
});

/** A world with one object, settled, in which no operator runs any more. */
async function frozenWorld(): Promise<World> {
  const world = await World.open(empty, 3);
  const kind = Flaky.kind;
  await world.perform({ type: 'create', kind, name: 'a', text: 't', count: 1 });
  await world.calm();
  await world.pass(30_000);
  for (let replica = 0; replica < world.size; replica++) {
    await world.perform({ type: 'kill', replica });
  }
  return world;
}

const child = { namespace: 'default', name: 'flaky-a' };

test('a child that is wrong, missing or too much is found', async () => {
  await using world = await frozenWorld();
  const wrong = async (): Promise<string[]> =>
    findWrongChildren(await takeCensus(world), world.users.words);
  assert.deepEqual(await wrong(), []);
  await world.perform({ type: 'drift', kind: Flaky.kind, name: 'a' });
  assert.match((await wrong()).join(), /text is drifted, expected t/);
  await world.users.of(ConfigMap).delete(child);
  assert.deepEqual(await wrong(), ['ConfigMap default/flaky-a is missing']);
  await world.perform({ type: 'change', kind: Flaky.kind, name: 'a', text: 't', count: 0 });
  assert.match((await wrong()).join(), /flaky-a-0 is there, expected nothing/);
});

test('a status that is old, or a lie, is found', async () => {
  await using world = await frozenWorld();
  const { words } = world.users;
  assert.deepEqual(findOldStatuses(await takeCensus(world)), []);
  await world.perform({ type: 'change', kind: Flaky.kind, name: 'a', text: 'new', count: 1 });
  const old = findOldStatuses(await takeCensus(world)).join();
  assert.match(old, /status is about 1, it is at 2/);
  assert.deepEqual(findLies(await takeCensus(world), words), []);
  const patch = { status: { observedGeneration: 2 } };
  const key = { namespace: 'default', name: 'a' };
  await world.users.of(Flaky).patch(key, { type: 'merge', patch }, { subresource: 'status' });
  assert.match(findLies(await takeCensus(world), words).join(), /says "t" of generation 2/);
});

test('what belongs to users and was touched is found', async () => {
  await using world = await frozenWorld();
  const { words } = world.users;
  await world.perform({ type: 'finalizer', kind: Flaky.kind, name: 'a', isOn: true });
  await world.perform({ type: 'meddle', kind: Flaky.kind, name: 'a', text: 'mine' });
  await world.perform({ type: 'part', name: 'a', bundle: 'a', text: 'mine' });
  assert.deepEqual(findTouched(await takeCensus(world), words), []);
  const finalizers = { metadata: { finalizers: null } };
  const theirs = { data: { theirs: null } };
  const label = { metadata: { labels: { x: 'y' } } };
  const key = { namespace: 'default', name: 'a' };
  await world.users.of(Flaky).patch(key, { type: 'merge', patch: finalizers });
  await world.users.of(ConfigMap).patch(child, { type: 'merge', patch: theirs });
  const part = { namespace: 'default', name: 'part-a' };
  await world.users.of(ConfigMap).patch(part, { type: 'merge', patch: label });
  assert.equal(findTouched(await takeCensus(world), words).length, 3);
});

test('a key that is run twice at once is found, a run that died with its process is none', async () => {
  const watch = new RunWatch();
  const [first, second] = [{}, {}];
  const run = { what: 'sites', key: { namespace: 'default', name: 'a' } };
  const work = Promise.withResolvers<void>();
  const running = watch.during({ who: first, ...run }, () => work.promise);
  watch.forget(first);
  const other = watch.during({ who: second, ...run }, () => work.promise);
  assert.deepEqual(watch.clashes, []);
  const clash = watch.during({ who: first, ...run }, () => work.promise);
  assert.deepEqual(watch.clashes, ['sites default/a was run while another one ran it']);
  work.resolve();
  await Promise.all([running, other, clash]);
});

test('a history that goes wrong is shrunk to the steps that it takes', async () => {
  const quiet: Step = { afterMs: 10, action: { type: 'drop watches', resource: 'pods' } };
  const unknown = { type: 'create', kind: 'Nothing', name: 'a', text: 't', count: 0 } as const;
  const history = [quiet, quiet, { afterMs: 10, action: unknown }, quiet];
  const failed = await simulate(empty, 3, history);
  assert.match(failed.problems.join(), /the world has a kind Nothing/);
  const { history: left } = await shrinkHistory(empty, failed);
  assert.deepEqual(left, [{ afterMs: 30, action: unknown }]);
});
