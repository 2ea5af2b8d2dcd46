/**
 * Schedules beside two libraries of others, and on the days on which clocks are changed beside a
 * clock on the wall that is looked at minute by minute: there each library has a rule of its own,
 * and that of Kubernetes is another one.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Random, randomInt, seededRandom } from '@fnlet/base';
import { CronExpressionParser } from 'cron-parser';
import { Cron } from 'croner';
import { openCronSchedule, parseCronRule } from '../src/cron/index.ts';

const minuteMs = 60_000;
const expressions = 10_000;
const onChangeDays = 3_000;

/** Zones with whole, half and quarter hours, with summers of an hour, of half an hour, without. */
const changes: Readonly<Record<string, readonly string[]>> = {
  UTC: ['2026-03-29', '2026-10-25'],
  'Europe/Berlin': ['2026-03-29', '2026-10-25'],
  'America/New_York': ['2026-03-08', '2026-11-01'],
  'Australia/Lord_Howe': ['2026-04-05', '2026-10-04'],
  'Africa/Cairo': ['2026-04-24', '2026-10-30'],
  'America/Havana': ['2026-03-08', '2026-11-01'],
  'Asia/Kathmandu': ['2026-03-29', '2026-10-25'],
};

interface Wall {
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
}

/** A field as text, and the numbers that it names; no numbers: any. */
interface Field {
  readonly text: string;
  readonly numbers: ReadonlySet<number> | undefined;
}

interface Expression {
  readonly text: string;
  readonly second: Field;
  readonly minute: Field;
  readonly hour: Field;
  readonly day: Field;
  readonly month: Field;
  readonly weekday: Field;
}

const any: Field = { text: '*', numbers: undefined };

function field(random: Random, [min, max]: readonly [number, number], anyShare: number): Field {
  if (random.next() < anyShare) return any;
  const one = (): number => min + randomInt(random, max - min + 1);
  const [a, b] = [one(), one()].sort((x, y) => x - y);
  const [low = min, high = max] = [a, b];
  const step = 2 + randomInt(random, Math.max(1, Math.floor((max - min) / 3)));
  const range = (from: number, to: number, by: number): Set<number> => {
    const count = Math.floor((to - from) / by) + 1;
    return new Set(Array.from({ length: count }, (_, index) => from + index * by));
  };
  const shapes: readonly (() => Field)[] = [
    () => ({ text: `${low}`, numbers: new Set([low]) }),
    () => ({ text: [...new Set([low, high])].join(), numbers: new Set([low, high]) }),
    () => ({ text: `${low}-${high}`, numbers: range(low, high, 1) }),
    () => ({ text: `${low}-${high}/${step}`, numbers: range(low, high, step) }),
    () => ({ text: `${min}-${max}/${step}`, numbers: range(min, max, step) }),
  ];
  const shape = shapes[randomInt(random, shapes.length)];
  return shape?.() ?? any;
}

function expression(random: Random): Expression {
  const hasSeconds = random.next() < 0.3;
  const zero: Field = { text: '', numbers: new Set([0]) };
  const parts = {
    second: hasSeconds ? field(random, [0, 59], 0.1) : zero,
    minute: field(random, [0, 59], 0.2),
    hour: field(random, [0, 23], 0.4),
    day: field(random, [1, 28], 0.6),
    month: field(random, [1, 12], 0.8),
    weekday: field(random, [0, 6], 0.6),
  };
  const text = Object.values(parts).map((part) => part.text);
  return { ...parts, text: text.join(' ').trim() };
}

function has({ numbers }: Field, value: number): boolean {
  return numbers === undefined || numbers.has(value);
}

function isDue(rule: Expression, wall: Wall): boolean {
  const isDay = has(rule.day, wall.day);
  const isWeekday = has(rule.weekday, wall.weekday);
  const isEither = rule.day.numbers !== undefined && rule.weekday.numbers !== undefined;
  const isDate = isEither ? isDay || isWeekday : isDay && isWeekday;
  const isTime = has(rule.minute, wall.minute) && has(rule.hour, wall.hour);
  return isTime && isDate && has(rule.month, wall.month);
}

/** What the clock shows in the days around a change, by minute. */
class ChangeDays {
  readonly fromMs: number;
  readonly #walls: readonly Wall[];

  constructor(day: string, timeZone: string) {
    this.fromMs = Date.parse(`${day}T00:00:00Z`) - 24 * 60 * minuteMs;
    const format = new Intl.DateTimeFormat('en-US', {
      ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
      ...{ hour: 'numeric', minute: 'numeric' },
    });
    this.#walls = Array.from({ length: 3 * 24 * 60 }, (_, index) => {
      const shown = format.formatToParts(this.fromMs + index * minuteMs);
      const part = (type: string): number =>
        Number(shown.find((each) => each.type === type)?.value ?? 'missing');
      const [year, month, date] = [part('year'), part('month'), part('day')];
      const weekday = new Date(Date.UTC(year, month - 1, date)).getUTCDay();
      return { month, day: date, weekday, hour: part('hour'), minute: part('minute') };
    });
  }

  /** The due times in these days, as far as `count`. */
  due(rule: Expression, count: number): readonly number[] {
    const found: number[] = [];
    for (const [index, wall] of this.#walls.entries()) {
      if (!isDue(rule, wall)) continue;
      const atMs = this.fromMs + index * minuteMs;
      for (let second = 0; second < 60 && found.length < count; second++) {
        if (has(rule.second, second)) found.push(atMs + second * 1000);
      }
      if (found.length >= count) break;
    }
    return found;
  }

  get untilMs(): number {
    return this.fromMs + this.#walls.length * minuteMs;
  }
}

function next(
  { text, timeZone }: { readonly text: string; readonly timeZone: string },
  fromMs: number,
  count: number,
): readonly number[] {
  const parsed = parseCronRule(text, { seconds: true });
  assert.ok(parsed.kind === 'valid', text);
  const schedule = openCronSchedule(parsed.rule, timeZone);
  const found: number[] = [];
  for (let atMs = schedule.next(fromMs); atMs !== undefined; atMs = schedule.next(atMs)) {
    found.push(atMs);
    if (found.length === count) break;
  }
  return found;
}

const seed = 20_261_122;

test(`${expressions} schedules are due when two libraries say so`, () => {
  const random = seededRandom(seed);
  const zones = Object.keys(changes);
  // Months in which none of the zones changes its clock.
  const quiet = ['2026-01-05T00:00:00Z', '2026-06-01T00:00:00Z', '2026-12-01T00:00:00Z'];
  let compared = 0;
  for (let index = 0; index < expressions; index++) {
    const { text } = expression(random);
    const timeZone = zones[index % zones.length] ?? 'UTC';
    const startMs = Date.parse(quiet[index % quiet.length] ?? '');
    const fromMs = startMs + randomInt(random, 20 * 24 * 3600) * 1000;
    const endMs = fromMs + 40 * 24 * 60 * minuteMs;
    const [dueMs = Number.NaN] = next({ text, timeZone }, fromMs, 1);
    if (!(dueMs < endMs)) continue;
    compared++;
    const told = `${text} in ${timeZone} after ${new Date(fromMs).toISOString()}`;
    const currentDate = new Date(fromMs);
    const first = CronExpressionParser.parse(text, { tz: timeZone, currentDate }).next().getTime();
    assert.equal(new Date(dueMs).toISOString(), new Date(first).toISOString(), told);
    const second = new Cron(text, { timezone: timeZone, paused: true }).nextRun(currentDate);
    assert.equal(new Date(dueMs).toISOString(), second?.toISOString(), told);
  }
  assert.ok(compared > 0.8 * expressions, `only ${compared} were compared`);
});

test(`${onChangeDays} schedules on the days on which clocks are changed`, () => {
  const random = seededRandom(seed + 1);
  const days = Object.entries(changes).flatMap(([timeZone, dates]) =>
    dates.map((date) => ({ timeZone, around: new ChangeDays(date, timeZone) })),
  );
  for (let index = 0; index < onChangeDays; index++) {
    const rule = expression(random);
    const chosen = days[index % days.length];
    assert.ok(chosen !== undefined);
    const { timeZone, around } = chosen;
    const { text } = rule;
    const expected = around.due(rule, 6);
    const found = next({ text, timeZone }, around.fromMs - 1, Math.max(1, expected.length));
    const within = found.filter((atMs) => atMs < around.untilMs);
    assert.deepEqual(within, expected, `${text} in ${timeZone}`);
  }
});
