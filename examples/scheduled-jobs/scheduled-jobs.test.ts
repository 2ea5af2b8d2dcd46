import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Job } from 'fnlet/operator';
import { type OperatorTest, testOperator } from 'fnlet/testing';
import scheduledJobs, { ScheduledJob } from './scheduled-jobs.ts';

async function start(spec: { overlap?: 'Allow' | 'Forbid' | 'Replace'; keep?: number } = {}) {
  const t = await testOperator(scheduledJobs);
  const job = { schedule: '*/5 * * * *', command: ['node', '-e', '0'], ...spec };
  await t.create(ScheduledJob, { metadata: { name: 'tick' }, spec: job });
  await t.settle();
  return t;
}

async function finishAll(t: OperatorTest): Promise<void> {
  const completionTime = new Date(t.clock.now()).toISOString();
  for (const { metadata } of await t.list(Job)) {
    await t.patchStatus(Job, metadata.name, { completionTime });
  }
  await t.settle();
}

test('a Job is made whenever the schedule says so', async () => {
  await using t = await start();
  assert.equal((await t.list(Job)).length, 0);
  await t.tick('5m');
  assert.equal((await t.list(Job)).length, 1);
  await finishAll(t);
  await t.tick('5m');
  assert.equal((await t.list(Job)).length, 2);
});

test('one that still runs holds the next one back, or makes room for it', async () => {
  await using forbidding = await start({ overlap: 'Forbid' });
  await forbidding.tick('10m');
  assert.equal((await forbidding.list(Job)).length, 1);
  await using replacing = await start({ overlap: 'Replace' });
  await replacing.tick('5m');
  const [first] = await replacing.list(Job);
  await replacing.tick('5m');
  const [second, ...others] = await replacing.list(Job);
  assert.equal(others.length, 0);
  assert.notEqual(second?.metadata.name, first?.metadata.name);
});

test('only the last few finished Jobs stay', async () => {
  await using t = await start({ keep: 2 });
  for (let count = 0; count < 4; count++) {
    await t.tick('5m');
    await finishAll(t);
  }
  assert.equal((await t.list(Job)).length, 2);
});
