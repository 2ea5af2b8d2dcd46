import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from './clock.ts';

test('the system clock does not fire a timer of months at once', async () => {
  let fired = 0;
  const timers = [2 ** 31, 2 ** 33, Number.POSITIVE_INFINITY].map((delayMs) =>
    systemClock.after(delayMs, () => {
      fired++;
    }),
  );
  // Node lets a timer fire after a millisecond when it cannot hold its delay.
  const alive = setTimeout(() => {}, 1_000);
  await new Promise<void>((resolve) => systemClock.after(5, resolve));
  clearTimeout(alive);
  for (const timer of timers) timer.cancel();
  assert.equal(fired, 0);
});

test('the system clock fires what is over already, and Node has nothing to warn of', async (t) => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  t.after(() => process.off('warning', note));
  const alive = setTimeout(() => {}, 1_000);
  await new Promise<void>((resolve) => systemClock.after(-3, resolve));
  clearTimeout(alive);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(warnings, []);
});
