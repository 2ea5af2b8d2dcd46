import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Job } from 'fnlet/operator';
import { type OperatorTest, testOperator } from 'fnlet/testing';
import everyMinutes, { EveryMinutes } from './every-minutes.ts';

async function start(): Promise<OperatorTest> {
  const t = await testOperator(everyMinutes);
  await t.create(EveryMinutes, {
    metadata: { name: 'sweep' },
    spec: { minutes: 5, command: ['node', '-e', '0'] },
  });
  await t.settle();
  return t;
}

async function finish(t: OperatorTest): Promise<void> {
  for (const { metadata } of await t.list(Job)) {
    const conditions = [{ type: 'Complete', status: 'True' }];
    await t.patchStatus(Job, metadata.name, { conditions });
  }
  await t.settle();
}

test('there is a Job at once, and one more every five minutes', async () => {
  await using t = await start();
  assert.equal((await t.list(Job)).length, 1);
  await finish(t);
  await t.tick('4m59s');
  assert.equal((await t.list(Job)).length, 1);
  await t.tick('1s');
  assert.equal((await t.list(Job)).length, 2);
});

test('while one runs no other begins, and the next time is not missed', async () => {
  await using t = await start();
  await t.tick('5m');
  assert.equal((await t.list(Job)).length, 1);
  await finish(t);
  await t.tick('5m');
  assert.equal((await t.list(Job)).length, 2);
});

test('the last three stay', async () => {
  await using t = await start();
  for (let round = 0; round < 6; round++) {
    await finish(t);
    await t.tick('5m');
  }
  await finish(t);
  assert.equal((await t.list(Job)).length, 3);
});
