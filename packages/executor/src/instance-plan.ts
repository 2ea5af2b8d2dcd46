import type { InstancePhase } from './executor.ts';

/** What the plan looks at; Instances that drain or have stopped are not among them. */
export interface PlannedInstance {
  readonly id: string;
  readonly phase: InstancePhase;
}

export interface InstancePlan {
  /** How many new Instances to start. */
  readonly start: number;
  /** Which Instances to drain. */
  readonly drain: readonly string[];
}

const usefulness: Readonly<Record<InstancePhase, number>> = {
  stopped: 0,
  draining: 0,
  backingOff: 1,
  starting: 2,
  ready: 3,
};

/**
 * What brings the Instances of one Revision to the wanted number. As a ReplicaSet does: those that
 * serve nobody go first, then the youngest.
 *
 * @param active Oldest first.
 */
export function planInstances(active: readonly PlannedInstance[], wanted: number): InstancePlan {
  const surplus = active.length - wanted;
  if (surplus <= 0) return { start: wanted - active.length, drain: [] };
  const drain = active
    .map(({ id, phase }, age) => ({ id, age, rank: usefulness[phase] }))
    .sort((a, b) => a.rank - b.rank || b.age - a.age)
    .slice(0, surplus);
  return { start: 0, drain: drain.map(({ id }) => id) };
}
