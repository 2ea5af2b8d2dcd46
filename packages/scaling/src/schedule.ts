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

/** Which of the minimums hold now: those that have begun since their last end. */
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
    if (min <= (floor?.min ?? 0) || !hasBegun(start, end, now)) continue;
    floor = { min, reason: `the schedule ${name} wants ${min}` };
  }
  return { floor, untilMs: untilMs === Number.POSITIVE_INFINITY ? undefined : untilMs };
}

/**
 * Whether there was a start since the last end. What comes next does not tell: what starts every
 * morning and ends on Fridays starts again before it ends. Where both fall together, it has ended.
 */
function hasBegun(start: DueTimes, end: DueTimes, now: number): boolean {
  for (const spanMs of lookBacksMs) {
    const fromMs = now - spanMs;
    if (!isDueBy(start, fromMs, now)) {
      if (isDueBy(end, fromMs, now)) return false;
    } else if (isDueBy(end, fromMs, now)) {
      return !isDueBy(end, lastDue(start, fromMs, now) - 1, now);
    } else return true;
  }
  return false;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/**
 * How far to look back, little first: what is due rarely takes long to be found. The last is longer
 * than from one 29th of February to the next, in a century that has none between them.
 */
const lookBacksMs = [minuteMs, 16 * minuteMs, dayMs / 4, 4 * dayMs, 64 * dayMs, 9 * 366 * dayMs];

/** So many due times are walked through before the search halves what is left. */
const stepsMax = 16;

/** The last due time that is not after `now`, to the second; there is one after `fromMs`. */
function lastDue(times: DueTimes, fromMs: number, now: number): number {
  let foundMs = times.next(fromMs) ?? now;
  for (let step = 0; step < stepsMax; step++) {
    const nextMs = times.next(foundMs) ?? Number.POSITIVE_INFINITY;
    if (nextMs > now) return foundMs;
    foundMs = nextMs;
  }
  // It is due by `foundMs`, and not again after `untilMs`.
  let untilMs = now;
  while (untilMs - foundMs > 1000) {
    const middleMs = Math.floor((foundMs + untilMs) / 2);
    const nextMs = times.next(middleMs) ?? Number.POSITIVE_INFINITY;
    if (nextMs <= now) foundMs = nextMs;
    else untilMs = middleMs;
  }
  return foundMs;
}

function isDueBy(times: DueTimes, afterMs: number, now: number): boolean {
  return (times.next(afterMs) ?? Number.POSITIVE_INFINITY) <= now;
}
