import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Instance } from '@fnlet/executor';
import { sampleRunnable } from '../test/samples.ts';
import { planOutage } from './plan-outage.ts';

function instance(restartAtMs: number | undefined, code = 1): Instance {
  return {
    id: 'hello-x-y',
    revision: sampleRunnable('hello-x'),
    phase: restartAtMs === undefined ? 'starting' : 'backingOff',
    address: undefined,
    pid: undefined,
    createdAtMs: 0,
    readyAtMs: undefined,
    restarts: 1,
    lastExit: { code, signal: null, startedAtMs: 0, finishedAtMs: 1 },
    restartAtMs,
  };
}

test('planOutage() tells of the Instance that is started again first', () => {
  const outage = planOutage([instance(9000, 4), instance(7000, 3)], 2000);
  assert.equal(outage?.reason, 'InstanceCrashed');
  assert.match(outage.message, /code 3/);
  assert.equal(outage.retryAfterMs, 5000);
  assert.equal(planOutage([instance(1000)], 2000)?.retryAfterMs, 0);
});

test('planOutage() is none while an Instance is there or on its way', () => {
  assert.equal(planOutage([], 0), undefined);
  assert.equal(planOutage([instance(9000), instance(undefined)], 0), undefined);
});

test('planOutage() keeps what a function writes from its callers', () => {
  const crashed = instance(9000, 4);
  const { lastExit } = crashed;
  const said = 'password=1234';
  const outage = planOutage([{ ...crashed, lastExit: lastExit && { ...lastExit, said } }], 0);
  assert.equal(outage?.message, 'The process ended with code 4');
});
