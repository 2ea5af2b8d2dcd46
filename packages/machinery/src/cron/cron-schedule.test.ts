import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseCronRule } from './cron-rule.ts';
import { type CronSchedule, openCronSchedule } from './cron-schedule.ts';
import { isTimeZone } from './wall-clock.ts';

function open(text: string, timeZone: string): CronSchedule {
  const parsed = parseCronRule(text);
  assert.ok(parsed.kind === 'valid', text);
  return openCronSchedule(parsed.rule, timeZone);
}

/** The next due times after one, as ISO texts without seconds. */
function due(rule: readonly [string, string], from: string, count: number): string[] {
  const [text, timeZone] = rule;
  const schedule = open(text, timeZone);
  const times: string[] = [];
  let atMs = Date.parse(from);
  while (times.length < count) {
    const next = schedule.next(atMs);
    if (next === undefined) return [...times, 'never'];
    times.push(new Date(next).toISOString().slice(0, 16));
    atMs = next;
  }
  return times;
}

const cases: readonly [string, string, string, string, readonly string[]][] = [
  ['every minute', '* * * * *', 'UTC', '2026-01-01T00:00:30Z', ['2026-01-01T00:01']],
  ['not the minute itself', '0 0 * * *', 'UTC', '2026-01-01T00:00:00Z', ['2026-01-02T00:00']],
  [
    'steps and ranges by name',
    '*/30 9-10 * JAN MON-FRI',
    'UTC',
    '2026-01-02T09:45:00Z',
    ['2026-01-02T10:00', '2026-01-02T10:30', '2026-01-05T09:00'],
  ],
  ['a step from a number', '50/5 0 1 1 *', 'UTC', '2026-01-01T00:50:00Z', ['2026-01-01T00:55']],
  [
    'either day when both are named',
    '0 0 13 * FRI',
    'UTC',
    '2026-01-08T00:00:00Z',
    ['2026-01-09T00:00', '2026-01-13T00:00', '2026-01-16T00:00'],
  ],
  [
    'both days when one is a star',
    '0 0 */2 * *',
    'UTC',
    '2026-01-31T00:00:00Z',
    ['2026-02-01T00:00'],
  ],
  [
    'either day when one is every second one',
    '0 0 */10 * SUN',
    'UTC',
    '2026-01-01T12:00:00Z',
    ['2026-01-04T00:00', '2026-01-11T00:00', '2026-01-18T00:00', '2026-01-21T00:00'],
  ],
  ['a leap day', '0 0 29 2 *', 'UTC', '2026-01-01T00:00:00Z', ['2028-02-29T00:00']],
  ['a day that never comes', '0 0 30 2 *', 'UTC', '2026-01-01T00:00:00Z', ['never']],
  ['@hourly', '@hourly', 'UTC', '2026-01-01T00:30:00Z', ['2026-01-01T01:00']],
  ['@weekly', '@weekly', 'UTC', '2026-01-01T00:30:00Z', ['2026-01-04T00:00']],
  [
    'no more often than every second',
    '@every 5ms',
    'UTC',
    '2026-01-01T00:00:59Z',
    ['2026-01-01T00:01'],
  ],
  ['@every', '@every 90s', 'UTC', '2026-01-01T00:00:00Z', ['2026-01-01T00:01', '2026-01-01T00:03']],
  [
    'the clock of its zone, in winter and in summer',
    '0 12 * * *',
    'Europe/Berlin',
    '2026-03-28T00:00:00Z',
    ['2026-03-28T11:00', '2026-03-29T10:00'],
  ],
  [
    'not at all in the hour that spring skips',
    '30 2 * * *',
    'America/New_York',
    '2026-03-07T00:00:00Z',
    ['2026-03-07T07:30', '2026-03-09T06:30'],
  ],
  [
    'twice in the hour that autumn repeats',
    '30 1 * * *',
    'America/New_York',
    '2026-10-31T12:00:00Z',
    ['2026-11-01T05:30', '2026-11-01T06:30', '2026-11-02T06:30'],
  ],
  [
    'in a zone of half hours',
    '0 0 * * *',
    'Asia/Kolkata',
    '2026-01-01T00:00:00Z',
    ['2026-01-01T18:30'],
  ],
  [
    'in a zone whose summer is half an hour',
    '15 2 * * *',
    'Australia/Lord_Howe',
    '2026-10-02T12:00:00Z',
    ['2026-10-02T15:45', '2026-10-04T15:15'],
  ],
];

describe('next()', () => {
  for (const [title, text, zone, from, expected] of cases) {
    test(`is due: ${title}`, () => {
      assert.deepEqual(due([text, zone], from, expected.length), expected);
    });
  }
});

test('seconds are due within their minutes', () => {
  const parsed = parseCronRule('10,50 59 * * * *', { seconds: true });
  assert.ok(parsed.kind === 'valid');
  const { next } = openCronSchedule(parsed.rule, 'UTC');
  const times = ['2026-01-01T00:59:09.999Z', '2026-01-01T00:59:10Z', '2026-01-01T00:59:50Z'];
  const due = times.map((time) => new Date(next(Date.parse(time)) ?? 0).toISOString());
  const expected = ['2026-01-01T00:59:10', '2026-01-01T00:59:50', '2026-01-01T01:59:10'];
  assert.deepEqual(
    due,
    expected.map((time) => `${time}.000Z`),
  );
});

test('next() says at once that a list of nothing is never due', () => {
  const startMs = performance.now();
  for (const text of [', * * * * *', '0 , * * * *', '0 0 , * * *', '* * * , * *', '* * * * , *']) {
    const parsed = parseCronRule(text, { seconds: true });
    assert.ok(parsed.kind === 'valid');
    assert.equal(openCronSchedule(parsed.rule, 'UTC').next(0), undefined, text);
  }
  // To walk through five years takes a hundred times as long for each of the first three.
  assert.ok(performance.now() - startMs < 4_000);
});

test('isTimeZone() knows names, not offsets', () => {
  assert.ok(isTimeZone('UTC') && isTimeZone('Europe/Berlin'));
  assert.ok(!isTimeZone('Mars/Olympus') && !isTimeZone('+01:00'));
  assert.throws(() => open('* * * * *', 'Mars/Olympus'), RangeError);
});

test('next() finds the first minute whose wall clock matches, and misses none', () => {
  const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe');
  // Around the days on which clocks are changed, where errors would be.
  const starts = fc.constantFrom(
    '2026-03-07',
    '2026-03-28',
    '2026-04-04',
    '2026-10-03',
    '2026-10-24',
    '2026-10-31',
  );
  const field = (max: number) => fc.oneof(fc.constant('*'), fc.nat(max).map(String));
  const texts = fc
    .tuple(
      field(59),
      field(23),
      fc.constantFrom('*', '1', '29', '4'),
      fc.constantFrom('*', '0', '6'),
    )
    .map(([minute, hour, day, weekday]) => `${minute} ${hour} ${day} * ${weekday}`);
  fc.assert(
    fc.property(texts, zones, starts, fc.nat(1440), (text, timeZone, start, minutes) => {
      const fromMs = Date.parse(`${start}T00:00:00Z`) + minutes * 60_000;
      const found = open(text, timeZone).next(fromMs) ?? Number.POSITIVE_INFINITY;
      const matches = wallMatcher(text, timeZone);
      const endMs = Math.min(found, fromMs + 2 * 86_400_000);
      for (let atMs = fromMs + 60_000; atMs < endMs; atMs += 60_000) assert.ok(!matches(atMs));
      if (Number.isFinite(found)) assert.ok(matches(found));
    }),
    { numRuns: 40 },
  );
});

/** The same rule said another way: compares what the clock shows, minute by minute. */
function wallMatcher(text: string, timeZone: string): (atMs: number) => boolean {
  const [minute, hour, day, , weekday] = text.split(' ');
  const format = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone, hourCycle: 'h23', weekday: 'short', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric' },
  });
  return (atMs) => {
    const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
    const isShown = (field: string | undefined, part: string | undefined): boolean =>
      field === '*' || Number(field) === Number(part);
    const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
    const isDay = isShown(day, parts.get('day'));
    const isWeekday = isShown(weekday, String(weekdays.indexOf(parts.get('weekday') ?? '')));
    const isDue = day === '*' || weekday === '*' ? isDay && isWeekday : isDay || isWeekday;
    return isDue && isShown(hour, parts.get('hour')) && isShown(minute, parts.get('minute'));
  };
}
