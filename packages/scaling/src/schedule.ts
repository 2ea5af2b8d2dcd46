import type { Floor } from './floor.ts';

/** When something is due, on some calendar. */
export interface DueTimes {
  /** The first due time after this one, in milliseconds since the epoch, if there is one. */
  next(afterMs: number): number | undefined;
}

/** Instances that there are to be at least, from each start until the next end. */
export interface ScheduledMinimum {
  readonly min: number;
  readonly start: DueTimes;
  readonly end: DueTimes;
  /** How it is called, for a person. */
  readonly name: string;
}

export interface ScheduleDecision {
  /** The highest minimum that holds now, if one does. */
  readonly floor: Floor | undefined;
  /** When to ask again, in milliseconds since the epoch; `undefined`: nothing will change. */
  readonly untilMs: number | undefined;
}

/** Which of the minimums hold now: those that end before they begin again. */
export function decideSchedule(
  schedule: readonly ScheduledMinimum[],
  now: number,
): ScheduleDecision {
  let floor: Floor | undefined;
  let untilMs = Number.POSITIVE_INFINITY;
  for (const { min, start, end, name } of schedule) {
    const startMs = start.next(now) ?? Number.POSITIVE_INFINITY;
    const endMs = end.next(now) ?? Number.POSITIVE_INFINITY;
    untilMs = Math.min(untilMs, startMs, endMs);
    const isOpen = endMs < startMs;
    if (!isOpen || min <= (floor?.min ?? 0)) continue;
    floor = { min, reason: `the schedule ${name} wants ${min}` };
  }
  return { floor, untilMs: untilMs === Number.POSITIVE_INFINITY ? undefined : untilMs };
}
