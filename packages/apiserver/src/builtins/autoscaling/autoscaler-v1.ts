import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { listField, objectField, withFields, withMetadata } from '../../object/object-form.ts';
import type { KindRules } from '../kind-rules.ts';
import {
  autoscalerColumns,
  autoscalerDefaults,
  autoscalerValidation,
  horizontalPodAutoscalerRules,
} from './horizontal-pod-autoscaler.ts';

// autoscaling/v1 is a view of autoscaling/v2: it has one field for the use of processors, and keeps
// whatever else there is in annotations, so that nothing is lost on the way there and back.

/** The annotation of each part that v1 has no field for. */
const kept = {
  metrics: 'autoscaling.alpha.kubernetes.io/metrics',
  behavior: 'autoscaling.alpha.kubernetes.io/behavior',
  currentMetrics: 'autoscaling.alpha.kubernetes.io/current-metrics',
  conditions: 'autoscaling.alpha.kubernetes.io/conditions',
} as const;

/** The v1 view of a stored autoscaler. */
export function toV1(autoscaler: KubeObject): KubeObject {
  const { metrics: _, behavior, ...spec } = objectField(autoscaler, 'spec');
  const { currentMetrics: __, conditions, ...status } = objectField(autoscaler, 'status');
  const wanted = splitProcessor(objectField(autoscaler, 'spec'), 'metrics', 'target');
  const current = splitProcessor(objectField(autoscaler, 'status'), 'currentMetrics', 'current');
  const annotations = {
    ...autoscaler.metadata.annotations,
    ...annotation('metrics', wanted.others),
    ...annotation('behavior', behavior),
    ...annotation('currentMetrics', current.others),
    ...annotation('conditions', conditions),
  };
  const hasAny = Object.keys(annotations).length > 0;
  const view = hasAny ? withMetadata(autoscaler, { annotations }) : autoscaler;
  return withFields(view, {
    apiVersion: 'autoscaling/v1',
    spec: { ...spec, ...present('targetCPUUtilizationPercentage', wanted.percent) },
    status:
      autoscaler.status === undefined
        ? undefined
        : {
            ...status,
            currentReplicas: status.currentReplicas ?? 0,
            ...present('currentCPUUtilizationPercentage', current.percent),
          },
  });
}

/** The stored form of a v1 autoscaler. */
export function fromV1(autoscaler: KubeObject): KubeObject {
  const { targetCPUUtilizationPercentage: target, ...spec } = objectField(autoscaler, 'spec');
  const { currentCPUUtilizationPercentage: current, ...status } = objectField(autoscaler, 'status');
  const own = autoscaler.metadata.annotations ?? {};
  const annotations = Object.entries(own).filter(([key]) => !isKept(key));
  const metrics = withProcessor(read(own[kept.metrics]), 'target', target);
  const currentMetrics = withProcessor(read(own[kept.currentMetrics]), 'current', current);
  const bare = withMetadata(autoscaler, {
    annotations: annotations.length === 0 ? undefined : Object.fromEntries(annotations),
  });
  return withFields(bare, {
    apiVersion: 'autoscaling/v2',
    spec: {
      ...spec,
      ...(metrics.length === 0 ? {} : { metrics }),
      ...present('behavior', read(own[kept.behavior])),
    },
    status:
      autoscaler.status === undefined
        ? undefined
        : {
            ...status,
            ...(currentMetrics.length === 0 ? {} : { currentMetrics }),
            ...present('conditions', read(own[kept.conditions])),
          },
  });
}

/** The use of processors, which v1 has a field for, and all other metrics. */
function splitProcessor(
  part: JsonObject,
  field: string,
  side: 'target' | 'current',
): { readonly percent: unknown; readonly others: readonly JsonObject[] } {
  const metrics = listField(part, field);
  const own = metrics.find((metric) => processorUse(metric, side) !== undefined);
  return {
    percent: own === undefined ? undefined : processorUse(own, side),
    others: metrics.filter((metric) => metric !== own),
  };
}

function processorUse(metric: JsonObject, side: string): unknown {
  const resource = objectField(metric, 'resource');
  const isProcessor = metric.type === 'Resource' && resource.name === 'cpu';
  return isProcessor ? objectField(resource, side).averageUtilization : undefined;
}

function withProcessor(others: unknown, side: 'target' | 'current', percent: unknown): unknown[] {
  const list: unknown[] = Array.isArray(others) ? [...others] : [];
  if (typeof percent !== 'number') return list;
  const type = side === 'target' ? { type: 'Utilization' } : {};
  const measured = { [side]: { ...type, averageUtilization: percent } };
  return [{ type: 'Resource', resource: { name: 'cpu', ...measured } }, ...list];
}

function annotation(part: keyof typeof kept, value: unknown): Readonly<Record<string, string>> {
  const isNothing = !isJsonObject(value) && !(Array.isArray(value) && value.length > 0);
  return isNothing ? {} : { [kept[part]]: JSON.stringify(value) };
}

function isKept(key: string): boolean {
  return Object.values(kept).some((name) => name === key);
}

// What a user wrote there by hand may be no JSON; then it says nothing.
function read(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function present(field: string, value: unknown): JsonObject {
  return value === undefined || value === null ? {} : { [field]: value };
}

/** autoscaling/v1 HorizontalPodAutoscaler. */
export const autoscalerV1Rules: KindRules = {
  ...horizontalPodAutoscalerRules,
  version: 'v1',
  stored: {
    apiVersion: 'autoscaling/v2',
    group: 'autoscaling',
    plural: 'horizontalpodautoscalers',
  },
  columns: autoscalerColumns.map((column) => ({
    ...column,
    cell: (autoscaler, now) => column.cell(fromV1(autoscaler), now),
  })),
  defaults: (autoscaler) => toV1(autoscalerDefaults(fromV1(autoscaler))),
  prepareCreate: (autoscaler) => ({
    ...autoscaler,
    status: { currentReplicas: 0, desiredReplicas: 0 },
  }),
  validate: (autoscaler, old, subresource) =>
    autoscalerValidation(fromV1(autoscaler), old, subresource),
  fromStored: toV1,
  toStored: fromV1,
};
