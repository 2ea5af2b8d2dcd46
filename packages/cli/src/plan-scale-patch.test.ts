import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AutoscaleFlags } from './flags.ts';
import { planScalePatch } from './plan-scale-patch.ts';

const rows: readonly [AutoscaleFlags, object | undefined][] = [
  [{}, undefined],
  [
    { min: 0, max: 5 },
    { min: 0, max: 5 },
  ],
  [
    { metric: 'cpu', target: 70 },
    { metric: 'cpu', target: 70, metrics: null },
  ],
  [
    { idleAfter: '5m', predict: true },
    { idleAfter: '5m', prediction: {} },
  ],
  [{ predict: false }, { prediction: null }],
];

for (const [flags, scale] of rows) {
  test(`planScalePatch() of ${JSON.stringify(flags)}`, () => {
    assert.deepEqual(planScalePatch(flags), scale === undefined ? undefined : { spec: { scale } });
  });
}
