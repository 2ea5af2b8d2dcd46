import { errorMessage } from '@fnlet/base';
import type { Cache } from '@fnlet/client';
import {
  labelSelectorFromSpec,
  matchesLabels,
  mergeConditions,
  type ObjectKey,
  objectKey,
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
import { writeStatus } from './write-status.ts';

/** Keeps the wanted number of Pods of every ReplicaSet. */
export function createReplicaSetController(
  context: ControllerContext,
  replicaSets: Cache<ReplicaSet>,
): Controller {
  const { pods, clock, logger } = context;
  // A Pod that nobody controls may be one that somebody adopts.
  const ownersOf = (pod: Pod): ObjectKey[] => {
    if (controllerUid(pod) !== undefined) return toController(replicaSetType)(pod);
    if (Object.keys(pod.metadata.labels ?? {}).length === 0) return [];
    return replicaSets
      .list(pod.metadata.namespace)
      .filter(({ spec }) => {
        const selector = labelSelectorFromSpec(spec.selector);
        return matchesLabels(selector, pod.metadata.labels);
      })
      .map(objectKey);
  };
  return createController({
    name: 'replicasets',
    sources: [fromCache(replicaSets), fromCache(pods, { map: ownersOf })],
    reconcile: async (key, { signal }) => {
      const replicaSet = replicaSets.get(key);
      if (replicaSet === undefined) return undefined;
      return reconcile(context, { replicaSets, replicaSet }, signal);
    },
    concurrency: limits.workers,
    ...{ clock, logger },
  });
}

async function reconcile(
  context: ControllerContext,
  {
    replicaSets,
    replicaSet,
  }: { readonly replicaSets: Cache<ReplicaSet>; readonly replicaSet: ReplicaSet },
  signal: AbortSignal,
): Promise<Result | undefined> {
  const { client, pods, podControl, clock } = context;
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
  const target = { client: client.of<ReplicaSet>(replicaSetType), cache: replicaSets };
  await writeStatus({ ...target, object: replicaSet }, status, signal);
  if (failure !== undefined) return { requeueAfterMs: limits.createRetryMs };
  return requeueAt(context, after.lookAtMs);
}
