import type { JsonObject } from '@fnlet/base';
import type { RunnableRevision } from '../executor.ts';

/** Marks the Pods of a pool that have no code, and whose selector the pool's Deployment has. */
export const poolLabel = 'fnlet.dev/pool';

/** The name of the Instance that a Pod is. */
export const instanceLabel = 'fnlet.dev/instance';

/**
 * What makes a Pod of a pool the Pod of an Instance, for everybody who reads the API: a merge patch
 * (RFC 7386). Without the label of the pool its ReplicaSet lets go of it and fills the place; owned
 * by the Revision it goes when that goes.
 */
export function planClaim(revision: RunnableRevision, instance: string): JsonObject {
  return {
    metadata: {
      labels: {
        ...revision.labels,
        [poolLabel]: null,
        'app.kubernetes.io/name': revision.function,
        'fnlet.dev/function': revision.function,
        'fnlet.dev/revision': revision.revision,
        [instanceLabel]: instance,
      },
      annotations: revision.annotations,
      ownerReferences: [revision.owner],
    },
  };
}

/** The same of a Pod that has been the Revision's own from the beginning. */
export function planOwnClaim(instance: string): JsonObject {
  return { metadata: { labels: { [instanceLabel]: instance } } };
}

/**
 * Of several Pods that are one too many, a ReplicaSet ends this one (pod-deletion-cost): it takes
 * no calls any more.
 */
export function planFarewell(uid: string): JsonObject {
  const annotations = { 'controller.kubernetes.io/pod-deletion-cost': '-1000' };
  return { metadata: { uid, annotations } };
}
