import type { JsonObject } from '@fnlet/base';
import type { FieldError, KubeObject } from '@fnlet/machinery';
import { ageColumn, type Column, nameColumn } from '../../answer/column.ts';
import { listField, objectField, textField } from '../../object/object-form.ts';
import { column, statusCount } from '../cells.ts';
import { change, changeSpec, fill } from '../fill.ts';
import { type KindRules, type Validation, validation } from '../kind-rules.ts';
import { forbidden, invalid, missing } from '../refusal.ts';
import {
  about,
  all,
  always,
  alwaysOneOf,
  child,
  each,
  fields,
  must,
  oneOf,
  type Rule,
  required,
  whenSet,
} from '../rule.ts';
import { metricCell } from './metric-cell.ts';
import { metricSpec, scaledReference } from './metric-rule.ts';

const stabilizationSecondsMax = 3600;
const periodSecondsMax = 1800;

const positive = always(0, (value) => Number(value) > 0, 'must be greater than zero');
const notNegative = must((value) => Number(value) >= 0, 'must be greater than or equal to zero');
const atMost = (most: number): Rule =>
  must((value) => Number(value) <= most, `must be less than or equal to ${most}`);

const policy: Rule = fields({
  type: alwaysOneOf('Percent', 'Pods'),
  value: positive,
  periodSeconds: all(positive, atMost(periodSecondsMax)),
});

const scalingRules: Rule = whenSet(
  fields({
    stabilizationWindowSeconds: all(notNegative, atMost(stabilizationSecondsMax)),
    selectPolicy: oneOf('Disabled', 'Max', 'Min'),
    policies: required(each(policy), 'must specify at least one Policy'),
  }),
);

/** Zero Pods say nothing about their own load, so something else must wake them (KEP-2021). */
const wakeable: Rule = about((spec, path) => {
  const metrics = listField(spec, 'metrics');
  const isExternal = metrics.some(({ type }) => type === 'Object' || type === 'External');
  if (spec.minReplicas !== 0 || isExternal) return [];
  const why =
    'must specify at least one Object or External metric to support scaling to zero replicas';
  return [forbidden(child(path, 'metrics'), why)];
});

const bounds: Rule = about(({ minReplicas, maxReplicas }, path) => {
  const most = typeof maxReplicas === 'number' ? maxReplicas : 0;
  const at = child(path, 'maxReplicas');
  const errors: FieldError[] = [];
  if (most === 0) errors.push(missing(at, 'must be set and greater than 0'));
  if (most < 0) errors.push(invalid(at, most, 'must be greater than or equal to 1'));
  if (typeof minReplicas !== 'number') return errors;
  if (minReplicas < 0) {
    const text = 'must be greater than or equal to 0';
    errors.unshift(invalid(child(path, 'minReplicas'), minReplicas, text));
  }
  if (most < minReplicas) {
    errors.push(invalid(at, most, 'must be greater than or equal to `minReplicas`'));
  }
  return errors;
});

const specRule: Rule = all(
  bounds,
  fields({
    scaleTargetRef: scaledReference,
    metrics: each(metricSpec),
    behavior: whenSet(fields({ scaleUp: scalingRules, scaleDown: scalingRules })),
  }),
  wakeable,
);

const cpuAtEighty = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};

const doubling = { type: 'Percent', value: 100, periodSeconds: 15 };
const byFour = { type: 'Pods', value: 4, periodSeconds: 15 };

function specDefaults(spec: JsonObject): JsonObject {
  const filled = fill(spec, { minReplicas: 1 });
  const metrics = listField(spec, 'metrics').length === 0 ? [cpuAtEighty] : spec.metrics;
  return change({ ...filled, metrics }, 'behavior', behaviorDefaults);
}

// Who says anything about behaviour gets the whole of it written down.
function behaviorDefaults(behavior: JsonObject): JsonObject {
  return {
    ...behavior,
    scaleUp: fill(objectField(behavior, 'scaleUp'), {
      stabilizationWindowSeconds: 0,
      selectPolicy: 'Max',
      policies: [byFour, doubling],
    }),
    scaleDown: fill(objectField(behavior, 'scaleDown'), {
      selectPolicy: 'Max',
      policies: [doubling],
    }),
  };
}

const shownMetricsMax = 2;

function targetsCell(autoscaler: KubeObject): string {
  const current = listField(objectField(autoscaler, 'status'), 'currentMetrics');
  const metrics = listField(objectField(autoscaler, 'spec'), 'metrics');
  if (metrics.length === 0) return '<none>';
  const cells = metrics.map((metric, i) => metricCell(metric, current[i]));
  const text = cells.slice(0, shownMetricsMax).join(', ');
  const more = cells.length - shownMetricsMax;
  return more > 0 ? `${text} + ${more} more...` : text;
}

function referenceCell(autoscaler: KubeObject): string {
  const reference = objectField(objectField(autoscaler, 'spec'), 'scaleTargetRef');
  return `${textField(reference, 'kind')}/${textField(reference, 'name')}`;
}

/** The columns of both versions; they speak about the newer form. */
export const autoscalerColumns: readonly Column[] = [
  nameColumn,
  column('Reference', 'What is scaled.', referenceCell),
  column('Targets', 'What is measured, and what it should be.', targetsCell),
  column('MinPods', 'No fewer Pods.', (autoscaler) => {
    const { minReplicas } = objectField(autoscaler, 'spec');
    return typeof minReplicas === 'number' ? String(minReplicas) : '<unset>';
  }),
  column(
    'MaxPods',
    'No more Pods.',
    (autoscaler) => objectField(autoscaler, 'spec').maxReplicas ?? 0,
  ),
  column('Replicas', 'Pods that are there.', statusCount('currentReplicas')),
  ageColumn,
];

/** The rules of the stored form, which both versions go by. */
export const autoscalerValidation: Validation = validation(fields({ spec: specRule }));

/** An autoscaler with its defaults, in the stored form. */
export function autoscalerDefaults(autoscaler: KubeObject): KubeObject {
  return changeSpec(autoscaler, specDefaults);
}

/** autoscaling/v2 HorizontalPodAutoscaler: the stored form. */
export const horizontalPodAutoscalerRules: KindRules = {
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  columns: autoscalerColumns,
  defaults: autoscalerDefaults,
  prepareCreate: (autoscaler) => ({
    ...autoscaler,
    status: { desiredReplicas: 0, currentMetrics: null },
  }),
  validate: autoscalerValidation,
};
