import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { DeadlineSweep } from './deadline-sweep.ts';

class Wait {
  deadlineMs = Number.POSITIVE_INFINITY;
  fired = 0;

  onDeadline(): void {
    this.fired++;
    this.deadlineMs = Number.POSITIVE_INFINITY;
  }
}

test('a deadline is noticed within one interval, however it was moved before', async () => {
  const clock = new VirtualClock();
  const sweep = new DeadlineSweep(clock, 100);
  const wait = new Wait();
  sweep.watch(wait);
  wait.deadlineMs = clock.monotonicMs() + 5000;
  await clock.advance(1000);
  wait.deadlineMs = clock.monotonicMs() + 250;
  await clock.advance(249);
  assert.equal(wait.fired, 0);
  await clock.advance(100);
  assert.equal(wait.fired, 1);
  await clock.advance(10_000);
  assert.equal(wait.fired, 1);
});

test('without anything to watch there is no timer', () => {
  const clock = new VirtualClock();
  const sweep = new DeadlineSweep(clock, 100);
  const waits = [new Wait(), new Wait()];
  for (const wait of waits) sweep.watch(wait);
  assert.equal(clock.timers, 1);
  for (const wait of waits) sweep.unwatch(wait);
  assert.equal(clock.timers, 0);
});
