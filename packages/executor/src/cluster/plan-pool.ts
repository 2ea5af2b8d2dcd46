import { canonicalJson, sha256 } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import type { RunnableRevision } from '../executor.ts';
import { poolLabel } from './plan-claim.ts';
import { executorLabel, planOwnPod } from './plan-deployment.ts';
import { type PoolTerms, planRunnerPod } from './plan-runner-pod.ts';

/** A pool as others keep it full. */
export interface PoolSize {
  readonly namespace: string;
  /** The runtime of its Pods, or the name that a pool of one function has. */
  readonly pool: string;
  readonly replicas: number;
  /** Whether somebody waits for it. */
  readonly isPressing: boolean;
}

/** How pools are called whose Pods are made for one function; no runtime begins so. */
const ownPoolPrefix = 'fnlet-dev-';

/** Digits of the digest in the name of such a pool: there are a handful in a namespace. */
const nameDigits = 10;

const own = { 'app.kubernetes.io/managed-by': 'fnlet' };

/** Whether a pool is for one function alone, by its name. */
export function isOwnPool(pool: string): boolean {
  return pool.startsWith(ownPoolPrefix);
}

/**
 * The name of the pool whose Pods fit a Revision of a function that is developed. Revisions that
 * differ in nothing that a Pod was made with have the same.
 */
export function ownPoolOf(revision: RunnableRevision, terms: PoolTerms): string {
  const made = [revision.function, planOwnPod(revision, own, terms)];
  return `${ownPoolPrefix}${sha256(canonicalJson(made)).slice(0, nameDigits)}`;
}

/** The name of the Deployment of a pool: of a runtime, or of one function. */
export function poolName(pool: string): string {
  return isOwnPool(pool) ? pool : `fnlet-pool-${pool.replaceAll('.', '-')}`;
}

/** The Deployment that keeps a pool of warm Runners full. */
export function planPool(
  size: PoolSize,
  terms: PoolTerms,
): KubeObject & {
  readonly spec: object;
} {
  // Those that left the pool count, too: they are the ones that serve.
  return planWarmPods(size, planRunnerPod(size.pool, terms, { apartFrom: own }));
}

/** The same for a function that is developed; it goes with the Revision that used it last. */
export function planOwnPool(
  revision: RunnableRevision,
  size: PoolSize,
  terms: PoolTerms,
): KubeObject & { readonly spec: object } {
  const plan = planWarmPods(size, planOwnPod(revision, own, terms));
  const labels = {
    ...plan.metadata.labels,
    [executorLabel]: 'development',
    'fnlet.dev/function': revision.function,
  };
  return { ...plan, metadata: { ...plan.metadata, labels, ownerReferences: [revision.owner] } };
}

function planWarmPods(
  { namespace, pool, replicas }: PoolSize,
  spec: object,
): KubeObject & { readonly spec: object } {
  const labels = { ...own, [poolLabel]: pool };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: poolName(pool), namespace, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec },
    },
  };
}
