import type { ReplicaSet } from './replica-set.ts';
import { wantedReplicas } from './replica-set.ts';
import type { RollingBounds } from './rolling-bounds.ts';

/** ReplicaSets of one Deployment: the one of its present template, and the others, oldest first. */
export interface RolloutSets {
  readonly current: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
}

/** New numbers of replicas, by name of the ReplicaSet. What is not named stays. */
export type ScalePlan = ReadonlyMap<string, number>;

/**
 * One step of a rolling update (deployment/rolling.go): first the new one up as far as the surge
 * allows; else the old ones down as far as enough replicas stay available, unhealthy ones first.
 */
export function planRollingStep({ current, old }: RolloutSets, bounds: RollingBounds): ScalePlan {
  if (current === undefined) return new Map();
  const up = planScaleUp(current, old, bounds);
  if (up !== wantedReplicas(current)) return new Map([[current.metadata.name, up]]);
  return planScaleDown(current, old, bounds);
}

/** How many replicas the new ReplicaSet may have now. */
export function planScaleUp(
  current: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
  { desired, maxSurge }: RollingBounds,
): number {
  const now = current === undefined ? 0 : wantedReplicas(current);
  if (now >= desired) return desired;
  const room = desired + maxSurge - now - sum(old, wantedReplicas);
  return now + Math.max(0, Math.min(room, desired - now));
}

function planScaleDown(
  current: ReplicaSet,
  old: readonly ReplicaSet[],
  { desired, maxUnavailable }: RollingBounds,
): ScalePlan {
  const plan = new Map<string, number>();
  const left = (set: ReplicaSet): number => plan.get(set.metadata.name) ?? wantedReplicas(set);
  const minAvailable = desired - maxUnavailable;
  const unavailable = Math.max(0, wantedReplicas(current) - available(current));
  const total = wantedReplicas(current) + sum(old, wantedReplicas);
  let spare = total - minAvailable - unavailable;
  // What is not available serves nobody: it goes first, and costs no availability.
  for (const set of old) {
    const broken = Math.max(0, wantedReplicas(set) - available(set));
    const count = Math.max(0, Math.min(spare, broken));
    if (count > 0) plan.set(set.metadata.name, wantedReplicas(set) - count);
    spare -= count;
  }
  let healthy = available(current) + sum(old, available) - minAvailable;
  for (const set of old) {
    const count = Math.max(0, Math.min(healthy, spare, left(set)));
    if (count > 0) plan.set(set.metadata.name, left(set) - count);
    healthy -= count;
    spare -= count;
  }
  return plan;
}

/**
 * Another number of replicas in the middle of a rollout (deployment/sync.go, scale): every
 * ReplicaSet gets its share, so that the rollout is as far as it was; with one that is active, that
 * one alone.
 *
 * @param before the number that they were scaled for last, surge included.
 */
export function planProportional(
  sets: RolloutSets,
  bounds: RollingBounds,
  before: number,
): ScalePlan {
  const all = [...(sets.current === undefined ? [] : [sets.current]), ...sets.old.toReversed()];
  const active = all.filter((set) => wantedReplicas(set) > 0);
  const [only = all[0]] = active;
  if (active.length <= 1) {
    return only === undefined ? new Map() : new Map([[only.metadata.name, bounds.desired]]);
  }
  const target = bounds.desired > 0 ? bounds.desired + bounds.maxSurge : 0;
  const now = sum(active, wantedReplicas);
  let rest = target - now;
  const plan = new Map<string, number>();
  // The largest first: rounding costs it least.
  for (const set of active.toSorted((a, b) => wantedReplicas(b) - wantedReplicas(a))) {
    const share =
      Math.round((wantedReplicas(set) * target) / Math.max(1, before)) - wantedReplicas(set);
    const change =
      rest > 0 ? Math.min(rest, Math.max(0, share)) : Math.max(rest, Math.min(0, share));
    plan.set(set.metadata.name, Math.max(0, wantedReplicas(set) + change));
    rest -= change;
  }
  const [first] = active.toSorted((a, b) => wantedReplicas(b) - wantedReplicas(a));
  if (first !== undefined && rest !== 0) {
    const { name } = first.metadata;
    plan.set(name, Math.max(0, (plan.get(name) ?? 0) + rest));
  }
  return plan;
}

function available({ status }: ReplicaSet): number {
  return status?.availableReplicas ?? 0;
}

function sum(sets: readonly ReplicaSet[], of: (set: ReplicaSet) => number): number {
  return sets.reduce((total, set) => total + of(set), 0);
}
