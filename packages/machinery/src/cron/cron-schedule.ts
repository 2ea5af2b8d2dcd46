import type { CronRule } from './cron-rule.ts';
import { openWallClock, type WallClock, type WallTime } from './wall-clock.ts';

/** When something is due, on the clock of a time zone. */
export interface CronSchedule {
  /** The first due time after this one, in milliseconds; `undefined`: never, or not in five years. */
  next(afterMs: number): number | undefined;
}

type CronFields = Extract<CronRule, { readonly kind: 'fields' }>;

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const horizonMs = 5 * 366 * dayMs;

/**
 * A rule on a clock. A second is due when the clock on the wall of the time zone shows it. So what
 * lies in the hour that a spring skips is not due that day, and what lies in the hour that an
 * autumn repeats is due twice: as with Kubernetes' own controller.
 *
 * @param timeZone IANA name, see {@link isTimeZone}; default the machine's own zone.
 * @throws RangeError for a time zone that is none
 */
export function openCronSchedule(rule: CronRule, timeZone?: string): CronSchedule {
  if (rule.kind === 'every') {
    const { periodMs } = rule;
    return { next: (afterMs) => Math.floor(afterMs / 1000) * 1000 + periodMs };
  }
  const wall = openWallClock(timeZone);
  return { next: (afterMs) => findNext(rule, wall, afterMs) };
}

/** Steps over what cannot be due, never by more than what surely is not. */
function findNext(fields: CronFields, wall: WallClock, afterMs: number): number | undefined {
  const fromMs = (Math.floor(afterMs / secondMs) + 1) * secondMs;
  // Walking through every minute of five years would hold up everybody else to find nothing.
  if (namesNothing(fields)) return undefined;
  const endMs = afterMs + horizonMs;
  // The offsets of all zones are whole minutes: every clock shows the seconds of UTC.
  let atMs = Math.floor(fromMs / minuteMs) * minuteMs;
  while (atMs < endMs) {
    const shown = wall(atMs);
    if (!fields.months.has(shown.month)) {
      atMs += toNextMonth(shown);
    } else if (!isDueDay(fields, shown)) {
      atMs += toNextDay(shown);
    } else if (!fields.hours.has(shown.hour)) {
      atMs += hourMs - shown.minute * minuteMs;
    } else {
      const dueMs = fields.minutes.has(shown.minute) ? dueIn(fields, atMs, fromMs) : undefined;
      if (dueMs !== undefined) return dueMs;
      atMs += minuteMs;
    }
  }
  return undefined;
}

/** A list of nothing (`,`) names no number, as Kubernetes reads it. */
function namesNothing({ seconds, minutes, hours }: CronFields): boolean {
  return seconds.size === 0 || minutes.size === 0 || hours.size === 0;
}

/** The first due second of a minute that is not before `fromMs`. */
function dueIn({ seconds }: CronFields, minute: number, fromMs: number): number | undefined {
  for (let atMs = Math.max(minute, fromMs); atMs < minute + minuteMs; atMs += secondMs) {
    if (seconds.has((atMs - minute) / secondMs)) return atMs;
  }
  return undefined;
}

function isDueDay(fields: CronFields, { day, weekday }: WallTime): boolean {
  const isDay = fields.days.has(day);
  const isWeekday = fields.weekdays.has(weekday);
  return fields.isEitherDay ? isDay || isWeekday : isDay && isWeekday;
}

// No month has fewer than 28 days; the last of those are walked one by one, as hours may be missing.
function toNextMonth(shown: WallTime): number {
  const days = 27 - shown.day;
  return days > 0 ? days * dayMs : toNextDay(shown);
}

// A day may be an hour or three shorter than it looks: the last hours are walked one by one.
function toNextDay({ hour, minute }: WallTime): number {
  const restMs = (24 - hour) * hourMs - minute * minuteMs;
  return restMs > 4 * hourMs ? restMs - 3 * hourMs : Math.min(restMs, hourMs - minute * minuteMs);
}
