import { isJsonObject } from '@fnlet/base';
import { type KubeObject, parseQuantity, quantityValue } from '@fnlet/machinery';

/** What a Pod uses. */
export interface PodUsage {
  /** 1 is one core. */
  readonly cores: number;
  readonly memoryBytes: number;
}

/** A row of `fnlet top pods`. */
export interface PodTop {
  readonly namespace: string;
  readonly name: string;
  readonly function: string;
  readonly revision: string;
  readonly restarts: number;
  /** `undefined`: nobody has measured it yet. */
  readonly usage: PodUsage | undefined;
}

/** A row of `fnlet top`. */
export interface FunctionTop {
  readonly namespace: string;
  readonly name: string;
  readonly instances: number;
  /** Of all Instances that were measured; `undefined`: of none. */
  readonly usage: PodUsage | undefined;
}

export const topOrders = ['name', 'cpu', 'memory'] as const;

/** What rows are sorted by; the most comes first. */
export type TopOrder = (typeof topOrders)[number];

/** What all containers of a Pod use together (metrics.k8s.io PodMetrics). */
export function readPodUsage(metrics: KubeObject & { readonly containers?: unknown }): PodUsage {
  const { containers } = metrics;
  const uses = Array.isArray(containers) ? containers.filter(isJsonObject) : [];
  const sum = (name: 'cpu' | 'memory'): number =>
    uses.reduce((total, { usage }) => total + amountOf(usage, name), 0);
  return { cores: sum('cpu'), memoryBytes: sum('memory') };
}

function amountOf(usage: unknown, name: string): number {
  const found = isJsonObject(usage) ? usage[name] : undefined;
  const isAmount = typeof found === 'string' || typeof found === 'number';
  const quantity = isAmount ? parseQuantity(found) : undefined;
  return quantity === undefined ? 0 : quantityValue(quantity);
}

/** Sums Pods by Function; a Function without Pods is asleep, and has a row as well. */
export function sumByFunction(
  functions: readonly KubeObject[],
  pods: readonly PodTop[],
): readonly FunctionTop[] {
  return functions.map(({ metadata: { namespace = '', name } }) => {
    const own = pods.filter((pod) => pod.namespace === namespace && pod.function === name);
    const measured = own.flatMap(({ usage }) => usage ?? []);
    const cores = measured.reduce((total, usage) => total + usage.cores, 0);
    const memoryBytes = measured.reduce((total, usage) => total + usage.memoryBytes, 0);
    const usage = measured.length === 0 ? undefined : { cores, memoryBytes };
    return { namespace, name, instances: own.length, usage };
  });
}

/** The rows in their order; those that nobody has measured come last. */
export function sortTop<T extends Pick<PodTop, 'namespace' | 'name' | 'usage'>>(
  rows: readonly T[],
  order: TopOrder,
): readonly T[] {
  const key = ({ namespace, name }: T): string => `${namespace}/${name}`;
  const amount = ({ usage }: T): number => {
    if (usage === undefined) return -1;
    return order === 'cpu' ? usage.cores : usage.memoryBytes;
  };
  const byName = (a: T, b: T): number => (key(a) < key(b) ? -1 : 1);
  if (order === 'name') return [...rows].sort(byName);
  return [...rows].sort((a, b) => amount(b) - amount(a) || byName(a, b));
}

/** Thousandths of a core, as `kubectl top` shows them. */
export function formatCores(usage: PodUsage | undefined): string {
  return usage === undefined ? '-' : `${Math.ceil(usage.cores * 1_000)}m`;
}

/** Mebibytes, as `kubectl top` shows them. */
export function formatMemory(usage: PodUsage | undefined): string {
  return usage === undefined ? '-' : `${Math.floor(usage.memoryBytes / 1_048_576)}Mi`;
}
