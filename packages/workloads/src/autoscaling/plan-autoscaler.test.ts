import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCondition } from '@fnlet/machinery';
import { noRecommendations } from '@fnlet/scaling';
import { type AutoscalerHistory, rememberChange } from './decide-replicas.ts';
import type {
  AutoscalerSpec,
  HorizontalPodAutoscaler,
  MetricSpec,
} from './horizontal-pod-autoscaler.ts';
import { type MetricSituation, type MetricVerdict, measureMetric } from './measure-metric.ts';
import { type AutoscalerPlan, planAutoscaler } from './plan-autoscaler.ts';

const start = Date.UTC(2026, 0, 5, 12);
const empty: AutoscalerHistory = { recommendations: noRecommendations, changes: [] };

function autoscaler(change: Partial<AutoscalerSpec> = {}): HorizontalPodAutoscaler {
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web', namespace: 'default', generation: 3 },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      ...{ minReplicas: 1, maxReplicas: 10 },
      ...change,
    },
  };
}

function asks(replicas: number, name = 'cpu resource'): MetricVerdict {
  return { kind: 'measured', replicas, name, status: { type: 'Resource' } };
}

const broken: MetricVerdict = {
  ...{ kind: 'failed', reason: 'FailedGetResourceMetric', error: 'no', summary: 'no' },
};

/** An autoscaler over time; what it wants is there at the next look. */
class Run {
  now = start;
  replicas: number;
  history = empty;
  readonly #autoscaler: HorizontalPodAutoscaler;

  constructor(replicas: number, spec: Partial<AutoscalerSpec> = {}) {
    this.replicas = replicas;
    this.#autoscaler = autoscaler(spec);
  }

  look(verdicts: readonly MetricVerdict[], { afterMs = 15_000, selector = 'app=web' } = {}) {
    this.now += afterMs;
    const plan = planAutoscaler({
      autoscaler: this.#autoscaler,
      scale: { replicas: this.replicas, selector },
      measure: () => verdicts,
      history: this.history,
      now: this.now,
    });
    this.history = plan.history;
    if (plan.rescale !== undefined) {
      const change = { atMs: this.now, by: plan.rescale.replicas - this.replicas };
      const changes = rememberChange(this.#autoscaler.spec, this.history, change);
      this.history = { ...this.history, changes };
      this.replicas = plan.rescale.replicas;
    }
    return plan;
  }
}

function said({ status }: AutoscalerPlan, type: string): string {
  const condition = findCondition(status.conditions, type);
  return `${condition?.status} ${condition?.reason}: ${condition?.message}`;
}

test('several metrics take the greatest, and the reason names it', () => {
  const run = new Run(2);
  const plan = run.look([asks(3), asks(4, 'memory resource')]);
  assert.deepEqual(plan.rescale, { replicas: 4, reason: 'memory resource above target' });
  assert.deepEqual(plan.happenings, [
    {
      type: 'Normal',
      reason: 'SuccessfulRescale',
      message: 'New size: 4; reason: memory resource above target',
    },
  ]);
  assert.equal(
    said(plan, 'AbleToScale'),
    'True SucceededRescale: the HPA controller was able to update the target scale to 4',
  );
  assert.equal(
    said(plan, 'ScalingActive'),
    'True ValidMetricFound: the HPA was able to successfully calculate a replica count from memory resource',
  );
  const { currentReplicas, desiredReplicas, lastScaleTime, observedGeneration } = plan.status;
  assert.deepEqual(
    [currentReplicas, desiredReplicas, lastScaleTime, observedGeneration],
    [2, 4, '2026-01-05T12:00:15Z', 3],
  );
});

test('without behaviour it grows to twice as many or to four, and says so', () => {
  const run = new Run(1, { maxReplicas: 100 });
  const plan = run.look([asks(50)]);
  assert.equal(plan.rescale?.replicas, 4);
  assert.equal(
    said(plan, 'ScalingLimited'),
    'True ScaleUpLimit: the desired replica count is increasing faster than the maximum scale rate',
  );
  assert.equal(run.look([asks(50)]).rescale?.replicas, 8);
  const high = new Run(8, { maxReplicas: 10 });
  const limited = high.look([asks(50)]);
  assert.equal(limited.rescale?.replicas, 10);
  assert.match(said(limited, 'ScalingLimited'), /^True TooManyReplicas: /);
});

test('it shrinks to the highest recommendation of five minutes', () => {
  const run = new Run(6);
  run.look([asks(6)]);
  const held = run.look([asks(2)]);
  assert.equal(held.rescale, undefined);
  assert.equal(
    said(held, 'AbleToScale'),
    'True ScaleDownStabilized: recent recommendations were higher than current one, applying the highest recent recommendation',
  );
  for (let passed = 30; passed < 300; passed += 15) {
    assert.equal(run.look([asks(2)]).rescale, undefined, `${passed} s`);
  }
  const plan = run.look([asks(2)]);
  assert.deepEqual(plan.rescale, { replicas: 2, reason: 'All metrics below target' });
});

test('behaviour bounds growth and fall within its periods', () => {
  const policies = [{ type: 'Pods', value: 2, periodSeconds: 60 }] as const;
  const behavior = {
    scaleUp: { policies },
    scaleDown: { stabilizationWindowSeconds: 0, policies },
  };
  const run = new Run(2, { behavior });
  const seen = [10, 10, 10, 10, 10].map((count) => run.look([asks(count)]).rescale?.replicas);
  assert.deepEqual(seen, [4, undefined, undefined, undefined, 6]);
  run.now += 60_000;
  const falling = run.look([asks(1)]);
  assert.equal(falling.rescale?.replicas, 4);
  assert.equal(
    said(falling, 'ScalingLimited'),
    'True ScaleDownLimit: the desired replica count is decreasing faster than the maximum scale rate',
  );
});

test('a stabilization window of growth takes the lowest recommendation', () => {
  const run = new Run(2, { behavior: { scaleUp: { stabilizationWindowSeconds: 60 } } });
  run.look([asks(2)]);
  const held = run.look([asks(8)]);
  assert.equal(held.rescale, undefined);
  assert.match(said(held, 'AbleToScale'), /^True ScaleUpStabilized: .* lowest recent/);
  assert.equal(run.look([asks(8)], { afterMs: 60_000 }).rescale?.replicas, 8);
});

test('bounds count before metrics are asked', () => {
  const unasked = (): never => assert.fail('no metric counts here');
  const plan = (replicas: number): AutoscalerPlan =>
    planAutoscaler({
      autoscaler: autoscaler({ minReplicas: 2, maxReplicas: 5 }),
      scale: { replicas, selector: 'app=web' },
      measure: unasked,
      history: empty,
      now: start,
    });
  const above = 'Current number of replicas above Spec.MaxReplicas';
  assert.deepEqual(plan(9).rescale, { replicas: 5, reason: above });
  const below = 'Current number of replicas below Spec.MinReplicas';
  assert.deepEqual(plan(1).rescale, { replicas: 2, reason: below });
  assert.equal(plan(0).rescale, undefined);
  assert.equal(
    said(plan(0), 'ScalingActive'),
    'False ScalingDisabled: scaling is disabled since the replica count of the target is zero',
  );
});

test('who knows a part of the metrics grows by it, and does not shrink', () => {
  assert.equal(new Run(2).look([broken, asks(4)]).rescale?.replicas, 4);
  const plan = new Run(3).look([broken, asks(1)]);
  assert.equal(plan.rescale, undefined);
  assert.equal(
    said(plan, 'ScalingActive'),
    'False FailedGetResourceMetric: the HPA was unable to compute the replica count: no',
  );
  assert.deepEqual(
    plan.happenings.map(({ reason, message }) => `${reason}: ${message}`),
    [
      'FailedGetResourceMetric: no',
      'FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 2), first error is: no',
    ],
  );
});

test('a target without a selector cannot be scaled by metrics', () => {
  const plan = new Run(3).look([asks(5)], { selector: '' });
  assert.equal(plan.rescale, undefined);
  assert.equal(
    said(plan, 'ScalingActive'),
    "False InvalidSelector: the HPA target's scale is missing a selector",
  );
});

const situation: MetricSituation = {
  ...{ namespace: 'default', pods: [], uses: 'no metrics returned from resource metrics API' },
  ...{ current: 1, tolerance: { up: 0.1, down: 0.1 }, now: start },
};
const noCustom =
  'unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered';
const impossible: readonly [object, string, string][] = [
  [
    { type: 'Resource', resource: { name: 'cpu', target: { averageUtilization: 50 } } },
    'FailedGetResourceMetric',
    'failed to get cpu utilization: unable to get metrics for resource cpu: no metrics returned from resource metrics API',
  ],
  [
    { type: 'Pods', pods: { metric: { name: 'rps' } } },
    'FailedGetPodsMetric',
    `unable to get metric rps: ${noCustom}`,
  ],
  [
    {
      type: 'Object',
      object: { metric: { name: 'hits' }, describedObject: { kind: 'Service', name: 'web' } },
    },
    'FailedGetObjectMetric',
    `unable to get metric hits: Service on default web/${noCustom}`,
  ],
  [
    { type: 'External', external: { metric: { name: 'queue' } } },
    'FailedGetExternalMetric',
    'unable to get external metric default/queue/nil: unable to fetch metrics from external metrics API: the server could not find the requested resource (get queue.external.metrics.k8s.io)',
  ],
];
for (const [spec, reason, error] of impossible) {
  test(`${reason} is said as in a cluster that does not measure it`, () => {
    const verdict = measureMetric(Object.assign({ type: '' }, spec), situation);
    assert.ok(verdict.kind === 'failed');
    assert.deepEqual([verdict.reason, verdict.error], [reason, error]);
  });
}

test('FailedGetPodsMetric says what the custom metrics API says, where there is one', () => {
  const spec: MetricSpec = { type: 'Pods', pods: { metric: { name: 'rps' } } };
  const told = 'the server could not find the metric rps for pods *';
  const verdict = measureMetric(spec, {
    ...situation,
    numbers: new Map([[spec, { error: told }]]),
  });
  assert.ok(verdict.kind === 'failed');
  const expected = `unable to fetch metrics from custom metrics API: ${told}`;
  assert.equal(verdict.error, `unable to get metric rps: ${expected}`);
});
