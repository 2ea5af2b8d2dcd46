import {
  formatQuantity,
  type LabelSelectorSpec,
  parseQuantity,
  quantityValue,
} from '@fnlet/machinery';
import type { Pod } from '../pod.ts';
import type { MetricSpec, MetricTarget } from './horizontal-pod-autoscaler.ts';
import { type PodUse, usedBy } from './pod-use.ts';
import { replicasForNumber } from './replicas-for-number.ts';
import { replicasForUse, type UseVerdict } from './replicas-for-use.ts';

/** What the target and its surroundings are at a moment. */
export interface MetricSituation {
  readonly namespace: string;
  readonly pods: readonly Pod[];
  /** What Pods use, or why nobody knows. */
  readonly uses: readonly PodUse[] | string;
  /** What metrics APIs tell; of a metric that is not there, nobody tells anything. Default: none. */
  readonly numbers?: ReadonlyMap<MetricSpec, ReadNumber>;
  /** Replicas that are wanted now. */
  readonly current: number;
  readonly tolerance: { readonly up: number; readonly down: number };
  readonly now: number;
}

/** A number in thousandths, or why it is not known. */
export type ReadNumber = { readonly milli: number } | { readonly error: string };

/** What one metric asks for. */
export type MetricVerdict =
  | {
      readonly kind: 'measured';
      readonly replicas: number;
      /** As it is called in reasons. */
      readonly name: string;
      /** Its entry in `status.currentMetrics`. */
      readonly status: object;
    }
  | {
      readonly kind: 'failed';
      /** Of the condition `ScalingActive`. */
      readonly reason: string;
      /** Of the Event. */
      readonly error: string;
      /** As the failures of all metrics are summed up. */
      readonly summary: string;
    };

/** Measures one metric of an autoscaler, in the words of Kubernetes. */
export function measureMetric(spec: MetricSpec, situation: MetricSituation): MetricVerdict {
  const { resource, containerResource, pods, object, external } = spec;
  switch (spec.type) {
    case 'Resource':
      return resource === undefined ? unknownType(spec) : measureResource(resource, situation);
    case 'ContainerResource':
      return containerResource === undefined
        ? unknownType(spec)
        : measureResource(containerResource, situation);
    case 'Pods': {
      const error = `unable to get metric ${pods?.metric.name}: ${whyNoCustom(spec, situation)}`;
      return failed('FailedGetPodsMetric', error, `failed to get pods metric value: ${error}`);
    }
    case 'Object':
      return object === undefined ? unknownType(spec) : measureObject(spec, object, situation);
    case 'External':
      return external === undefined
        ? unknownType(spec)
        : measureExternal(spec, external, situation);
    default:
      return unknownType(spec);
  }
}

const noCustomMetrics =
  'unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered';

/** Why there is no number of the custom metrics API for a metric. */
function whyNoCustom(spec: MetricSpec, { numbers }: MetricSituation): string {
  const found = numbers?.get(spec);
  if (found === undefined || !('error' in found)) return noCustomMetrics;
  return `unable to fetch metrics from custom metrics API: ${found.error}`;
}

function measureObject(
  spec: MetricSpec,
  { metric, describedObject, target }: NonNullable<MetricSpec['object']>,
  situation: MetricSituation,
): MetricVerdict {
  const { kind, name } = describedObject;
  const found = situation.numbers?.get(spec);
  if (found === undefined || 'error' in found) {
    const why = whyNoCustom(spec, situation);
    // In the order in which kubernetes prints it.
    const on = `${kind} on ${situation.namespace} ${name}`;
    const error = `unable to get metric ${metric.name}: ${on}/${why}`;
    return failed('FailedGetObjectMetric', error, `failed to get object metric value: ${error}`);
  }
  const { replicas, current } = shareNumber(found.milli, target, situation);
  const status = { type: 'Object', object: { metric, describedObject, current } };
  return { kind: 'measured', replicas, name: `${kind} metric ${metric.name}`, status };
}

function measureExternal(
  spec: MetricSpec,
  { metric, target }: NonNullable<MetricSpec['external']>,
  situation: MetricSituation,
): MetricVerdict {
  const { name, selector } = metric;
  const found = situation.numbers?.get(spec);
  if (found === undefined || 'error' in found) {
    const why =
      found === undefined
        ? `the server could not find the requested resource (get ${name}.external.metrics.k8s.io)`
        : found.error;
    const what = `${situation.namespace}/${name}/${formatSelector(selector)}`;
    const error = `unable to get external metric ${what}: unable to fetch metrics from external metrics API: ${why}`;
    const summary = `failed to get ${name} external metric value: ${error}`;
    return failed('FailedGetExternalMetric', error, summary);
  }
  const { replicas, current } = shareNumber(found.milli, target, situation);
  const called = `external metric ${name}(${formatSelector(selector)})`;
  const status = { type: 'External', external: { metric, current } };
  return { kind: 'measured', replicas, name: called, status };
}

function shareNumber(
  milli: number,
  { value, averageValue }: MetricTarget = {},
  situation: MetricSituation,
): { readonly replicas: number; readonly current: object } {
  const kind = averageValue === undefined ? 'value' : 'averageValue';
  const target = { kind, milli: toMilli(averageValue ?? value ?? '0') } as const;
  const verdict = replicasForNumber({ ...situation, milli, target });
  return { replicas: verdict.replicas, current: { [kind]: formatMilli(verdict.milli) } };
}

interface ResourceSource {
  readonly name: string;
  readonly container?: string;
  readonly target: MetricTarget;
}

function measureResource(source: ResourceSource, situation: MetricSituation): MetricVerdict {
  const { name, container, target } = source;
  const isContainer = container !== undefined;
  const reason = isContainer ? 'FailedGetContainerResourceMetric' : 'FailedGetResourceMetric';
  const found = useOf(source, situation);
  if (typeof found === 'string') {
    const what = target.averageValue === undefined ? 'utilization' : 'usage';
    const error = `failed to get ${name} ${what}: ${found}`;
    return failed(reason, error, error);
  }
  const { replicas, utilization, averageMilli } = found;
  const type = isContainer ? 'ContainerResource' : 'Resource';
  const field = isContainer ? 'containerResource' : 'resource';
  const averageValue = formatMilli(averageMilli);
  const current = {
    ...(utilization === undefined ? {} : { averageUtilization: utilization }),
    averageValue,
  };
  const status = { type, [field]: { name, ...(isContainer ? { container } : {}), current } };
  const base = isContainer ? `${name} container resource` : `${name} resource`;
  const called = utilization === undefined ? base : `${base} utilization (percentage of request)`;
  return { kind: 'measured', replicas, name: called, status };
}

function useOf(source: ResourceSource, situation: MetricSituation): UseVerdict | string {
  const { name: resource, container, target } = source;
  const { uses, pods, current, tolerance, now } = situation;
  if (typeof uses === 'string') return `unable to get metrics for resource ${resource}: ${uses}`;
  const metrics = usedBy(uses, resource, container);
  if (typeof metrics === 'string') {
    return `unable to get metrics for resource ${resource}: failed to get container metrics: ${metrics}`;
  }
  const common = { pods, metrics, resource, current, tolerance, now };
  if (target.averageValue !== undefined) {
    return replicasForUse({ ...common, requests: undefined, target: toMilli(target.averageValue) });
  }
  const requests = requestsOf(pods, resource, container);
  if (typeof requests === 'string') return requests;
  return replicasForUse({ ...common, requests, target: target.averageUtilization ?? 0 });
}

/** What each Pod requests, in thousandths, or which container requests nothing. */
function requestsOf(
  pods: readonly Pod[],
  resource: string,
  container: string | undefined,
): ReadonlyMap<string, number> | string {
  const requests = new Map<string, number>();
  for (const { metadata, spec } of pods) {
    let sum = 0;
    for (const { name, resources } of spec.containers) {
      if (container !== undefined && name !== container) continue;
      const request = resources?.requests?.[resource];
      if (request === undefined) {
        return `missing request for ${resource} in container ${name} of Pod ${metadata.name}`;
      }
      sum += toMilli(request);
    }
    requests.set(metadata.name, sum);
  }
  return requests;
}

function unknownType({ type }: MetricSpec): MetricVerdict {
  const error = `unknown metric source type "${type}"`;
  return failed('InvalidMetricSourceType', error, error);
}

function failed(reason: string, error: string, summary: string): MetricVerdict {
  return { kind: 'failed', reason, error, summary };
}

/** As Go prints a selector. */
function formatSelector(selector: LabelSelectorSpec | undefined): string {
  if (selector === undefined) return 'nil';
  const labels = Object.entries(selector.matchLabels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`);
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join(' ')}},MatchExpressions:[]LabelSelectorRequirement{},}`;
}

function toMilli(quantity: string | number): number {
  const parsed = parseQuantity(quantity);
  return parsed === undefined ? 0 : Math.round(quantityValue(parsed) * 1000);
}

function formatMilli(milli: number): string {
  const quantity = parseQuantity(`${milli}m`);
  return quantity === undefined ? '0' : formatQuantity(quantity);
}
