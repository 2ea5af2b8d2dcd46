import assert from 'node:assert/strict';
import { test } from 'node:test';
import { translateKubeless } from '@fnlet/functions/kubeless';
import { type AutoscaleFlags, planAutoscaler } from './plan-autoscaler.ts';
import { planDeployment } from './plan-function.ts';

const key = { name: 'hello', namespace: 'default' };
const flags: AutoscaleFlags = { min: 2, max: 5, metric: 'cpu', value: '70' };

test('planAutoscaler() makes bounds that Fnlet keeps', () => {
  const own = { runtime: 'nodejs14', handler: 'a.b', label: [], secrets: [], env: [] };
  const object = planDeployment({ ...key, flags: { ...own, nodeSelectors: [] } });
  for (const wish of [flags, { ...flags, metric: 'qps', value: '2k' } as const]) {
    const horizontalPodAutoscaler = planAutoscaler(key, wish);
    const spec = { ...object.spec, horizontalPodAutoscaler };
    const translation = translateKubeless({ ...object, spec });
    assert.ok(translation.kind === 'translated');
    const { min, max } = translation.function.spec.scale;
    assert.deepEqual([min, max], [2, 5]);
  }
});

const refusals: readonly (readonly [Partial<AutoscaleFlags>, string])[] = [
  [{ min: 0 }, 'found --min 0 and --max 5, expected 1 <= min <= max'],
  [{ max: 1 }, 'found --min 2 and --max 1, expected 1 <= min <= max'],
  [{ value: 'many' }, 'found --value many, expected a percentage of CPU'],
  [{ value: '0' }, 'found --value 0, expected a percentage of CPU'],
];

for (const [wrong, sentence] of refusals) {
  test(`planAutoscaler() refuses ${JSON.stringify(wrong)}`, () => {
    assert.equal(planAutoscaler(key, { ...flags, ...wrong }), sentence);
  });
}
