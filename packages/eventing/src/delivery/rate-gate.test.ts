import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RateGate } from './rate-gate.ts';

/** How many pass in a time, of those who always want to. */
function passed(gate: RateGate, fromMs: number, untilMs: number): number {
  let count = 0;
  for (let nowMs = fromMs; nowMs < untilMs; nowMs++) {
    while (gate.opensMs <= nowMs) {
      gate.pass(nowMs);
      count++;
    }
  }
  return count;
}

test('after a pause a burst passes, over time the rate', () => {
  const gate = new RateGate({ perSecond: 10, burst: 5 });
  assert.equal(passed(gate, 0, 1), 5);
  assert.equal(passed(gate, 1, 1_001), 10);
  assert.equal(passed(gate, 100_000, 100_001), 5);
});

test('a rate may be less than one a second', () => {
  const gate = new RateGate({ perSecond: 0.1, burst: 1 });
  assert.equal(passed(gate, 0, 60_000), 6);
});
