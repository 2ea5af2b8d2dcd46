import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom, VirtualClock } from '@fnlet/base';
import { createMemoryExecutor, type RunnableRevision } from '@fnlet/executor';
import { followInstanceLoad } from './instance-load.ts';
import { busyInstancesPerSecond, instancesQuietSeconds } from './limits.ts';

const revision: RunnableRevision = {
  ...{ id: 'default/hello-1', namespace: 'default', function: 'hello', revision: 'hello-1' },
  ...{ runtime: 'nodejs24', handler: 'main', sourceDirectory: '/nowhere', env: {} },
  limits: { timeoutMs: 1000, bodyBytesMax: 1, drainMs: 0 },
  ...{ labels: {}, annotations: {} },
  owner: { apiVersion: 'fnlet.dev/v1alpha1', kind: 'Revision', name: 'hello-1', uid: 'a-uid' },
};

test('many Instances that come and go are told of at once, and that it was quiet since', async () => {
  const clock = new VirtualClock();
  const told: boolean[] = [];
  const executor = createMemoryExecutor({ clock, random: seededRandom(1) });
  const stop = followInstanceLoad(executor, { clock, onLoad: (isBusy) => told.push(isBusy) });
  executor.ensure(revision, busyInstancesPerSecond - 1);
  await clock.advance(1000);
  assert.deepEqual(told, [], 'those that come are too few');
  executor.ensure(revision, 0);
  executor.ensure(revision, 1);
  assert.deepEqual(told, [true], 'those that go count as well');
  await clock.advance((instancesQuietSeconds + 1) * 1000);
  assert.deepEqual(told, [true, false]);
  stop();
  executor.ensure(revision, busyInstancesPerSecond * 2);
  assert.deepEqual(told, [true, false]);
});
