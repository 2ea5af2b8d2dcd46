import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fromV1, toV1 } from '../../src/builtins/autoscaling/autoscaler-v1.ts';
import { objectField, withFields } from '../../src/object/object-form.ts';
import { KindUnderTest } from './kind-under-test.ts';

const autoscalers = new KindUnderTest('autoscaling/v2', 'horizontalpodautoscalers');
const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const good = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'h' },
  spec: { scaleTargetRef: target, maxReplicas: 3 },
};
const cpu = (percent: number) => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: percent } },
});
const queue = {
  type: 'External',
  external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: '30' } },
};

describe('HorizontalPodAutoscaler', () => {
  it('goes by processors by default', () => {
    const { spec } = autoscalers.create(good);
    const wanted = { scaleTargetRef: target, minReplicas: 1, maxReplicas: 3, metrics: [cpu(80)] };
    assert.deepEqual(spec, wanted);
  });

  it('writes down the whole of a behaviour that was begun', () => {
    const behavior = { scaleDown: { stabilizationWindowSeconds: 60 } };
    const { spec } = autoscalers.create({ ...good, spec: { ...good.spec, behavior } });
    const percent = { type: 'Percent', value: 100, periodSeconds: 15 };
    assert.deepEqual(objectField({ spec }, 'spec').behavior, {
      scaleUp: {
        stabilizationWindowSeconds: 0,
        selectPolicy: 'Max',
        policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }, percent],
      },
      scaleDown: { stabilizationWindowSeconds: 60, selectPolicy: 'Max', policies: [percent] },
    });
  });

  const m = 'spec.metrics[0]';
  const types = 'supported values: "ContainerResource", "External", "Object", "Pods", "Resource"';
  autoscalers.refuses(good, [
    [
      'spec.maxReplicas',
      0,
      'spec.maxReplicas: Required value: must be set and greater than 0',
      'spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`',
    ],
    [
      'spec.minReplicas',
      4,
      'spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`',
    ],
    [
      'spec.minReplicas',
      0,
      'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
    ],
    ['spec', { ...good.spec, minReplicas: 0, metrics: [queue] }],
    ['spec.scaleTargetRef.name', '', 'spec.scaleTargetRef.name: Required value'],
    [
      'spec.scaleTargetRef.kind',
      'a/b',
      'spec.scaleTargetRef.kind: Invalid value: "a/b": may not contain \'/\'',
    ],
    ['spec.metrics', [{ type: 'Moon' }], `${m}.type: Unsupported value: "Moon": ${types}`],
    [
      'spec.metrics',
      [{ type: 'Pods' }],
      `${m}.pods: Required value: must populate information for the given metric source`,
    ],
    [
      'spec.metrics',
      [
        {
          ...cpu(50),
          pods: { metric: { name: 'x' }, target: { type: 'AverageValue', averageValue: '1' } },
        },
      ],
      `${m}.pods: Forbidden: must populate the given metric source only`,
    ],
    [
      'spec.metrics',
      [cpu(0)],
      `${m}.resource.target.averageUtilization: Invalid value: 0: must be greater than 0`,
    ],
    [
      'spec.behavior',
      { scaleUp: { policies: [{ type: 'Pods', value: 0, periodSeconds: 2000 }] } },
      'spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero',
      'spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 2000: must be less than or equal to 1800',
    ],
  ]);

  it('shows what kubectl shows', () => {
    const spec = { ...good.spec, minReplicas: 2, metrics: [cpu(80), queue, cpu(1)] };
    const created = autoscalers.create({ ...good, spec });
    const current = { name: 'cpu', current: { averageUtilization: 12 } };
    const status = {
      currentReplicas: 2,
      currentMetrics: [{ type: 'Resource', resource: current }],
    };
    assert.deepEqual(autoscalers.cells(withFields(created, { status })), {
      Name: 'h',
      Reference: 'Deployment/web',
      Targets: 'cpu: 12%/80%, <unknown>/30 (avg) + 1 more...',
      MinPods: '2',
      MaxPods: 3,
      Replicas: 2,
      Age: '60m',
    });
  });
});

describe('HorizontalPodAutoscaler in autoscaling/v1', () => {
  const old = new KindUnderTest('autoscaling/v1', 'horizontalpodautoscalers');
  const v1 = { ...good, apiVersion: 'autoscaling/v1' };
  it('has the one metric that it has a field for', () => {
    assert.deepEqual(old.create(v1).spec, {
      scaleTargetRef: target,
      minReplicas: 1,
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 80,
    });
  });
  it('shows the same as its newer form', () => {
    assert.equal(old.cells(old.create(v1)).Targets, 'cpu: <unknown>/80%');
  });
  old.refuses(v1, [['spec.scaleTargetRef.name', '', 'spec.scaleTargetRef.name: Required value']]);

  it('keeps what it has no field for in annotations', () => {
    const view = toV1(
      autoscalers.create({ ...good, spec: { ...good.spec, metrics: [queue, cpu(5)] } }),
    );
    assert.equal(objectField(view, 'spec').targetCPUUtilizationPercentage, 5);
    assert.deepEqual(view.metadata.annotations, {
      'autoscaling.alpha.kubernetes.io/metrics': JSON.stringify([queue]),
    });
  });

  it('loses nothing on the way to v1 and back', () => {
    const metric = fc.oneof(fc.integer({ min: 1, max: 99 }).map(cpu), fc.constant(queue));
    const others = fc.array(fc.constant(queue), { maxLength: 3 });
    const autoscaler = fc.record({
      first: metric,
      others,
      behavior: fc.option(fc.constant({ scaleUp: { selectPolicy: 'Min' } }), { nil: undefined }),
      annotations: fc.constantFrom(undefined, { mine: 'yes' }),
    });
    fc.assert(
      fc.property(autoscaler, ({ first, others: rest, behavior, annotations }) => {
        const spec = {
          maxReplicas: 3,
          metrics: [first, ...rest],
          ...(behavior === undefined ? {} : { behavior }),
        };
        const metadata = { name: 'h', ...(annotations === undefined ? {} : { annotations }) };
        const stored = {
          apiVersion: 'autoscaling/v2',
          kind: 'HorizontalPodAutoscaler',
          metadata,
          spec,
          status: { desiredReplicas: 1, currentReplicas: 0 },
        };
        assert.deepEqual(fromV1(toV1(stored)), stored);
      }),
    );
  });
});
