import type { ConditionUpdate } from '@fnlet/machinery';
import { findCondition } from '@fnlet/machinery';
import { limits } from './limits.ts';
import { isFinished, isPodReady, isTerminating, type Pod } from './pod.ts';
import { type ReplicaSet, type ReplicaSetStatus, wantedReplicas } from './replica-set.ts';

export interface ReplicaSituation {
  readonly replicaSet: ReplicaSet;
  /** The Pods that it controls. */
  readonly pods: readonly Pod[];
  readonly nowMs: number;
}

export interface ReplicaPlan {
  /** How many Pods to make. */
  readonly create: number;
  readonly remove: readonly Pod[];
  readonly status: ReplicaSetStatus;
  /** When another Pod will have been ready for long enough. */
  readonly lookAtMs: number | undefined;
}

/** Decides which Pods a ReplicaSet makes and deletes (replicaset/replica_set.go). */
export function planReplicas({ replicaSet, pods, nowMs }: ReplicaSituation): ReplicaPlan {
  const active = pods.filter((pod) => !isFinished(pod) && !isTerminating(pod));
  const missing = wantedReplicas(replicaSet) - active.length;
  const isGoing = isTerminating(replicaSet);
  const { minReadySeconds = 0, template } = replicaSet.spec;
  const ready = active.filter(isPodReady);
  const availableAt = ready.map((pod) => readySinceMs(pod) + minReadySeconds * 1000);
  const labels = Object.entries(template.metadata?.labels ?? {});
  const isLabeled = ({ metadata }: Pod): boolean =>
    labels.every(([key, value]) => metadata.labels?.[key] === value);
  const later = availableAt.filter((atMs) => atMs > nowMs);
  const { generation } = replicaSet.metadata;
  return {
    create: isGoing ? 0 : Math.min(limits.podBurstMax, Math.max(0, missing)),
    remove: isGoing || missing >= 0 ? [] : planVictims(active, -missing),
    status: {
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      replicas: active.length,
      fullyLabeledReplicas: active.filter(isLabeled).length,
      readyReplicas: ready.length,
      availableReplicas: availableAt.length - later.length,
    },
    lookAtMs: later.length === 0 ? undefined : Math.min(...later),
  };
}

/**
 * What a failure to make or delete Pods looks like; `undefined`: as it was. One that goes on for the
 * same reason stays as it was told first (replica_set_utils.go): its message names another Pod each
 * time, and a status that changes each time would call for the next try at once.
 */
export function replicaFailure(
  { status }: ReplicaSet,
  failure: { readonly reason: string; readonly message: string } | undefined,
): ConditionUpdate | undefined {
  const known = findCondition(status?.conditions, 'ReplicaFailure');
  if (failure !== undefined) {
    const isTold = known?.status === 'True' && known.reason === failure.reason;
    return isTold ? undefined : { type: 'ReplicaFailure', status: 'True', ...failure };
  }
  return known === undefined ? undefined : { type: 'ReplicaFailure', status: 'False' };
}

const deletionCost = 'controller.kubernetes.io/pod-deletion-cost';

/**
 * The Pods to lose (controller_utils.go, ActivePodsWithRanks): those that serve nobody first, then
 * the cheapest, then those that were ready for the shortest time, restarted most, made last.
 */
export function planVictims(pods: readonly Pod[], count: number): readonly Pod[] {
  return pods.toSorted(compareWorth).slice(0, Math.min(count, limits.podBurstMax));
}

function compareWorth(a: Pod, b: Pod): number {
  const ranks: readonly ((pod: Pod) => number)[] = [
    ({ spec }) => Number((spec.nodeName ?? '') !== ''),
    ({ status }) => ({ Pending: 0, Unknown: 1, Running: 2 })[String(status?.phase)] ?? 0,
    (pod) => Number(isPodReady(pod)),
    ({ metadata }) => Number(metadata.annotations?.[deletionCost] ?? 0) || 0,
    (pod) => (isPodReady(pod) ? -readySinceMs(pod) : 0),
    (pod) => -restartCount(pod),
    ({ metadata }) => -(Date.parse(metadata.creationTimestamp ?? '') || 0),
  ];
  for (const rank of ranks) {
    const difference = rank(a) - rank(b);
    if (difference !== 0) return difference;
  }
  return a.metadata.name < b.metadata.name ? 1 : -1;
}

function restartCount({ status }: Pod): number {
  const counts = (status?.containerStatuses ?? []).map((container) => container.restartCount);
  return Math.max(0, ...counts);
}

function readySinceMs({ status }: Pod): number {
  return Date.parse(findCondition(status?.conditions, 'Ready')?.lastTransitionTime ?? '') || 0;
}
