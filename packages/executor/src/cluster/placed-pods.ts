import type { Clock, Logger, Random } from '@fnlet/base';
import { type Cache, type Client, createCache } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import { podType } from '../instance-pod.ts';
import { instanceLabel, poolLabel } from './plan-claim.ts';
import { executorLabel, revisionLabel } from './plan-deployment.ts';
import { poolName } from './plan-pool.ts';
import type { PodPlace } from './pod-supply.ts';
import type { TroubledPod } from './pod-trouble.ts';

export interface PlacedPodsOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** The Pods that are Fnlet's. */
export function createPlacedPods({
  client,
  clock,
  random,
  logger,
}: PlacedPodsOptions): Cache<PlacedPod> {
  return createCache<PlacedPod>({
    ...{ client, type: podType, clock, random, logger },
    labelSelector: 'app.kubernetes.io/managed-by=fnlet',
    keep: ['spec.nodeName', 'status.podIP', ...troubles],
    indexes: {
      [byInstance]: instanceOf,
      [byDeployment]: deploymentsOf,
      [byUid]: ({ metadata: { uid = '' } }) => [uid],
      [byAddress]: ({ status }) => (status?.podIP ? [status.podIP] : []),
    },
  });
}

/** The indexes of these: by the Revision of an Instance, Deployment, uid and address. */
export const byInstance = 'instance';
export const byDeployment = 'deployment';
export const byUid = 'uid';
export const byAddress = 'address';

/** What says why a Pod does not run. */
const troubles: readonly string[] = [
  ...['status.phase', 'status.reason', 'status.message', 'status.conditions'],
  ...['containerStatuses', 'initContainerStatuses'].flatMap((name) =>
    ['name', 'state', 'lastState'].map((field) => `status.${name}[*].${field}`),
  ),
];

/** A Pod, as far as it matters here. */
export interface PlacedPod extends TroubledPod {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: NonNullable<TroubledPod['status']> & { readonly podIP?: string };
}

/** The Deployment that a Pod without code was made by, `namespace/name`. */
export function deploymentsOf(pod: KubeObject): readonly string[] {
  const place = placeOf(pod);
  if (place.kind === 'own') return [place.revision];
  if (place.kind !== 'pool') return [];
  return [`${pod.metadata.namespace}/${poolName(place.pool)}`];
}

/** The Revision of which a Pod is an Instance. */
function instanceOf({ metadata }: KubeObject): readonly string[] {
  const { namespace, labels, deletionTimestamp } = metadata;
  const name = labels?.[revisionLabel];
  if (name === undefined || labels?.[instanceLabel] === undefined) return [];
  return deletionTimestamp === undefined ? [`${namespace}/${name}`] : [];
}

/** What the API shows a Pod to be for. */
export function placeOf({ metadata: { namespace, labels = {} } }: KubeObject): PodPlace {
  const { [poolLabel]: pool, [revisionLabel]: revision } = labels;
  if (revision === undefined) {
    return pool === undefined ? { kind: 'other' } : { kind: 'pool', pool };
  }
  if (labels[executorLabel] !== 'deployment') return { kind: 'other' };
  return { kind: 'own', revision: `${namespace}/${revision}` };
}
