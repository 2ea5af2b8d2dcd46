import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMetrics } from '@fnlet/base';
import { sampleRunnable } from '../../test/samples.ts';
import type { ScalingNews } from '../scaler.ts';
import { DecisionCounts } from './decision-counts.ts';

function news(from: number, to: number, cause: ScalingNews['cause']): ScalingNews {
  return { revision: sampleRunnable('hello-1'), from, to, reason: '', cause, isWoken: false };
}

test('decisions are counted by direction and cause, until their Function goes', () => {
  const counts = new DecisionCounts();
  for (const [from, to, cause] of [
    [0, 1, 'call'],
    [1, 4, 'metric'],
    [4, 9, 'metric'],
    [9, 8, 'rules'],
    [8, 0, 'idle'],
  ] as const) {
    counts.count(news(from, to, cause));
  }
  const told = counts
    .family()
    .samples.map(({ labels: { direction, cause }, value }) => `${direction} ${cause} ${value}`);
  assert.deepEqual(told, ['wake call 1', 'up metric 2', 'down rules 1', 'sleep idle 1']);
  assert.match(formatMetrics([counts.family()]), /\{namespace="default",function="hello",/);
  counts.forget({ namespace: 'default', name: 'hello' });
  assert.deepEqual(counts.family().samples, []);
});
