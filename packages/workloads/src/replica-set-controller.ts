import { errorMessage } from '@fnlet/base';
import type { Cache } from '@fnlet/client';
import {
  type KubeObject,
  labelSelectorFromSpec,
  matchesLabels,
  mergeConditions,
  type ObjectKey,
  objectKey,
  type ResourceType,
  toKubeTime,
} from '@fnlet/machinery';
import {
  type Controller,
  createController,
  fromCache,
  type Result,
  toController,
} from '@fnlet/reconcile';
import { claimObjects } from './claims.ts';
import { type ControllerContext, requeueAt } from './controller-context.ts';
import { limits } from './limits.ts';
import { controllerUid } from './owner.ts';
import { planReplicas, replicaFailure } from './plan-replicas.ts';
import { type Pod, podType } from './pod.ts';
import { type ReplicaSet, replicaSetType } from './replica-set.ts';
import {
  asReplicaSet,
  type ReplicationController,
  replicationControllerType,
} from './replication-controller.ts';
import { writeStatus } from './write-status.ts';

/** A kind that is a template of Pods and their number. */
interface ReplicaKind<T extends KubeObject> {
  readonly type: ResourceType;
  readonly cache: Cache<T>;
  /** An object of it, as all of them are read here. */
  readonly read: (object: T) => ReplicaSet;
}

/** Keeps the wanted number of Pods of every ReplicaSet. */
export function createReplicaSetController(
  context: ControllerContext,
  replicaSets: Cache<ReplicaSet>,
): Controller {
  const read = (replicaSet: ReplicaSet): ReplicaSet => replicaSet;
  return createReplicaController(context, { type: replicaSetType, cache: replicaSets, read });
}

/** Keeps the wanted number of Pods of every ReplicationController, by the same rules. */
export function createReplicationControllerController(
  context: ControllerContext,
  cache: Cache<ReplicationController>,
): Controller {
  const type = replicationControllerType;
  return createReplicaController(context, { type, cache, read: asReplicaSet });
}

function createReplicaController<T extends KubeObject>(
  context: ControllerContext,
  kind: ReplicaKind<T>,
): Controller {
  const { pods, clock, logger } = context;
  const { type, cache, read } = kind;
  // A Pod that nobody controls may be one that somebody adopts.
  const ownersOf = (pod: Pod): ObjectKey[] => {
    if (controllerUid(pod) !== undefined) return toController(type)(pod);
    if (Object.keys(pod.metadata.labels ?? {}).length === 0) return [];
    return cache
      .list(pod.metadata.namespace)
      .filter((object) => {
        const selector = labelSelectorFromSpec(read(object).spec.selector);
        return matchesLabels(selector, pod.metadata.labels);
      })
      .map(objectKey);
  };
  return createController({
    name: type.plural,
    sources: [fromCache(cache), fromCache(pods, { map: ownersOf })],
    reconcile: async (key, { signal }) => {
      const object = cache.get(key);
      if (object === undefined) return undefined;
      return reconcile(context, { kind, object }, signal);
    },
    concurrency: limits.workers,
    ...{ clock, logger },
  });
}

async function reconcile<T extends KubeObject>(
  context: ControllerContext,
  { kind, object }: { readonly kind: ReplicaKind<T>; readonly object: T },
  signal: AbortSignal,
): Promise<Result | undefined> {
  const { client, pods, podControl, clock } = context;
  const replicaSet = kind.read(object);
  const { selector, template } = replicaSet.spec;
  const parts = { owner: replicaSet, selector, client: client.of<Pod>(podType), cache: pods };
  const find = async (): Promise<readonly Pod[]> =>
    (await claimObjects(parts, signal)).filter((pod) => !podControl.isDeleted(pod));
  const plan = planReplicas({ replicaSet, pods: await find(), nowMs: clock.now() });
  let failure: { reason: string; message: string } | undefined;
  try {
    for (let made = 0; made < plan.create; made++) {
      await podControl.create(replicaSet, template, { signal });
    }
  } catch (error) {
    failure = { reason: 'FailedCreate', message: errorMessage(error) };
    if (signal.aborted) throw error;
  }
  for (const pod of plan.remove) await podControl.delete(replicaSet, pod, signal);
  // What was done is part of what is told.
  const after = planReplicas({ replicaSet, pods: await find(), nowMs: clock.now() });
  const condition = replicaFailure(replicaSet, failure);
  const conditions = mergeConditions(
    replicaSet.status?.conditions ?? [],
    condition === undefined ? [] : [condition],
    toKubeTime(clock.now()),
  );
  const status = { ...after.status, ...(condition === undefined ? {} : { conditions }) };
  const target = { client: client.of<T>(kind.type), cache: kind.cache };
  await writeStatus({ ...target, object }, status, signal);
  if (failure !== undefined) return { requeueAfterMs: limits.createRetryMs };
  return requeueAt(context, after.lookAtMs);
}
