import type { JsonObject } from '@fnlet/base';

export interface AutoscaleFlags {
  readonly min: number;
  readonly max: number;
  readonly metric: 'cpu' | 'qps';
  readonly value: string;
}

/**
 * The HorizontalPodAutoscaler of a function.
 *
 * @returns a sentence where the flags make none
 */
export function planAutoscaler(
  key: { readonly name: string; readonly namespace: string },
  { min, max, metric, value }: AutoscaleFlags,
): JsonObject | string {
  if (min < 1 || max < min) return `found --min ${min} and --max ${max}, expected 1 <= min <= max`;
  const percent = Number(value);
  if (metric === 'cpu' && !(Number.isInteger(percent) && percent > 0)) {
    return `found --value ${value}, expected a percentage of CPU`;
  }
  return {
    metadata: { ...key, labels: { 'created-by': 'kubeless' } },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: key.name },
      minReplicas: min,
      maxReplicas: max,
      metrics: [metric === 'cpu' ? planCpu(percent) : planRate(key.name, value)],
    },
  };
}

function planCpu(averageUtilization: number): JsonObject {
  const target = { type: 'Utilization', averageUtilization };
  return { type: 'Resource', resource: { name: 'cpu', target } };
}

function planRate(name: string, value: string): JsonObject {
  const describedObject = { apiVersion: 'v1', kind: 'Service', name };
  const target = { type: 'Value', value };
  return {
    type: 'Object',
    object: { metric: { name: 'function_calls' }, describedObject, target },
  };
}
