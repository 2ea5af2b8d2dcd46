import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { Patience } from './patience.ts';

test('Patience gives up on each when its time is up, with one timer', async () => {
  const clock = new VirtualClock();
  const patience = new Patience(clock, 100, () => new Error('too late'));
  const told: string[] = [];
  const wait = (name: string, work: Promise<void>): void => {
    patience.bound(work).then(
      () => told.push(name),
      (error: Error) => told.push(`${name}: ${error.message}`),
    );
  };
  const never = new Promise<void>(() => {});
  wait('a', never);
  await clock.advance(60);
  wait('b', never);
  wait('c', Promise.resolve());
  wait('d', Promise.reject(new Error('broken')));
  await clock.advance(39);
  assert.deepEqual(told, ['c', 'd: broken']);
  assert.equal(clock.timers, 1);
  await clock.advance(1);
  assert.deepEqual(told.slice(2), ['a: too late']);
  await clock.advance(60);
  assert.deepEqual(told.slice(3), ['b: too late']);
  assert.equal(clock.timers, 0);
});
