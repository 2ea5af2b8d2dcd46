import type { KubeObject } from '@fnlet/machinery';
import { poolLabel } from './plan-claim.ts';
import { type PoolTerms, planRunnerPod } from './plan-runner-pod.ts';
import type { PoolSize } from './pod-supply.ts';

/** The name of the Deployment of a pool. */
export function poolName(runtime: string): string {
  return `fnlet-pool-${runtime.replaceAll('.', '-')}`;
}

/** The Deployment that keeps a pool of warm Runners full. */
export function planPool(
  { namespace, runtime, replicas }: PoolSize,
  terms: PoolTerms,
): KubeObject & {
  readonly spec: object;
} {
  const own = { 'app.kubernetes.io/managed-by': 'fnlet' };
  const labels = { ...own, [poolLabel]: runtime };
  // Those that left the pool count, too: they are the ones that serve.
  const spec = planRunnerPod(runtime, terms, { apartFrom: own });
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: poolName(runtime), namespace, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec },
    },
  };
}
