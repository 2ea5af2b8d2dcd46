import { isFinished, isPodReady, isTerminating, type Pod } from './pod.ts';
import { podTemplateHash } from './pod-template-hash.ts';
import { revisionHashLabel, type StatefulSet, type StatefulSetStatus } from './stateful-set.ts';

export interface StatefulSituation {
  readonly statefulSet: StatefulSet;
  /** The Pods that it controls. */
  readonly pods: readonly Pod[];
}

export interface StatefulPlan {
  /** Numbers of the Pods to make. */
  readonly create: readonly number[];
  readonly remove: readonly Pod[];
  /** What Pods that are made now are labelled with. */
  readonly revision: string;
  readonly status: StatefulSetStatus;
}

/**
 * Decides the next step of a StatefulSet (statefulset/stateful_set_control.go): Pods by number, one
 * after another unless `Parallel`; the highest go first, and are the first to be renewed.
 */
export function planStatefulSet({ statefulSet, pods }: StatefulSituation): StatefulPlan {
  const { metadata, spec } = statefulSet;
  const { replicas = 1, podManagementPolicy, ordinals = {} } = spec;
  const revision = `${metadata.name}-${podTemplateHash(spec.template, 0)}`;
  const first = ordinals.start ?? 0;
  const byNumber = new Map(pods.map((pod) => [ordinalOf(statefulSet, pod), pod]));
  const wanted = Array.from({ length: replicas }, (_, at) => first + at);
  const status = countStatus({ statefulSet, pods, revision });
  const plan = { create: [], remove: [], revision, status };
  if (isTerminating(statefulSet)) return plan;
  const isParallel = podManagementPolicy === 'Parallel';
  const failed = pods.filter((pod) => isFinished(pod) && !isTerminating(pod));
  if (failed.length > 0) return { ...plan, remove: failed };
  const missing = wanted.filter((number) => !byNumber.has(number));
  const isHealthy = (number: number): boolean => {
    const pod = byNumber.get(number);
    return pod !== undefined && isPodReady(pod) && !isTerminating(pod);
  };
  const [next] = missing;
  if (isParallel) {
    if (missing.length > 0) return { ...plan, create: missing };
  } else if (next !== undefined && wanted.every((number) => number >= next || isHealthy(number))) {
    return { ...plan, create: [next] };
  }
  const spare = pods
    .filter((pod) => !wanted.includes(ordinalOf(statefulSet, pod)))
    .toSorted((a, b) => ordinalOf(statefulSet, b) - ordinalOf(statefulSet, a));
  const alive = spare.filter((pod) => !isTerminating(pod));
  if (isParallel && alive.length > 0) return { ...plan, remove: alive };
  // One at a time, the next when the one before is gone.
  if (spare.length > 0)
    return { ...plan, remove: spare.length > alive.length ? [] : alive.slice(0, 1) };
  const isCalm = wanted.every(isHealthy);
  return { ...plan, remove: planRenewal(statefulSet, { byNumber, wanted, revision, isCalm }) };
}

/** The Pod to make anew, of another template: one at a time, from the highest number on. */
function planRenewal(
  { spec }: StatefulSet,
  parts: {
    readonly byNumber: ReadonlyMap<number, Pod>;
    readonly wanted: readonly number[];
    readonly revision: string;
    readonly isCalm: boolean;
  },
): readonly Pod[] {
  const { byNumber, wanted, revision, isCalm } = parts;
  const { type = 'RollingUpdate', rollingUpdate = {} } = spec.updateStrategy ?? {};
  if (type === 'OnDelete') return [];
  const old = wanted
    .filter((number) => number >= (rollingUpdate.partition ?? 0))
    .map((number) => byNumber.get(number))
    .filter((pod) => pod !== undefined)
    .filter(({ metadata }) => metadata.labels?.[revisionHashLabel] !== revision)
    .reverse();
  // A Pod of the old template that is not well must not hold up the new one, which may mend it.
  const broken = old.filter((pod) => !isPodReady(pod) && !isTerminating(pod));
  if (isCalm) return old.slice(0, 1);
  const others = [...byNumber.values()].filter((pod) => !broken.includes(pod));
  const onlyBroken = others.every((pod) => isPodReady(pod) && !isTerminating(pod));
  return onlyBroken ? broken.slice(0, 1) : [];
}

/** The number in a Pod's name; NaN for one that has none. */
export function ordinalOf({ metadata }: StatefulSet, pod: Pod): number {
  const suffix = pod.metadata.name.slice(metadata.name.length + 1);
  return /^\d+$/.test(suffix) ? Number(suffix) : Number.NaN;
}

function countStatus({
  statefulSet,
  pods,
  revision,
}: StatefulSituation & { readonly revision: string }): StatefulSetStatus {
  const { metadata, status, spec } = statefulSet;
  const alive = pods.filter((pod) => !isFinished(pod) && !isTerminating(pod));
  const ready = alive.filter(isPodReady).length;
  const updated = alive.filter((pod) => pod.metadata.labels?.[revisionHashLabel] === revision);
  const isDone = updated.length === (spec.replicas ?? 1) && ready === updated.length;
  const currentRevision = isDone ? revision : (status?.currentRevision ?? revision);
  const current = alive.filter(
    (pod) => pod.metadata.labels?.[revisionHashLabel] === currentRevision,
  );
  const { generation } = metadata;
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    replicas: alive.length,
    readyReplicas: ready,
    availableReplicas: ready,
    currentReplicas: current.length,
    updatedReplicas: updated.length,
    currentRevision,
    updateRevision: revision,
  };
}
