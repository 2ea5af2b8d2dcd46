// A new Revision that takes over step by step, judged by what becomes of its calls.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FunctionRollout, FunctionSpec } from '@fnlet/api';
import { findCondition } from '@fnlet/machinery';
import { createMachine, type Machine, World } from './world.ts';

const rollout: FunctionRollout = {
  deadline: '2m',
  canary: {
    steps: [10, 50],
    interval: '1m',
    successRate: 99,
    latency: { p99: '500ms' },
    minimumCalls: 20,
  },
};

const second: Partial<FunctionSpec> = { source: { inline: 'two' }, rollout };

interface Canary {
  readonly world: World;
  readonly machine: Machine;
  readonly stable: string;
  readonly canary: string;
}

/** A Function at the first step of its canary. */
async function startCanary(): Promise<Canary> {
  const machine = createMachine();
  const world = await new World(machine).start();
  world.patienceMs = 200_000;
  await world.apply('hello', { rollout });
  const stable = (await world.ready('hello')).status?.revision ?? '';
  await world.apply('hello', second);
  await world.condition('hello', 'Ready', 'Unknown');
  const { status } = await world.get('hello');
  return { world, machine, stable, canary: status?.canary?.revision ?? '' };
}

/** What the canary gets now. */
function percent(world: World, canary: string): number | undefined {
  const { split } = world.gateway.routes.get('default/hello') ?? {};
  return split?.shares.find(({ route }) => route.revision === `default/${canary}`)?.percent;
}

async function step(world: World, canary: string, wanted: number): Promise<void> {
  await world.until(() => percent(world, canary) === wanted);
  // It is measured from the first look on at which it has its share.
  await world.advance(2_000);
}

async function reasons(world: World): Promise<readonly string[]> {
  const events = await world.events('hello');
  return events.flatMap(({ reason = '' }) => (reason.startsWith('Canary') ? [reason] : []));
}

test('a canary that holds its bounds takes over step by step', async () => {
  const { world, stable, canary } = await startCanary();
  await using _ = world;
  const { status } = await world.get('hello');
  const ready = await world.condition('hello', 'Ready', 'Unknown');
  assert.equal(ready.message, `Revision ${canary} gets 10 % of the calls, step 1 of 2`);
  assert.equal(status?.revision, stable);
  assert.equal(status?.latestRevision, stable);
  assert.deepEqual(status?.traffic, [
    { revision: stable, latest: true, percent: 90 },
    { revision: canary, percent: 10 },
  ]);
  await step(world, canary, 10);
  world.gateway.answered(`default/${canary}`, 20);
  await world.advance(30_000);
  assert.equal(percent(world, canary), 10);
  await step(world, canary, 50);
  await world.until(async () => (await world.get('hello')).status?.canary?.step === 2);
  world.gateway.answered(`default/${canary}`, 20);
  const { status: after } = await world.ready('hello');
  assert.equal(after?.revision, canary);
  assert.equal(after?.canary, undefined);
  assert.deepEqual(after?.traffic, [{ revision: canary, latest: true, percent: 100 }]);
  assert.equal(await world.call('hello'), canary);
  const told = await reasons(world);
  assert.deepEqual(told.toSorted(), ['CanaryAdvanced', 'CanaryPromoted', 'CanaryStarted']);
});

test('a canary that nobody calls is not judged', async () => {
  const { world, canary } = await startCanary();
  await using _ = world;
  await step(world, canary, 10);
  world.gateway.answered(`default/${canary}`, 19);
  await world.advance(600_000);
  assert.equal(percent(world, canary), 10);
  world.gateway.answered(`default/${canary}`, 1);
  await step(world, canary, 50);
});

test('a canary that fails is rolled back, is told, and is not tried again', async () => {
  const { world, stable, canary } = await startCanary();
  await using _ = world;
  await step(world, canary, 10);
  world.gateway.answered(`default/${canary}`, 30, { status: 500 });
  const ready = await world.condition('hello', 'Ready', 'False');
  assert.equal(ready.reason, 'CanaryFailed');
  const failure = '0 % of 30 calls succeeded, expected 99 %';
  assert.equal(ready.message, `Revision ${canary} was rolled back to ${stable}: ${failure}`);
  const { status } = await world.get('hello');
  assert.equal(status?.canary?.phase, 'RolledBack');
  assert.equal(status?.canary?.message, failure);
  assert.equal(await world.call('hello'), stable);
  await world.until(() => world.executor.instances(`default/${canary}`).length === 0);
  assert.deepEqual((await reasons(world)).toSorted(), ['CanaryRolledBack', 'CanaryStarted']);
  // Neither time nor scaling is a reason to try it again.
  const scale = { min: 2, max: 5, target: 50, limit: 0, idleAfter: '60s' };
  await world.apply('hello', { ...second, scale });
  await world.advance(600_000);
  assert.equal(await world.call('hello'), stable);
  assert.equal((await world.get('hello')).status?.canary?.phase, 'RolledBack');
});

test('a slow canary is rolled back at the end of its step', async () => {
  const { world, canary } = await startCanary();
  await using _ = world;
  await step(world, canary, 10);
  world.gateway.answered(`default/${canary}`, 97);
  world.gateway.answered(`default/${canary}`, 3, { latencyMs: 900 });
  await world.advance(30_000);
  assert.equal(percent(world, canary), 10);
  const ready = await world.condition('hello', 'Ready', 'False');
  assert.match(ready.message ?? '', /p99 of 100 calls was \d+(\.\d)? ms, expected at most 500 ms/);
});

test('a canary that was rolled back is tried again when code or rollout change', async () => {
  const { world, stable, canary } = await startCanary();
  await using _ = world;
  await step(world, canary, 10);
  world.gateway.answered(`default/${canary}`, 30, { status: 500 });
  await world.condition('hello', 'Ready', 'False');
  const looser = { deadline: '2m', canary: { ...rollout.canary, steps: [20], interval: '1m' } };
  await world.apply('hello', {
    ...second,
    rollout: { ...looser, canary: { successRate: 0, minimumCalls: 0, ...looser.canary } },
  });
  await step(world, canary, 20);
  await world.apply('hello', { source: { inline: 'three' }, rollout });
  await world.until(() => percent(world, canary) === undefined);
  const { status } = await world.get('hello');
  assert.notEqual(status?.canary?.revision, canary);
  assert.equal(status?.latestRevision, stable);
  await world.apply('hello', { source: { inline: 'one' }, rollout });
  const { status: back } = await world.ready('hello');
  assert.equal(back?.canary, undefined);
  assert.deepEqual(back?.traffic, [{ revision: stable, latest: true, percent: 100 }]);
});

test('a canary whose rollout is taken away takes over at once', async () => {
  const { world, canary } = await startCanary();
  await using _ = world;
  await world.apply('hello', { source: { inline: 'two' } });
  const { status } = await world.ready('hello');
  assert.equal(status?.revision, canary);
});

test('a restart goes on with the step that a canary is at', async () => {
  const { world, machine, stable, canary } = await startCanary();
  await step(world, canary, 10);
  world.gateway.answered(`default/${canary}`, 20);
  await step(world, canary, 50);
  await world.until(async () => (await world.get('hello')).status?.canary?.step === 2);
  await world[Symbol.asyncDispose]();
  await using again = await new World(machine).start();
  again.patienceMs = 200_000;
  assert.equal(percent(again, canary), 50);
  await again.advance(120_000);
  // What was observed before is forgotten: it is judged by what comes now.
  assert.equal(percent(again, canary), 50);
  again.gateway.answered(`default/${canary}`, 30, { status: 500 });
  await again.condition('hello', 'Ready', 'False');
  assert.equal(await again.call('hello'), stable);
});

test('a restart does not try again what was rolled back', async () => {
  const { world, machine, stable, canary } = await startCanary();
  await step(world, canary, 10);
  world.gateway.answered(`default/${canary}`, 30, { status: 500 });
  await world.condition('hello', 'Ready', 'False');
  await world[Symbol.asyncDispose]();
  await using again = await new World(machine).start();
  await again.advance(300_000);
  assert.deepEqual(again.executor.instances(), []);
  assert.equal(await again.call('hello'), stable);
  const { status } = await again.get('hello');
  assert.equal(status?.canary?.phase, 'RolledBack');
});

test('a canary rests while the spec pins calls, and goes on after that', async () => {
  const { world, stable, canary } = await startCanary();
  await using _ = world;
  await step(world, canary, 10);
  await world.apply('hello', { ...second, traffic: [{ revision: stable, percent: 100 }] });
  const pinned = (await world.ready('hello')).status?.conditions;
  const message = (type: string) => findCondition(pinned, type)?.message;
  assert.equal(message('Ready'), 'Calls go where spec.traffic says');
  assert.equal(message('RoutesReady'), `Calls go 100 % to ${stable}`);
  await world.until(() => world.executor.instances(`default/${canary}`).length === 0);
  world.gateway.answered(`default/${canary}`, 30, { status: 500 });
  await world.advance(300_000);
  await world.apply('hello', second);
  await step(world, canary, 10);
  world.gateway.answered(`default/${canary}`, 30);
  await step(world, canary, 50);
});
