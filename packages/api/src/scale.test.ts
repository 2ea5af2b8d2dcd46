import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultScale, type FunctionScale, resolveScale } from './scale.ts';
import type { ScaleMetric } from './scale-metric.ts';

const scale = { ...defaultScale, idleAfter: '1m30s' };

test('resolveScale() gives milliseconds and seconds', () => {
  assert.equal(resolveScale(scale).idleAfterMs, 90_000);
  assert.equal(resolveScale({ ...scale, idleAfter: 0 }).idleAfterMs, 0);
  assert.deepEqual(resolveScale(scale).spans, { stableSeconds: 60, panicSeconds: 6 });
  const long = resolveScale({ ...scale, window: '10m' });
  assert.deepEqual(long.spans, { stableSeconds: 600, panicSeconds: 60 });
  const odd = resolveScale({ ...scale, window: '6s', panicWindow: '1m' });
  assert.deepEqual(odd.spans, { stableSeconds: 6, panicSeconds: 6 });
});

const metrics: readonly [string, Partial<FunctionScale>, readonly object[]][] = [
  ['calls in flight by default', {}, [{ kind: 'concurrency', target: 50, tolerance: 0 }]],
  ['what metric names', { metric: 'rps' }, [{ kind: 'rps', target: 50, tolerance: 0 }]],
  ['use with a tolerance', { metric: 'cpu' }, [{ kind: 'cpu', target: 50, tolerance: 0.1 }]],
  [
    'another tolerance',
    { metric: 'memory', tolerance: 5 },
    [{ kind: 'memory', target: 50, tolerance: 0.05 }],
  ],
  [
    'the limit, whatever else it scales by',
    { metric: 'rps', limit: 3 },
    [
      { kind: 'rps', target: 50, tolerance: 0 },
      { kind: 'concurrency', target: 3, tolerance: 0 },
    ],
  ],
  [
    'all of several',
    {
      metrics: [
        { concurrency: { target: 2 } },
        { lag: { target: 100 } },
        { prometheus: { name: 'q', url: 'http://p', query: 'q', target: 7 } },
      ] satisfies readonly ScaleMetric[],
    },
    [
      { kind: 'concurrency', target: 2, tolerance: 0 },
      { kind: 'external', name: 'lag', target: 100, tolerance: 0 },
      { kind: 'external', name: 'q', target: 7, tolerance: 0 },
    ],
  ],
];

for (const [what, change, expected] of metrics) {
  test(`resolveScale() goes by ${what}`, () => {
    assert.deepEqual(resolveScale({ ...scale, ...change }).metrics, expected);
  });
}

test('resolveScale() never aims above the hard limit', () => {
  const aim = (change: Partial<FunctionScale>): number =>
    resolveScale({ ...scale, ...change }).concurrencyTarget;
  assert.deepEqual([aim({}), aim({ limit: 10 }), aim({ limit: 80 })], [50, 10, 50]);
  assert.deepEqual([aim({ metric: 'rps' }), aim({ metric: 'rps', limit: 3 })], [0, 3]);
});

test('resolveScale() reads behavior as a HorizontalPodAutoscaler has it', () => {
  const { growth, shrinking } = resolveScale({
    ...scale,
    behavior: {
      scaleDown: {
        stabilizationWindowSeconds: 300,
        selectPolicy: 'Min',
        policies: [{ type: 'Pods', value: 4, periodSeconds: 60 }],
      },
    },
  });
  assert.deepEqual(growth, { select: 'Max', stabilizationMs: 0, policies: [] });
  assert.deepEqual(shrinking, {
    select: 'Min',
    stabilizationMs: 300_000,
    policies: [{ type: 'Instances', value: 4, periodMs: 60_000 }],
  });
});

test('resolveScale() predicts nothing unless it is asked to', () => {
  assert.equal(resolveScale(scale).predictedAheadMs, undefined);
  assert.equal(resolveScale({ ...scale, prediction: { ahead: '5m' } }).predictedAheadMs, 300_000);
});
