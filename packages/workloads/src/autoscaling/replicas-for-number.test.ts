import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '../pod.ts';
import { type NumberSituation, replicasForNumber } from './replicas-for-number.ts';

function pods(...ready: readonly boolean[]): readonly Pod[] {
  return ready.map((isReady, index) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `web-${index}`, namespace: 'default' },
    spec: { containers: [] },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
    },
  }));
}

function replicas(
  milli: number,
  target: readonly [NumberSituation['target']['kind'], number],
  rest: { readonly current: number; readonly pods?: readonly Pod[] },
): readonly number[] {
  const [kind, of] = target;
  const tolerance = { up: 0.1, down: 0.1 };
  const { current, pods: known = pods(...Array.from({ length: current }, () => true)) } = rest;
  const situation = { milli, target: { kind, milli: of }, pods: known, current, tolerance };
  const verdict = replicasForNumber(situation);
  return [verdict.replicas, verdict.milli];
}

test('an average is shared by as many replicas as have their part each', () => {
  assert.deepEqual(replicas(300_000, ['averageValue', 50_000], { current: 2 }), [6, 150_000]);
  assert.deepEqual(replicas(1, ['averageValue', 50_000], { current: 2 }), [1, 1]);
  assert.deepEqual(replicas(0, ['averageValue', 50_000], { current: 2 }), [0, 0]);
  assert.deepEqual(replicas(120_000, ['averageValue', 50_000], { current: 0 }), [3, 120_000]);
});

test('a value is compared with its target, and ready Pods are taken times that', () => {
  assert.deepEqual(replicas(20_000, ['value', 10_000], { current: 3 }), [6, 20_000]);
  const known = pods(true, false, true);
  assert.deepEqual(replicas(20_000, ['value', 10_000], { current: 3, pods: known }), [4, 20_000]);
  assert.deepEqual(replicas(20_000, ['value', 10_000], { current: 0 }), [2, 20_000]);
});

test('within the tolerance nothing changes', () => {
  assert.deepEqual(replicas(10_900, ['value', 10_000], { current: 3 })[0], 3);
  assert.deepEqual(replicas(11_100, ['value', 10_000], { current: 3 })[0], 4);
  assert.deepEqual(replicas(108_000, ['averageValue', 50_000], { current: 2 })[0], 2);
  assert.deepEqual(replicas(89_000, ['averageValue', 50_000], { current: 2 })[0], 2);
  assert.deepEqual(replicas(112_000, ['averageValue', 50_000], { current: 2 })[0], 3);
});
