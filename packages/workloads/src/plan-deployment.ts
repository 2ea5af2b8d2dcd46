import { jsonEqual } from '@fnlet/base';
import { type ConditionUpdate, findCondition, toKubeTime } from '@fnlet/machinery';
import {
  type Deployment,
  type DeploymentStatus,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  revisionAnnotation,
  revisionHistoryAnnotation,
} from './deployment.ts';
import { mergeDeploymentConditions, planDeploymentConditions } from './deployment-conditions.ts';
import { controllerReference } from './owner.ts';
import {
  planProportional,
  planRollingStep,
  planScaleUp,
  type RolloutSets,
} from './plan-scaling.ts';
import { podTemplateHash, withHash, withoutHash } from './pod-template-hash.ts';
import { type ReplicaSet, wantedReplicas } from './replica-set.ts';
import { type RollingBounds, rollingBounds } from './rolling-bounds.ts';

export interface DeploymentSituation {
  readonly deployment: Deployment;
  /** Those that it controls. */
  readonly replicaSets: readonly ReplicaSet[];
  /** Whether Pods of other templates still run, which a Recreate waits for. */
  readonly hasOldPods: boolean;
  readonly nowMs: number;
}

/** A change to one ReplicaSet. */
export interface ReplicaSetChange {
  readonly replicaSet: ReplicaSet;
  readonly replicas: number;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface DeploymentPlan {
  /** The ReplicaSet to make. */
  readonly create: ReplicaSet | undefined;
  readonly change: readonly ReplicaSetChange[];
  /** Old ones that the history has no room for. */
  readonly remove: readonly ReplicaSet[];
  /** Number of the present rollout, for the Deployment's annotation. */
  readonly revision: string | undefined;
  readonly status: DeploymentStatus;
  /** When to look again, though nothing has happened. */
  readonly lookAtMs: number | undefined;
}

/** Decides the next step of a Deployment. */
export function planDeployment(situation: DeploymentSituation): DeploymentPlan {
  const { deployment, nowMs } = situation;
  const bounds = rollingBounds(deployment);
  const sets = sortSets(deployment, situation.replicaSets);
  const isGoing = deployment.metadata.deletionTimestamp !== undefined;
  const { paused = false } = deployment.spec;
  const revision = nextRevision(sets);
  const create = isGoing || paused ? undefined : planCreation(situation, sets, bounds);
  const scales = isGoing ? new Map<string, number>() : planScales(situation, sets, bounds);
  const change = isGoing ? [] : planChanges(deployment, { sets, scales, bounds, revision, paused });
  const current = sets.current?.metadata.name ?? create?.metadata.name;
  const counts = countReplicas(sets);
  const isNewlyFound =
    sets.current !== undefined && revisionOf(sets.current) !== revision && !paused;
  const conditions = planDeploymentConditions({
    ...{ deployment, counts, bounds, current, nowMs },
    appearance: create !== undefined ? 'created' : isNewlyFound ? 'found' : undefined,
  });
  const { generation, annotations } = deployment.metadata;
  const { collisionCount, conditions: known = [] } = deployment.status ?? {};
  const failure = replicaFailureOf(sets);
  const isSettled = counts.updatedReplicas === bounds.desired && counts.replicas === bounds.desired;
  return {
    create,
    change,
    remove: isGoing || !isSettled ? [] : planHistory(deployment, sets),
    revision: paused || isGoing ? annotations?.[revisionAnnotation] : String(revision),
    status: {
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      ...counts,
      ...(collisionCount === undefined ? {} : { collisionCount }),
      conditions: mergeDeploymentConditions(
        known.filter(({ type }) => type !== replicaFailure || failure !== undefined),
        [...conditions.updates, ...(failure === undefined ? [] : [failure])],
        toKubeTime(nowMs),
      ),
    },
    lookAtMs: conditions.lookAtMs,
  };
}

const replicaFailure = 'ReplicaFailure';

/** Why Pods are not made, as ReplicaSets say: the present one, else another (deployment/sync.go). */
function replicaFailureOf({ current, old }: RolloutSets): ConditionUpdate | undefined {
  const sets = current === undefined ? old : [current, ...old];
  for (const { status } of sets) {
    const found = findCondition(status?.conditions, replicaFailure);
    if (found?.status !== 'True') continue;
    const { lastTransitionTime: _, ...failure } = found;
    return failure;
  }
  return undefined;
}

function sortSets(deployment: Deployment, replicaSets: readonly ReplicaSet[]): RolloutSets {
  const byAge = replicaSets.toSorted(
    (a, b) =>
      compare(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
      compare(a.metadata.name, b.metadata.name),
  );
  const wanted = withoutHash(deployment.spec.template);
  const current = byAge.find(({ spec }) => jsonEqual(withoutHash(spec.template), wanted));
  return { current, old: byAge.filter((set) => set !== current) };
}

function planCreation(
  { deployment, hasOldPods }: DeploymentSituation,
  { current, old }: RolloutSets,
  bounds: RollingBounds,
): ReplicaSet | undefined {
  if (current !== undefined) return undefined;
  const isRecreate = deployment.spec.strategy?.type === 'Recreate';
  const isWaiting = hasOldPods || old.some((set) => wantedReplicas(set) > 0);
  if (isRecreate && isWaiting) return undefined;
  return newReplicaSet(deployment, {
    replicas: isRecreate ? bounds.desired : planScaleUp(undefined, old, bounds),
    annotations: setAnnotations(deployment, bounds, String(nextRevision({ current, old }))),
  });
}

/** The ReplicaSet of the present template. */
function newReplicaSet(
  deployment: Deployment,
  {
    replicas,
    annotations,
  }: { readonly replicas: number; readonly annotations: Readonly<Record<string, string>> },
): ReplicaSet {
  const { metadata, spec, status } = deployment;
  const hash = podTemplateHash(spec.template, status?.collisionCount ?? 0);
  const template = withHash(spec.template, hash);
  const { namespace } = metadata;
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${metadata.name}-${hash}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...template.metadata?.labels },
      annotations,
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas,
      ...(spec.minReadySeconds === undefined ? {} : { minReadySeconds: spec.minReadySeconds }),
      selector: {
        ...spec.selector,
        matchLabels: { ...spec.selector.matchLabels, 'pod-template-hash': hash },
      },
      template,
    },
  };
}

/** How many replicas each ReplicaSet is to have now. */
function planScales(
  { deployment, hasOldPods }: DeploymentSituation,
  sets: RolloutSets,
  bounds: RollingBounds,
): ReadonlyMap<string, number> {
  const { current, old } = sets;
  const { paused = false, strategy } = deployment.spec;
  const active = [current, ...old].filter((set) => set !== undefined && wantedReplicas(set) > 0);
  const isRescaled = active.some((set) => {
    const scaledFor = set?.metadata.annotations?.[desiredReplicasAnnotation];
    return scaledFor !== undefined && Number(scaledFor) !== bounds.desired;
  });
  const isRecreate = strategy?.type === 'Recreate';
  if ((isRescaled && !isRecreate) || paused) {
    const before = active[0]?.metadata.annotations?.[maxReplicasAnnotation];
    return planProportional(sets, bounds, Number(before ?? bounds.desired));
  }
  if (!isRecreate) return planRollingStep(sets, bounds);
  const down = new Map(old.map((set) => [set.metadata.name, 0]));
  if (current === undefined) return down;
  const mayRise = !hasOldPods && old.every((set) => wantedReplicas(set) === 0);
  if (mayRise || wantedReplicas(current) > bounds.desired) {
    down.set(current.metadata.name, bounds.desired);
  }
  return down;
}

function planChanges(
  deployment: Deployment,
  plan: {
    readonly sets: RolloutSets;
    readonly scales: ReadonlyMap<string, number>;
    readonly bounds: RollingBounds;
    readonly revision: number;
    readonly paused: boolean;
  },
): readonly ReplicaSetChange[] {
  const { sets, scales, bounds, revision, paused } = plan;
  const changes: ReplicaSetChange[] = [];
  for (const set of [...(sets.current === undefined ? [] : [sets.current]), ...sets.old]) {
    const { name, annotations: before = {} } = set.metadata;
    const replicas = scales.get(name) ?? wantedReplicas(set);
    const isCurrent = set === sets.current && !paused;
    const annotations = isCurrent
      ? { ...setAnnotations(deployment, bounds, String(revision)), ...history(set, revision) }
      : replicas > 0 || scales.has(name)
        ? boundAnnotations(bounds)
        : {};
    const isSame = Object.entries(annotations).every(([key, value]) => before[key] === value);
    if (isSame && replicas === wantedReplicas(set)) continue;
    changes.push({ replicaSet: set, replicas, annotations });
  }
  return changes;
}

/** What a ReplicaSet shows of its Deployment. */
function setAnnotations(
  { metadata }: Deployment,
  bounds: RollingBounds,
  revision: string,
): Record<string, string> {
  const own = Object.entries(metadata.annotations ?? {}).filter(
    ([key]) =>
      key !== 'kubectl.kubernetes.io/last-applied-configuration' &&
      !key.startsWith('deployment.kubernetes.io/') &&
      key !== 'deprecated.deployment.rollback.to',
  );
  return {
    ...Object.fromEntries(own),
    ...boundAnnotations(bounds),
    [revisionAnnotation]: revision,
  };
}

function boundAnnotations({ desired, maxSurge }: RollingBounds): Record<string, string> {
  return {
    [desiredReplicasAnnotation]: String(desired),
    [maxReplicasAnnotation]: String(desired + maxSurge),
  };
}

/** The number that the present template's ReplicaSet has, or is given now. */
function nextRevision({ current, old }: RolloutSets): number {
  const highest = Math.max(0, ...old.map(revisionOf));
  return current !== undefined && revisionOf(current) > highest ? revisionOf(current) : highest + 1;
}

function revisionOf({ metadata }: ReplicaSet): number {
  return Number(metadata.annotations?.[revisionAnnotation] ?? 0) || 0;
}

// One that was rolled back to keeps its earlier numbers in mind.
function history(set: ReplicaSet, revision: number): Record<string, string> {
  const before = revisionOf(set);
  if (before === 0 || before === revision) return {};
  const known = set.metadata.annotations?.[revisionHistoryAnnotation];
  return {
    [revisionHistoryAnnotation]: known === undefined ? String(before) : `${known},${before}`,
  };
}

function planHistory({ spec }: Deployment, { old }: RolloutSets): readonly ReplicaSet[] {
  const { revisionHistoryLimit = 10 } = spec;
  const gone = old.filter(
    (set) =>
      wantedReplicas(set) === 0 &&
      (set.status?.replicas ?? 0) === 0 &&
      set.metadata.deletionTimestamp === undefined,
  );
  const count = Math.max(0, gone.length - revisionHistoryLimit);
  return gone.toSorted((a, b) => revisionOf(a) - revisionOf(b)).slice(0, count);
}

function countReplicas({ current, old }: RolloutSets): {
  replicas: number;
  updatedReplicas: number;
  readyReplicas: number;
  availableReplicas: number;
  unavailableReplicas: number;
} {
  const all = [...(current === undefined ? [] : [current]), ...old];
  const sum = (of: (set: ReplicaSet) => number): number =>
    all.reduce((total, set) => total + of(set), 0);
  const availableReplicas = sum(({ status }) => status?.availableReplicas ?? 0);
  return {
    replicas: sum(({ status }) => status?.replicas ?? 0),
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: sum(({ status }) => status?.readyReplicas ?? 0),
    availableReplicas,
    unavailableReplicas: Math.max(0, sum(wantedReplicas) - availableReplicas),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
