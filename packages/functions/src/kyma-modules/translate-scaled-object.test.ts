import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ScaledObjectTranslation, translateScaledObject } from './translate-scaled-object.ts';

const scaleTargetRef = {
  ...{ apiVersion: 'serverless.kyma-project.io/v1alpha2', kind: 'Function', name: 'shop' },
};
const cpu = { type: 'cpu', metricType: 'Utilization', metadata: { value: '50' } };

function translate(spec: object, metadata: object = {}): ScaledObjectTranslation {
  return translateScaledObject({
    apiVersion: 'keda.sh/v1alpha1',
    kind: 'ScaledObject',
    metadata: { name: 'shop', namespace: 'default', ...metadata },
    spec: { scaleTargetRef, triggers: [cpu], ...spec },
  });
}

type Translated = Extract<ScaledObjectTranslation, { readonly kind: 'translated' }>;

function translated(spec: object, metadata?: object): Translated {
  const translation = translate(spec, metadata);
  assert.ok(translation.kind === 'translated', JSON.stringify(translation));
  return translation;
}

test('translateScaledObject() scales by CPU within its bounds', () => {
  const { target, scale, notices } = translated({ minReplicaCount: 5, maxReplicaCount: 10 });
  assert.equal(target, 'shop');
  assert.deepEqual(scale, {
    ...{ min: 5, max: 10, target: 50, limit: 0, idleAfter: '300s' },
    metrics: [{ cpu: { target: 50 } }],
  });
  assert.deepEqual(notices, []);
});

test("translateScaledObject() has KEDA's defaults, and lets Functions sleep", () => {
  const { scale } = translated({ cooldownPeriod: 30 });
  assert.deepEqual([scale.min, scale.max, scale.idleAfter], [0, 100, '30s']);
});

test('translateScaledObject() knows times, and queries of Prometheus', () => {
  const cron = {
    type: 'cron',
    metadata: {
      ...{ timezone: 'Europe/Berlin', start: '0 8 * * *', end: '0 18 * * *' },
      desiredReplicas: '3',
    },
  };
  const prometheus = {
    type: 'prometheus',
    metadata: {
      ...{ serverAddress: 'http://prometheus:9090', metricName: 'requests_total' },
      ...{ query: 'sum(rate(requests_total[2m]))', threshold: '6.5' },
    },
  };
  const { scale, notices } = translated({ triggers: [cron, prometheus] });
  assert.deepEqual(scale.schedule, [
    { start: '0 8 * * *', end: '0 18 * * *', timeZone: 'Europe/Berlin', min: 3 },
  ]);
  const { serverAddress: url, query, metricName: name } = prometheus.metadata;
  assert.deepEqual(scale.metrics, [{ prometheus: { name, url, query, target: 7 } }]);
  assert.deepEqual(notices, ['triggers: the threshold 6.5 counts as 7']);
});

test('translateScaledObject() keeps rates of change, and the number of one that is paused', () => {
  const behavior = { scaleDown: { stabilizationWindowSeconds: 60 } };
  const advanced = { horizontalPodAutoscalerConfig: { behavior } };
  assert.deepEqual(translated({ advanced }).scale.behavior, behavior);
  const annotations = { 'autoscaling.keda.sh/paused-replicas': '2' };
  const { min, max } = translated({}, { annotations }).scale;
  assert.deepEqual([min, max], [2, 2]);
});

test('translateScaledObject() leaves out what it has no numbers of, and says so', () => {
  const kafka = { type: 'kafka', metadata: { lagThreshold: '5' } };
  const { notices } = translated({ triggers: [cpu, kafka], pollingInterval: 5 });
  assert.match(notices[0] ?? '', /^triggers: kafka is left out: a Trigger with the source kafka/);
  assert.match(notices[1] ?? '', /^pollingInterval/);
});

const refused: readonly [string, object, RegExp][] = [
  ['numbers of others alone', { triggers: [{ type: 'redis' }] }, /by which anything scales here/],
  [
    'a Deployment',
    { scaleTargetRef: { name: 'web' } },
    /found apps\/v1 Deployment, expected a Function of Kyma/,
  ],
  ['more at least than at most', { minReplicaCount: 11, maxReplicaCount: 10 }, /min must not be/],
  ['no number at a time', { triggers: [{ type: 'cron', metadata: { start: '@daily' } }] }, /scale/],
  ['no triggers', { triggers: undefined }, /triggers/],
];
for (const [title, spec, reason] of refused) {
  test(`translateScaledObject() refuses ${title}`, () => {
    const translation = translate(spec);
    assert.ok(translation.kind === 'refused');
    assert.match(translation.reasons.join('\n'), reason);
  });
}
