import { tryParseDuration } from '@fnlet/base';
import { WorkloadsError } from './workloads-error.ts';

/** When a CronJob is due. */
export interface CronSchedule {
  /** The first due time after this one, in milliseconds; `undefined`: never, or not in five years. */
  next(afterMs: number): number | undefined;
}

interface CronFields {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  /** Unless one of them is `*`, a day is due that either of them names. */
  readonly isEitherDay: boolean;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const horizonMs = 5 * 366 * dayMs;

const macros: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

const monthNames = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ');
const weekdayNames = 'SUN MON TUE WED THU FRI SAT'.split(' ');

/**
 * Reads a schedule in the language of Kubernetes (github.com/robfig/cron, standard parser): five
 * fields, names of months and weekdays, lists, ranges, steps, `@daily` and the like, `@every 1h`.
 *
 * A minute is due when the clock on the wall of the time zone shows it. So what lies in the hour
 * that a spring skips is not due that day, and what lies in the hour that an autumn repeats is due
 * twice: as with Kubernetes' own controller.
 *
 * @param timeZone IANA name; default the machine's own zone.
 * @throws WorkloadsError `InvalidSchedule`
 */
export function parseCronSchedule(text: string, timeZone?: string): CronSchedule {
  const wall = openWallClock(timeZone);
  const trimmed = text.trim();
  const every = /^@every\s+(.+)$/.exec(trimmed)?.[1];
  if (every !== undefined) return everySchedule(text, every);
  const fields = parseFields(text, macros.get(trimmed) ?? trimmed);
  return { next: (afterMs) => findNext(fields, wall, afterMs) };
}

function everySchedule(text: string, every: string): CronSchedule {
  const periodMs = tryParseDuration(every);
  if (periodMs === undefined || periodMs < 1000)
    throw invalid(text, 'a duration of a second or more');
  const stepMs = Math.floor(periodMs / 1000) * 1000;
  return { next: (afterMs) => Math.floor(afterMs / 1000) * 1000 + stepMs };
}

function parseFields(text: string, expanded: string): CronFields {
  const parts = expanded.split(/\s+/);
  if (parts.length !== 5) throw invalid(text, `5 fields, found ${parts.length}`);
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = parts;
  const isStar = (part: string): boolean => /^[*?]/.test(part);
  const parse = (part: string, bounds: FieldBounds): ReadonlySet<number> => {
    const values = parseField(part, bounds);
    if (values === undefined) throw invalid(text, `numbers from ${bounds.min} to ${bounds.max}`);
    return values;
  };
  return {
    minutes: parse(minute, { min: 0, max: 59, names: [] }),
    hours: parse(hour, { min: 0, max: 23, names: [] }),
    days: parse(day, { min: 1, max: 31, names: [] }),
    months: parse(month, { min: 1, max: 12, names: monthNames }),
    weekdays: parse(weekday, { min: 0, max: 6, names: weekdayNames }),
    isEitherDay: !isStar(day) && !isStar(weekday),
  };
}

interface FieldBounds {
  readonly min: number;
  readonly max: number;
  /** Words for the numbers from `min` on. */
  readonly names: readonly string[];
}

function parseField(text: string, bounds: FieldBounds): ReadonlySet<number> | undefined {
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const [range = '', step, ...rest] = part.split('/');
    const size = step === undefined ? 1 : /^\d+$/.test(step) ? Number(step) : 0;
    const ends = parseRange(range, bounds, step !== undefined);
    if (ends === undefined || size < 1 || rest.length > 0) return undefined;
    for (let value = ends.from; value <= ends.to; value += size) values.add(value);
  }
  return values;
}

function parseRange(
  text: string,
  bounds: FieldBounds,
  hasStep: boolean,
): { readonly from: number; readonly to: number } | undefined {
  const { min, max, names } = bounds;
  if (text === '*' || text === '?') return { from: min, to: max };
  const read = (word: string): number => {
    const named = names.indexOf(word.toUpperCase());
    if (named >= 0) return named + min;
    return /^\d{1,2}$/.test(word) ? Number(word) : Number.NaN;
  };
  const [first = '', last, ...rest] = text.split('-');
  const from = read(first);
  // `5/15` means from 5 on.
  const to = last !== undefined ? read(last) : hasStep ? max : from;
  return rest.length === 0 && from >= min && to <= max && from <= to ? { from, to } : undefined;
}

function invalid(text: string, expected: string): WorkloadsError {
  const message = `Cannot read schedule "${text}": expected ${expected}`;
  const remedy = 'Write it like "*/5 * * * *", or "@hourly"';
  return new WorkloadsError('InvalidSchedule', message, { remedy });
}

/** What a clock on the wall of a time zone shows. */
interface WallTime {
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
}

type WallClock = (atMs: number) => WallTime;

function openWallClock(timeZone: string | undefined): WallClock {
  const format = openFormat(timeZone);
  return (atMs) => {
    const shown = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
    const number = (type: Intl.DateTimeFormatPartTypes): number => Number(shown.get(type));
    const weekday = weekdayNames.indexOf((shown.get('weekday') ?? '').toUpperCase());
    return {
      ...{ month: number('month'), day: number('day'), weekday },
      ...{ hour: number('hour'), minute: number('minute') },
    };
  };
}

function openFormat(timeZone: string | undefined): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      ...(timeZone === undefined ? {} : { timeZone }),
      hourCycle: 'h23',
      ...{ month: 'numeric', day: 'numeric', weekday: 'short', hour: 'numeric', minute: 'numeric' },
    });
  } catch (cause) {
    const message = `Cannot use time zone "${timeZone}": expected a name such as Europe/Berlin`;
    throw new WorkloadsError('InvalidSchedule', message, { cause });
  }
}

/** Steps over what cannot be due, never by more than what surely is not. */
function findNext(fields: CronFields, wall: WallClock, afterMs: number): number | undefined {
  let atMs = (Math.floor(afterMs / minuteMs) + 1) * minuteMs;
  const endMs = afterMs + horizonMs;
  while (atMs < endMs) {
    const shown = wall(atMs);
    if (!isDueDay(fields, shown)) {
      atMs += toNextDay(shown);
    } else if (!fields.hours.has(shown.hour)) {
      atMs += hourMs - shown.minute * minuteMs;
    } else if (!fields.minutes.has(shown.minute)) {
      atMs += minuteMs;
    } else {
      return atMs;
    }
  }
  return undefined;
}

function isDueDay(fields: CronFields, { month, day, weekday }: WallTime): boolean {
  if (!fields.months.has(month)) return false;
  const isDay = fields.days.has(day);
  const isWeekday = fields.weekdays.has(weekday);
  return fields.isEitherDay ? isDay || isWeekday : isDay && isWeekday;
}

// A day may be an hour or three shorter than it looks: the last hours are walked one by one.
function toNextDay({ hour, minute }: WallTime): number {
  const restMs = (24 - hour) * hourMs - minute * minuteMs;
  return restMs > 4 * hourMs ? restMs - 3 * hourMs : Math.min(restMs, hourMs - minute * minuteMs);
}
