import { isJsonObject, tryParseDuration } from '@fnlet/base';
import { type KubeObject, parseQuantity, quantityValue, type ResourceType } from '@fnlet/machinery';
import type { PodMetric } from './group-pods.ts';

/** What the containers of one Pod use (metrics.k8s.io/v1beta1 PodMetrics). */
export interface PodUse {
  readonly namespace: string;
  readonly name: string;
  readonly atMs: number;
  readonly windowMs: number;
  /** By container: thousandths of each resource. */
  readonly containers: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

export const podMetricsType: ResourceType = {
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  kind: 'PodMetrics',
  plural: 'pods',
  namespaced: true,
};

/** Reads PodMetrics; what is not there counts as not measured. */
export function parsePodUse(object: KubeObject): PodUse {
  const { timestamp, window, containers } = object;
  const list: readonly unknown[] = Array.isArray(containers) ? containers : [];
  const used = list.filter(isJsonObject).map(({ name, usage }) => {
    const amounts = Object.entries(isJsonObject(usage) ? usage : {}).flatMap(([resource, text]) => {
      const quantity = parseQuantity(String(text));
      if (quantity === undefined) return [];
      return [[resource, Math.ceil(quantityValue(quantity) * 1000)] as const];
    });
    return [String(name), new Map(amounts)] as const;
  });
  return {
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name,
    atMs: Date.parse(String(timestamp)),
    windowMs: tryParseDuration(String(window)) ?? 0,
    containers: new Map(used),
  };
}

/** What each Pod uses of a resource, or one of its containers; a text says which is not there. */
export function usedBy(
  uses: readonly PodUse[],
  resource: string,
  container: string | undefined,
): ReadonlyMap<string, PodMetric> | string {
  const metrics = new Map<string, PodMetric>();
  for (const { namespace, name, atMs, windowMs, containers } of uses) {
    if (container !== undefined && !containers.has(container)) {
      return `container ${container} not present in metrics for pod ${namespace}/${name}`;
    }
    const chosen = [...containers].filter(([own]) => container === undefined || own === container);
    const amounts = chosen.flatMap(([, amountsOf]) => amountsOf.get(resource) ?? []);
    if (chosen.length === 0 || amounts.length < chosen.length) continue;
    const milli = amounts.reduce((sum, amount) => sum + amount, 0);
    metrics.set(name, { milli, atMs, windowMs });
  }
  return metrics;
}
