/** What keeps Pods from starting, as the Function says it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FunctionScale } from '@fnlet/api';
import type { Obstacle } from '@fnlet/executor';
import { findCondition } from '@fnlet/machinery';
import { executorCondition } from '../src/executor-condition.ts';
import { createMachine, namespace, World } from './world.ts';

const full: Obstacle = {
  reason: 'Unschedulable',
  message: 'No node takes its Pod: 0/1 nodes are available. Add nodes',
};
function scale(changes: Partial<FunctionScale>): FunctionScale {
  return { min: 0, max: 10, target: 50, limit: 0, idleAfter: '60s', ...changes };
}

const quota: Obstacle = { reason: 'FailedCreate', message: 'exceeded quota: small' };

test('a new Function says why its Pods do not start, and that they do once it is mended', async () => {
  await using world = await new World(createMachine()).start();
  world.executor.obstruct(full);
  await world.apply('hello', {});
  const ready = await world.condition('hello', 'Ready', 'False');
  assert.deepEqual([ready.reason, ready.message], [full.reason, full.message]);
  assert.equal((await world.condition('hello', 'SourceReady', 'True')).reason, 'Ready');
  assert.equal((await world.condition('hello', 'RoutesReady', 'False')).reason, 'NoRevision');
  world.executor.obstruct(quota);
  await world.until(async () => {
    const { status } = await world.get('hello');
    return findCondition(status?.conditions, 'Ready')?.reason === quota.reason;
  });
  const told = (await world.events('hello')).filter(({ type }) => type === 'Warning');
  assert.deepEqual(told.map(({ reason }) => reason).sort(), ['FailedCreate', 'Unschedulable']);
  assert.match(
    told.map(({ message }) => message).join(),
    /Revision hello-\w+: exceeded quota: small/,
  );
  world.executor.obstruct(undefined);
  await world.ready('hello');
  assert.equal((await world.condition('hello', 'RoutesReady', 'True')).reason, 'Ready');
});

test('new code whose Pods do not start leaves the code that serves alone', async () => {
  await using world = await new World(createMachine()).start();
  await world.apply('hello', { scale: scale({ min: 1 }) });
  const first = (await world.ready('hello')).status?.revision;
  world.executor.obstruct(full);
  await world.apply('hello', { scale: scale({ min: 1 }), source: { inline: 'two' } });
  assert.equal((await world.condition('hello', 'Ready', 'False')).reason, full.reason);
  assert.equal((await world.condition('hello', 'RoutesReady', 'True')).reason, 'PreviousRevision');
  assert.equal(await world.call('hello'), first);
  world.executor.obstruct(undefined);
  await world.ready('hello');
  assert.notEqual(await world.call('hello'), first);
});

test('a Function that cannot be woken says why while somebody waits, and is well after that', async () => {
  await using world = await new World(createMachine()).start();
  await world.apply('hello', { scale: scale({ idleAfter: '1s' }) });
  await world.ready('hello');
  await world.until(async () => (await world.get('hello')).status?.replicas === 0);
  world.executor.obstruct(quota);
  const call = world.gateway.call(namespace, 'hello');
  for (const type of ['Ready', 'RoutesReady']) {
    assert.equal((await world.condition('hello', type, 'False')).reason, quota.reason);
  }
  world.executor.obstruct(undefined);
  await world.untilAnswered([call]);
  await world.ready('hello');
});

test('a Function that only gets no more Instances serves, and its executor says why', () => {
  const chosen = { kind: 'deployment', message: 'It has mounts' } as const;
  const [well] = executorCondition(chosen);
  assert.deepEqual([well?.status, well?.reason], ['True', 'Deployment']);
  const [short] = executorCondition(chosen, { obstacle: quota });
  assert.deepEqual(short, { type: 'ExecutorReady', status: 'False', ...quota });
  const [unfit] = executorCondition({ ...chosen, kind: 'unfit' }, { obstacle: quota });
  assert.equal(unfit?.reason, 'ExecutorUnfit');
});
