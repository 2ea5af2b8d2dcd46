import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { splitColdStart } from './cold-start.ts';

test('the phases of a cold start are what lies between its times', () => {
  const times = { arrivedMs: 10, askedMs: 11, startedMs: 14, readyMs: 20, answeredMs: 21.5 };
  assert.deepEqual(splitColdStart(times), { queue: 1, acquire: 3, load: 6, first_byte: 1.5 });
});

test('a call that comes while its Function wakes spends nothing in what is over', () => {
  const times = { arrivedMs: 16, askedMs: 11, startedMs: 14, readyMs: 20, answeredMs: 21 };
  assert.deepEqual(splitColdStart(times), { queue: 0, acquire: 0, load: 4, first_byte: 1 });
});

test('the phases are never negative, and together all that the caller waited', () => {
  const time = fc.integer({ min: 0, max: 1000 });
  fc.assert(
    fc.property(time, time, time, time, time, (...given) => {
      const [arrivedMs, askedMs, startedMs, readyMs, waitedMs] = given;
      const answeredMs = arrivedMs + waitedMs;
      const phases = splitColdStart({ arrivedMs, askedMs, startedMs, readyMs, answeredMs });
      const all = Object.values(phases);
      assert.ok(all.every((ms) => ms >= 0));
      assert.equal(
        all.reduce((sum, ms) => sum + ms),
        waitedMs,
      );
    }),
  );
});
