import type { KubeObject } from '@fnlet/machinery';
import type { RunnableRevision } from '../executor.ts';
import { type ForeignReplicas, replicasAnnotation } from './foreign-replicas.ts';
import { type ExecutorChoice, planExecutor } from './plan-executor.ts';
import { callsPort, type PoolTerms, planRunnerPod } from './plan-runner-pod.ts';

/** Marks what belongs to a Deployment of one Revision. */
export const executorLabel = 'fnlet.dev/executor';

/** The label with the name of the Revision. */
export const revisionLabel = 'fnlet.dev/revision';

/** More than the calls of a Pod may take: the Runner says goodbye, too. */
const graceMarginSeconds = 5;

/** What runs a Revision; see {@link planExecutor}. */
export function executorOf({
  pod = {},
  serviceAccountName,
  resources,
}: Pick<RunnableRevision, 'pod' | 'serviceAccountName' | 'resources'>): ExecutorChoice {
  const { executor, development, imageOverride, mounts, settings, user } = pod;
  return planExecutor({
    ...{ executor, development, mounts, serviceAccountName, resources, imageOverride },
    pod: { ...settings, ...user },
  });
}

/**
 * The Deployment whose Pods run one Revision, and nothing else. They come without code, as those of
 * a pool do, and are given it the same way; so a new one costs a Pod's start and no build.
 *
 * @param size how many Pods; or whose number holds in place of one of Fnlet's
 */
export function planDeployment(
  revision: RunnableRevision,
  size: number | Pick<ForeignReplicas, 'said'>,
  terms: PoolTerms,
): KubeObject & { readonly spec: object } {
  const own = ownLabels(revision);
  const said = typeof size === 'number' ? String(size) : size.said;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...metadataOf(revision), annotations: { [replicasAnnotation]: said } },
    spec: {
      // Who says nothing about a field leaves it to who did (server-side apply).
      ...(typeof size === 'number' ? { replicas: size } : {}),
      selector: { matchLabels: own },
      // A Pod is ready only once it has code, and the one before it serves until then.
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      revisionHistoryLimit: 1,
      template: {
        metadata: {
          labels: {
            ...revision.labels,
            ...own,
            'app.kubernetes.io/name': revision.function,
            'fnlet.dev/function': revision.function,
          },
          annotations: revision.annotations,
        },
        spec: planOwnPod(revision, own, terms),
      },
    },
  };
}

/**
 * The core/v1 PodSpec of Pods that are made for one Revision, or for those that differ by their
 * code alone.
 *
 * @param apartFrom labels of the Pods that they are to be apart from
 */
export function planOwnPod(
  revision: RunnableRevision,
  apartFrom: Readonly<Record<string, string>>,
  terms: PoolTerms,
): object {
  const { pod = {}, serviceAccountName, resources, limits } = revision;
  return planRunnerPod(revision.runsOn ?? revision.runtime, terms, {
    image: pod.imageOverride,
    serviceAccountName,
    resources,
    mounts: pod.mounts,
    settings: pod.settings,
    user: pod.user,
    apartFrom,
    graceSeconds: Math.ceil(limits.drainMs / 1000) + graceMarginSeconds,
  });
}

/**
 * The Service that names the Pods of a Revision, in DNS and EndpointSlices. Headless: calls come
 * by the Gateway, which alone can wake it.
 */
export function planRevisionService(
  revision: RunnableRevision,
): KubeObject & { readonly spec: object } {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadataOf(revision),
    spec: {
      clusterIP: 'None',
      selector: ownLabels(revision),
      ports: [{ name: 'http', port: callsPort, targetPort: callsPort, protocol: 'TCP' }],
    },
  };
}

function metadataOf(revision: RunnableRevision): KubeObject['metadata'] {
  const { revision: name, namespace, owner } = revision;
  const labels = { ...ownLabels(revision), 'fnlet.dev/function': revision.function };
  return { name, namespace, labels, ownerReferences: [owner] };
}

function ownLabels({ revision }: RunnableRevision): Readonly<Record<string, string>> {
  return {
    'app.kubernetes.io/managed-by': 'fnlet',
    [executorLabel]: 'deployment',
    [revisionLabel]: revision,
  };
}
