import type { ResolvedScale } from '@fnlet/api';
import type { Floor } from '@fnlet/scaling';
import { percentOf, type Share } from './share.ts';

/** The Instances of one Revision. */
export interface Capacity {
  /** Those that take calls, or will soon. */
  readonly present: number;
  readonly ready: number;
  /** How many its calls need. */
  readonly needed: number;
}

/** What a Revision lacks before it gets its share. */
export interface Shortage {
  readonly revision: string;
  readonly ready: number;
  readonly needed: number;
}

/** What a move of calls asks for. */
export interface Shift {
  /** Instances that all the calls of the Function need. */
  readonly total: number;
  /** By the name of each Revision that gets more than it has: the Instances that it needs then. */
  readonly needs: ReadonlyMap<string, number>;
  /** The first that has not got them; the move waits for it. */
  readonly shortage: Shortage | undefined;
}

/**
 * Whether calls can move: a Revision gets more of them only once it has, ready, its part of the
 * Instances that all the calls need (Knative's rollouts do not wait for that: knative/serving#16649).
 * It goes by demand, and not by the Instances that there are: those that a Revision gets for its
 * new share would ask for more of them. Where everything sleeps nothing is needed, and nothing
 * wakes.
 */
export function planShift(options: {
  readonly live: readonly Share[];
  readonly wanted: readonly Share[];
  readonly capacityOf: (revision: string) => Capacity;
  /** Of the Function; no more than `max` is ever waited for. */
  readonly scale: { readonly min: number; readonly max: number };
  /** What was needed a moment ago, when Revisions served that do not any more. */
  readonly before: number;
}): Shift {
  const { live, wanted, capacityOf, scale, before } = options;
  const serving = namesOf(live).filter((name) => percentOf(live, name) > 0);
  const isAwake = serving.some((name) => capacityOf(name).present > 0);
  const called = serving.reduce((sum, name) => sum + capacityOf(name).needed, 0);
  const total = isAwake ? Math.min(scale.max, Math.max(1, scale.min, called, before)) : 0;
  const needs = new Map<string, number>();
  let shortage: Shortage | undefined;
  for (const name of namesOf(wanted)) {
    const percent = percentOf(wanted, name);
    if (percent <= percentOf(live, name)) continue;
    const needed = Math.ceil((total * percent) / 100);
    const { ready } = capacityOf(name);
    needs.set(name, needed);
    if (ready < needed) shortage ??= { revision: name, ready, needed };
  }
  return { total, needs, shortage };
}

/**
 * How a Revision scales by itself: its part of the Instances of the Function. Whoever is called by
 * a tag alone may have as many as the Function.
 *
 * @param reserved Instances that it is to have ready for calls that are about to come
 */
export function planShareScale(
  scale: ResolvedScale,
  percent: number,
  reserved: number,
): ResolvedScale {
  if (percent === 100 && reserved === 0) return scale;
  const part = (count: number): number => Math.ceil((count * percent) / 100);
  const max = percent === 0 ? scale.max : Math.max(1, part(scale.max), reserved);
  return { ...scale, min: Math.min(Math.max(part(scale.min), reserved), max), max };
}

/** The minimums of a Revision: its part of those of the Function. */
export function planShareFloors(floors: readonly Floor[], percent: number): readonly Floor[] {
  return floors.map((floor) => ({ ...floor, min: Math.ceil((floor.min * percent) / 100) }));
}

function namesOf(shares: readonly Share[]): readonly string[] {
  return [...new Set(shares.map(({ revision }) => revision.name))];
}
