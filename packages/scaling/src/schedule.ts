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
  const endedMs = lastDue(end, now) ?? now - lookBackMsMax;
  return isDueBy(start, endedMs, now);
}

const secondMs = 1000;
/** Longer than from one 29th of February to the next, a century that has none between them. */
const lookBackMsMax = 9 * 366 * 24 * 3_600_000;

/** The last due time that is not after now, to the second; `undefined`: none for years. */
function lastDue(times: DueTimes, now: number): number | undefined {
  let spanMs = secondMs;
  while (!isDueBy(times, now - spanMs, now)) {
    if (spanMs >= lookBackMsMax) return undefined;
    spanMs = Math.min(spanMs * 2, lookBackMsMax);
  }
  // It is due after `fromMs`, and not again after `untilMs`: half of what is left, each time.
  let fromMs = now - spanMs;
  let untilMs = now - Math.floor(spanMs / 2);
  while (untilMs - fromMs > secondMs) {
    const middleMs = Math.floor((fromMs + untilMs) / 2);
    if (isDueBy(times, middleMs, now)) fromMs = middleMs;
    else untilMs = middleMs;
  }
  return times.next(fromMs);
}

function isDueBy(times: DueTimes, afterMs: number, now: number): boolean {
  return (times.next(afterMs) ?? Number.POSITIVE_INFINITY) <= now;
}
