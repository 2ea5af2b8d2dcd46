import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { backoffDelayMs } from './backoff.ts';
import { seededRandom } from './random.ts';

test('backoffDelayMs() doubles from the base up to the cap', () => {
  const options = { baseMs: 5, capMs: 1_000_000 };
  const delays = [1, 2, 3, 18, 19, 1000].map((failures) => backoffDelayMs(failures, options));
  assert.deepEqual(delays, [5, 10, 20, 655_360, 1_000_000, 1_000_000]);
});

test('backoffDelayMs() stays within the cap, whatever chance says', () => {
  const random = seededRandom(7);
  fc.assert(
    fc.property(fc.nat(2000), fc.double({ min: 0, max: 1, noNaN: true }), (failures, jitter) => {
      const delayMs = backoffDelayMs(failures, { baseMs: 10, capMs: 5000, jitter }, random);
      return delayMs >= 0 && delayMs <= 5000;
    }),
  );
});
