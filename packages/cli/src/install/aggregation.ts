/** Whether the API server reaches the controller, for what it passes on to it. */
import { sleep } from '@fnlet/base';
import { type Condition, findCondition, type KubeObject } from '@fnlet/machinery';
import { clusterNames, recordGroups, recordsVersion } from '@fnlet/server/cluster/names';
import type { CliContext } from '../cli-context.ts';
import { aggregationWaitMs, installPollMs } from '../limits.ts';
import { type ClusterConnection, clusterTypes } from './cluster-connection.ts';
import type { Finding } from './finding.ts';

/** What the API server says of an APIService of Fnlet. */
export interface AggregationFact {
  readonly name: string;
  /** `undefined`: it has not said yet. */
  readonly available: boolean | undefined;
  readonly message: string;
}

/** Whether people reach what the controller answers by the cluster's API; nothing to say without. */
export function judgeAggregation(services: readonly AggregationFact[]): readonly Finding[] {
  if (services.length === 0) return [];
  const check = 'aggregation';
  const bad = services.find(({ available }) => available !== true);
  if (bad === undefined) {
    const found = `the API server reaches the controller for ${services.length} groups`;
    return [{ check, state: 'ok', found }];
  }
  const { name, available, message } = bad;
  const found =
    available === undefined
      ? `the API server does not say whether it reaches ${name}`
      : `${name}: ${message}`;
  const remedy =
    'fnlet events, calls and operator explain need it, and while it lasts namespaces are not ' +
    'deleted: let control planes reach port 8446 of Pods, or set aggregatedApi: false';
  return [{ check, state: 'warn', found, remedy }];
}

interface ApiServiceObject extends KubeObject {
  readonly spec?: { readonly service?: { readonly name?: string } | null };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** Of each group whose APIService leads to Fnlet. */
export async function readAggregation({
  client,
  signal,
}: Pick<ClusterConnection, 'client' | 'signal'>): Promise<readonly AggregationFact[]> {
  const services = client.of<ApiServiceObject>(clusterTypes.apiService);
  const names = recordGroups.map((group) => `${recordsVersion}.${group}`);
  const found = await Promise.all(
    names.map((name) => services.tryGet({ namespace: '', name }, { signal })),
  );
  return found.flatMap((service) => {
    if (service?.spec?.service?.name !== clusterNames.apiService) return [];
    const condition = findCondition(service.status?.conditions ?? [], 'Available');
    const available = condition === undefined ? undefined : condition.status === 'True';
    return [{ name: service.metadata.name, available, message: condition?.message ?? '' }];
  });
}

/**
 * Waits a moment until the API server reaches the controller that has just begun to lead, and warns
 * where it does not: a cluster whose control plane reaches no Pods cannot delete namespaces then.
 */
export async function warnOfAggregation(
  connection: Pick<ClusterConnection, 'client' | 'signal'>,
  { clock, stderr }: Pick<CliContext, 'clock' | 'stderr'>,
): Promise<void> {
  const endMs = clock.monotonicMs() + aggregationWaitMs;
  for (;;) {
    const services = await readAggregation(connection);
    // An embedded Fnlet that is the cluster does not say.
    const bad = services.filter(({ available }) => available === false);
    if (bad.length === 0) return;
    if (clock.monotonicMs() >= endMs) {
      for (const { found, remedy } of judgeAggregation(bad)) {
        stderr.write(`Warning: ${found}\n${remedy}\n`);
      }
      return;
    }
    if (!(await sleep(clock, installPollMs, connection.signal))) return;
  }
}
