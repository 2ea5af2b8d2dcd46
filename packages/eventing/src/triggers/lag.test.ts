import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noCounts } from '../delivery/delivery-counts.ts';
import { lagSince } from './lag.ts';
import type { TriggerState } from './trigger-run.ts';

const counts = { ...noCounts(), accepted: 100, filtered: 0, duplicate: 0, refused: 0 };

function stateOf(pending: number, more: { lag?: number; circuit?: 'open' } = {}): TriggerState {
  const part = { phase: 'running', trouble: undefined } as const;
  return {
    source: { ...part, lag: more.lag, nextMs: undefined },
    delivery: { ...part, circuit: more.circuit ?? 'closed', failures: 0, lastFailure: undefined },
    ...{ pending, deadLetters: 3, lastEventMs: undefined, lastDeliveryMs: undefined },
  };
}

test('what came since somebody looked waits, too, and what became of others does not', () => {
  const looked = { state: stateOf(10), counts };
  assert.equal(lagSince(looked, counts), 10);
  assert.equal(lagSince(looked, { ...counts, accepted: 150 }), 60);
  const later = { ...counts, accepted: 150, delivered: 20, dead: 1, superseded: 2, lost: 3 };
  assert.equal(lagSince(looked, { ...later, skipped: 4, failed: 99 }), 30);
});

test('what went that was not known to have come is no debt', () => {
  assert.equal(lagSince({ state: stateOf(5), counts }, { ...counts, delivered: 50 }), 0);
});

test('what waits at the source counts, and nothing does while the target is left alone', () => {
  assert.equal(lagSince({ state: stateOf(5, { lag: 7 }), counts }, counts), 12);
  assert.equal(lagSince({ state: stateOf(5, { lag: 7, circuit: 'open' }), counts }, counts), 0);
});
