import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { growRetryBudget, openRetryBudget } from './retry-budget.ts';

const limits = { retryShare: 0.2, retriesPerSecond: 10, retriesSavedMax: 1000 };

test('a budget opens with what ten seconds pay in', () => {
  assert.equal(openRetryBudget(0, limits).retries, 100);
});

test('calls and time pay in', () => {
  const empty = { retries: 0, arrivals: 500, atMs: 1000 };
  assert.equal(growRetryBudget(empty, { nowMs: 1000, arrivals: 600 }, limits).retries, 20);
  assert.equal(growRetryBudget(empty, { nowMs: 1500, arrivals: 500 }, limits).retries, 5);
});

test('what is saved up is bounded', () => {
  const full = growRetryBudget(openRetryBudget(0, limits), { nowMs: 1e9, arrivals: 1e9 }, limits);
  assert.equal(full.retries, 1000);
});

test('over any time, retries stay within the share, the floor and what was saved', () => {
  const step = fc.record({ afterMs: fc.nat(500), calls: fc.nat(50) });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      let budget = openRetryBudget(0, limits);
      let [nowMs, arrivals, retries] = [0, 0, 0];
      for (const { afterMs, calls } of steps) {
        nowMs += afterMs;
        arrivals += calls;
        budget = growRetryBudget(budget, { nowMs, arrivals }, limits);
        // A storm: everything is retried that may be.
        const paid = Math.floor(budget.retries);
        retries += paid;
        budget = { ...budget, retries: budget.retries - paid };
      }
      assert.ok(retries <= 100 + 0.2 * arrivals + nowMs / 100 + 1e-6);
    }),
  );
});
