import type { FunctionSpec, ScaleMetric } from '@fnlet/api';
import type { KubelessFunctionSpec } from '@fnlet/api/kubeless';
import { isJsonObject } from '@fnlet/base';
import { parseQuantity, quantityValue } from '@fnlet/machinery';

/** How many Instances there are, and what of the wish is not kept. */
export interface KubelessScale {
  readonly scale: FunctionSpec['scale'];
  readonly notices: readonly string[];
}

/** What Fnlet's definition allows. */
const instancesMax = 1000;

/**
 * As many Instances as the Deployment has replicas, at least one as in Kubeless; with a
 * HorizontalPodAutoscaler, between its bounds, by its use of CPU or its calls a second. With
 * `idleAfter` the function may sleep.
 */
export function planKubelessScale(
  { horizontalPodAutoscaler: autoscaler }: KubelessFunctionSpec,
  { replicas, idleAfter }: { readonly replicas?: number; readonly idleAfter?: string },
): KubelessScale {
  const bounds = readBounds(autoscaler);
  const least = bound(bounds?.min ?? replicas ?? 1);
  const min = idleAfter === undefined && replicas !== 0 ? Math.max(1, least) : 0;
  const max = Math.max(1, bound(bounds?.max ?? least), min);
  const { metrics, notices } = readMetrics(bounds?.metrics ?? []);
  return {
    scale: {
      ...{ min, max, target: 50, limit: 0, idleAfter: idleAfter ?? '60s' },
      ...(metrics.length === 0 ? {} : { metrics }),
    },
    notices,
  };
}

/** The metrics that Kubeless makes: use of CPU, and `function_calls` of the Service. */
function readMetrics(metrics: readonly unknown[]): {
  readonly metrics: readonly ScaleMetric[];
  readonly notices: readonly string[];
} {
  const read = metrics.map(readMetric);
  const known = read.filter((metric) => metric !== undefined);
  const notice =
    'horizontalPodAutoscaler: only use of CPU (Utilization) and function_calls scale here';
  return { metrics: known, notices: known.length < read.length ? [notice] : [] };
}

function readMetric(metric: unknown): ScaleMetric | undefined {
  if (!isJsonObject(metric)) return undefined;
  const { resource, object } = metric;
  if (isJsonObject(resource) && resource.name === 'cpu') {
    const { averageUtilization } = isJsonObject(resource.target) ? resource.target : {};
    // As autoscaling/v2beta1 has it, and as v2.
    const target = countOf(resource.targetAverageUtilization) ?? countOf(averageUtilization);
    return target === undefined ? undefined : { cpu: { target: targetOf(target) } };
  }
  if (!isJsonObject(object)) return undefined;
  const { metric: identifier, metricName, target, targetValue } = object;
  const name = isJsonObject(identifier) ? identifier.name : metricName;
  const value = targetValue ?? (isJsonObject(target) ? target.value : undefined);
  const quantity = parseQuantity(String(value));
  if (name !== 'function_calls' || quantity === undefined) return undefined;
  return { rps: { target: targetOf(quantityValue(quantity)) } };
}

/** What Fnlet's definition allows. */
function targetOf(value: number): number {
  return Math.min(10_000, Math.max(1, Math.round(value)));
}

function bound(count: number): number {
  return Math.min(instancesMax, Math.max(0, Math.trunc(count)));
}

/** Kubeless takes one that has a name and a target; any other counts as none. */
function readBounds(autoscaler: unknown):
  | {
      readonly min: number | undefined;
      readonly max: number | undefined;
      readonly metrics: readonly unknown[];
    }
  | undefined {
  if (!isJsonObject(autoscaler)) return undefined;
  const { metadata, spec } = autoscaler;
  if (!isJsonObject(metadata) || !metadata.name || !isJsonObject(spec)) return undefined;
  const { scaleTargetRef, minReplicas, maxReplicas, metrics } = spec;
  if (!isJsonObject(scaleTargetRef) || !scaleTargetRef.name) return undefined;
  const listed: readonly unknown[] = Array.isArray(metrics) ? metrics : [];
  return { min: countOf(minReplicas), max: countOf(maxReplicas), metrics: listed };
}

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
