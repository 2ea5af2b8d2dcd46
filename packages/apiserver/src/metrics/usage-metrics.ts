import { type KubeObject, type ObjectKey, toKubeTime } from '@fnlet/machinery';
import type { ContainerUsage, UsageReading } from '../pod/pod-runtime.ts';

/** The labels of an object; `undefined` when it is not there. */
export type FindLabels = (key: ObjectKey) => Readonly<Record<string, string>> | undefined;

/** The PodMetrics of a reading, with the labels of their Pods; of Pods that are there only. */
export function podMetrics(reading: UsageReading, labelsOf: FindLabels): readonly KubeObject[] {
  return reading.pods.flatMap(({ namespace, name, containers }) => {
    const labels = labelsOf({ namespace, name });
    if (labels === undefined) return [];
    const usages = containers.map((container) => {
      return { name: container.name, usage: usageOf(container) };
    });
    const metadata = { namespace, name, labels };
    return [metricsObject({ kind: 'PodMetrics', metadata }, reading, { containers: usages })];
  });
}

/** The NodeMetrics of a reading, with the labels of the Node if there is one. */
export function nodeMetrics(reading: UsageReading, labelsOf: FindLabels): readonly KubeObject[] {
  const { name } = reading.node;
  const labels = labelsOf({ namespace: '', name }) ?? {};
  const usage = usageOf(reading.node);
  return [metricsObject({ kind: 'NodeMetrics', metadata: { name, labels } }, reading, { usage })];
}

function metricsObject(
  { kind, metadata }: Pick<KubeObject, 'kind' | 'metadata'>,
  { atMs, windowMs }: Pick<UsageReading, 'atMs' | 'windowMs'>,
  usage: Readonly<Record<string, unknown>>,
): KubeObject {
  const timestamp = toKubeTime(atMs);
  return {
    kind,
    apiVersion: 'metrics.k8s.io/v1beta1',
    metadata: { ...metadata, creationTimestamp: timestamp },
    timestamp,
    // As Go writes a time.Duration.
    window: `${Number((windowMs / 1000).toFixed(3))}s`,
    ...usage,
  };
}

/** As metrics-server writes them: billionths of a core, and kibibytes. */
function usageOf({ cores, memoryBytes }: Omit<ContainerUsage, 'name'>): unknown {
  return { cpu: `${Math.round(cores * 1e9)}n`, memory: `${Math.round(memoryBytes / 1024)}Ki` };
}
