import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CallMeter } from './call-meter.ts';
import { latencyQuantileMs, nothingObserved, observationSince } from './observation.ts';

test('a meter counts calls, failures and answers that broke off', () => {
  const meter = new CallMeter();
  for (const status of [200, 404, 499, 500, 503]) meter.onAnswer(status, 1);
  meter.onCut();
  const { calls, failures } = meter.observe();
  assert.deepEqual({ calls, failures }, { calls: 5, failures: 3 });
});

test('an observation stands still while its meter goes on', () => {
  const meter = new CallMeter();
  meter.onAnswer(200, 1);
  const first = meter.observe();
  meter.onAnswer(500, 900);
  const since = observationSince(first, meter.observe());
  assert.deepEqual([first.calls, since.calls, since.failures], [1, 1, 1]);
  assert.ok(Math.abs((latencyQuantileMs(since, 0.5) ?? 0) - 900) < 45);
});

test('observationSince() takes all of what was counted anew', () => {
  const meter = new CallMeter();
  meter.onAnswer(200, 1);
  assert.equal(observationSince({ ...nothingObserved, calls: 7 }, meter.observe()).calls, 1);
});

test('latencyQuantileMs() says nothing about nothing', () => {
  assert.equal(latencyQuantileMs(nothingObserved, 0.99), undefined);
});

test('latencyQuantileMs() is within 5 % of the exact quantile', () => {
  const latency = fc.double({ min: 0.1, max: 3_600_000, noNaN: true });
  const part = fc.constantFrom(0.5, 0.9, 0.95, 0.99);
  const property = fc.property(fc.array(latency, { minLength: 1 }), part, (latencies, quantile) => {
    const meter = new CallMeter();
    for (const latencyMs of latencies) meter.onAnswer(200, latencyMs);
    const sorted = latencies.toSorted((a, b) => a - b);
    const exact = sorted[Math.max(1, Math.ceil(quantile * sorted.length)) - 1] ?? 0;
    const found = latencyQuantileMs(meter.observe(), quantile) ?? 0;
    assert.ok(Math.abs(found - exact) <= exact * 0.05, `${found} for ${exact}`);
  });
  fc.assert(property);
});
