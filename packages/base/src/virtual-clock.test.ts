import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sleep } from './clock.ts';
import { VirtualClock } from './virtual-clock.ts';

test('VirtualClock fires timers in order of due time, then of creation', async () => {
  const clock = new VirtualClock(0);
  const fired: string[] = [];
  clock.after(20, () => fired.push(`late@${clock.now()}`));
  clock.after(10, () => fired.push(`first@${clock.now()}`));
  clock.after(10, () => fired.push(`second@${clock.now()}`));
  await clock.advance(20);
  assert.deepEqual(fired, ['first@10', 'second@10', 'late@20']);
});

test('VirtualClock runs chained sleeps within one advance', async () => {
  const clock = new VirtualClock(0);
  const times: number[] = [];
  const loop = async (): Promise<void> => {
    for (let i = 0; i < 3; i++) {
      await sleep(clock, 10);
      times.push(clock.now());
    }
  };
  const done = loop();
  await clock.advance(30);
  await done;
  assert.deepEqual(times, [10, 20, 30]);
});

test('VirtualClock tells when its next timer fires', async () => {
  const clock = new VirtualClock(100);
  assert.equal(clock.nextDueMs, undefined);
  clock.after(20, () => {});
  const first = clock.after(10, () => {});
  assert.equal(clock.nextDueMs, 110);
  first.cancel();
  assert.equal(clock.nextDueMs, 120);
});

test('sleep() ends at once when aborted, and leaves no timer', async () => {
  const clock = new VirtualClock(0);
  const abort = new AbortController();
  const waited = sleep(clock, 1000, abort.signal);
  abort.abort();
  assert.equal(await waited, false);
  assert.equal(clock.timers, 0);
  assert.equal(await sleep(clock, 1000, abort.signal), false);
});
