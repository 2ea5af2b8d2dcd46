import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResolvedCanary } from '@fnlet/api';
import { CallMeter, type Observation } from '@fnlet/gateway';
import fc from 'fast-check';
import { decideCanary } from './decide-canary.ts';

const spec: ResolvedCanary = {
  steps: [10, 50],
  intervalMs: 60_000,
  successRate: 0.99,
  latencies: [{ name: 'p99', part: 0.99, boundMs: 500 }],
  minimumCalls: 20,
};

/** So many calls that were answered well, failed, and were slow. */
function observed(good: number, failed = 0, slow = 0): Observation {
  const meter = new CallMeter();
  for (let call = 0; call < good; call++) meter.onAnswer(200, 10);
  for (let call = 0; call < failed; call++) meter.onAnswer(500, 10);
  for (let call = 0; call < slow; call++) meter.onAnswer(200, 800);
  return meter.observe();
}

function decide(
  observation: Observation,
  afterMs: number,
  change: { readonly step?: number; readonly spec?: ResolvedCanary } = {},
): string {
  const base = { spec, step: 0, sinceMs: 1000, now: 1000 + afterMs };
  const decision = decideCanary({ ...base, observation, ...change });
  const { kind, ...rest } = decision;
  return `${kind} ${Object.values(rest).join()}`.trim();
}

const end = 60_000;

const cases: readonly [string, string, string | RegExp][] = [
  ['holds while its step lasts', decide(observed(100), 1000), 'hold 1000'],
  ['looks again at the end of its step', decide(observed(100), end - 300), 'hold 300'],
  ['comes a step further', decide(observed(100), end), 'advance 1'],
  ['takes over after the last step', decide(observed(100), end, { step: 1 }), 'promote'],
  ['holds on with too few calls', decide(observed(19), end * 10), 'hold 1000'],
  ['holds on with too few calls that fail', decide(observed(0, 19), end * 10), 'hold 1000'],
  ['bears one in a hundred', decide(observed(99, 1), end), 'advance 1'],
  [
    'fails by two in a hundred',
    decide(observed(98, 2), end),
    'rollBack 98 % of 100 calls succeeded, expected 99 %',
  ],
  ['bears what may be chance before its end', decide(observed(98, 2), 1000), 'hold 1000'],
  [
    'fails at once beyond doubt',
    decide(observed(0, 20), 1000),
    'rollBack 0 % of 20 calls succeeded, expected 99 %',
  ],
  [
    'fails by its latency',
    decide(observed(98, 0, 2), end),
    /^rollBack p99 of 100 calls was (7|8)\d\d(\.\d)? ms, expected at most 500 ms$/,
  ],
  ['fails by its latency at once beyond doubt', decide(observed(10, 0, 10), 1000), /^rollBack p99/],
  [
    'needs no calls where none are asked for',
    decide(observed(0), end, { spec: { ...spec, minimumCalls: 0 } }),
    'advance 1',
  ],
];

for (const [title, found, expected] of cases) {
  test(`decideCanary() ${title}`, () => {
    if (typeof expected === 'string') assert.equal(found, expected);
    else assert.match(found, expected);
  });
}

test('decideCanary() never does better with more failures', () => {
  const order = ['rollBack', 'hold', 'advance', 'promote'];
  const rank = (good: number, failed: number, afterMs: number): number => {
    const observation = observed(good, failed);
    const base = { spec, step: 0, sinceMs: 0, now: afterMs };
    return order.indexOf(decideCanary({ ...base, observation }).kind);
  };
  const property = fc.property(
    fc.integer({ min: 0, max: 300 }),
    fc.integer({ min: 0, max: 300 }),
    fc.constantFrom(1000, end),
    (calls, failed, afterMs) => {
      // Of as many calls one more fails.
      if (failed >= calls) return;
      const better = rank(calls - failed, failed, afterMs);
      assert.ok(rank(calls - failed - 1, failed + 1, afterMs) <= better);
    },
  );
  fc.assert(property);
});

test('decideCanary() ends a canary that always holds its bounds by promoting it', () => {
  const property = fc.property(
    fc.array(fc.integer({ min: 1, max: 99 }), { minLength: 1, maxLength: 20 }),
    (steps) => {
      let step = 0;
      for (let looks = 0; looks < 20; looks++) {
        const base = { spec: { ...spec, steps }, sinceMs: 0, now: end };
        const decision = decideCanary({ ...base, step, observation: observed(20) });
        if (decision.kind === 'promote') {
          assert.equal(looks, steps.length - 1);
          return;
        }
        assert.ok(decision.kind === 'advance' && decision.step === step + 1);
        step = decision.step;
      }
      assert.fail('never promoted');
    },
  );
  fc.assert(property);
});
