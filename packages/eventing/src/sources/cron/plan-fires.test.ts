import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MissedTimes } from '@fnlet/api';
import { openCronSchedule, parseCronRule } from '@fnlet/machinery/cron';
import { planFires } from './plan-fires.ts';

interface Case {
  readonly rule?: string;
  readonly seen: string;
  readonly now: string;
  readonly since?: string;
  readonly missed?: MissedTimes;
  readonly deadlineMs?: number;
}

function plan(given: Case): unknown {
  const { rule = '0 * * * *', seen, now, since = seen, missed = 'once', deadlineMs } = given;
  const parsed = parseCronRule(rule, { seconds: true });
  assert.ok(parsed.kind === 'valid');
  const planned = planFires({
    schedule: openCronSchedule(parsed.rule, 'UTC'),
    seenMs: Date.parse(`2026-01-01T${seen}Z`),
    nowMs: Date.parse(`2026-01-01T${now}Z`),
    sinceMs: Date.parse(`2026-01-01T${since}Z`),
    missed,
    deadlineMs: deadlineMs ?? Number.POSITIVE_INFINITY,
  });
  const show = (atMs: number): string => new Date(atMs).toISOString().slice(11, 19);
  return {
    fires: planned.fires.map(show),
    seen: show(planned.seenMs),
    ...(planned.leftOutFromMs === undefined ? {} : { leftOut: show(planned.leftOutFromMs) }),
  };
}

const cases: readonly [string, Case, object][] = [
  [
    'nothing before its time',
    { seen: '00:00:00', now: '00:59:59' },
    { fires: [], seen: '00:00:00' },
  ],
  [
    'the time that has come',
    { seen: '00:00:00', now: '01:00:00' },
    { fires: ['01:00:00'], seen: '01:00:00' },
  ],
  [
    'a time that is a little late, though missed ones are skipped',
    { seen: '00:00:00', now: '01:00:10', missed: 'skip' },
    { fires: ['01:00:00'], seen: '01:00:10' },
  ],
  [
    'no missed time with skip',
    { seen: '00:00:00', now: '03:30:00', missed: 'skip' },
    { fires: [], seen: '03:30:00', leftOut: '01:00:00' },
  ],
  [
    'the last missed time with once',
    { seen: '00:00:00', now: '03:30:00' },
    { fires: ['03:00:00'], seen: '03:30:00', leftOut: '01:00:00' },
  ],
  [
    'nothing for missed times when one has come just now',
    { seen: '00:00:00', now: '03:00:01' },
    { fires: ['03:00:00'], seen: '03:00:01', leftOut: '01:00:00' },
  ],
  [
    'all missed times with all',
    { seen: '00:00:00', now: '03:30:00', missed: 'all' },
    { fires: ['01:00:00', '02:00:00', '03:00:00'], seen: '03:30:00' },
  ],
  [
    'all of them that are not too late',
    { seen: '00:00:00', now: '03:30:00', missed: 'all', deadlineMs: 90 * 60_000 },
    { fires: ['02:00:00', '03:00:00'], seen: '03:30:00', leftOut: '01:00:00' },
  ],
  [
    'nothing that is too late',
    { seen: '00:00:00', now: '03:30:00', deadlineMs: 60_000 },
    { fires: [], seen: '03:30:00', leftOut: '01:00:00' },
  ],
  [
    'one time for all that passed before anybody looked, however often they are',
    { rule: '* * * * * *', seen: '00:00:00', now: '00:00:09', since: '00:00:09' },
    { fires: ['00:00:09'], seen: '00:00:09', leftOut: '00:00:01' },
  ],
  [
    'none of them with skip, and the one since then',
    { rule: '*/2 * * * * *', seen: '00:00:00', now: '00:00:10', since: '00:00:09', missed: 'skip' },
    { fires: ['00:00:10'], seen: '00:00:10', leftOut: '00:00:02' },
  ],
  [
    'each second of a moment in which the process was busy',
    { rule: '* * * * * *', seen: '00:00:00', now: '00:00:03', missed: 'skip' },
    { fires: ['00:00:01', '00:00:02', '00:00:03'], seen: '00:00:03' },
  ],
];

for (const [what, situation, expected] of cases) {
  test(`brings ${what}`, () => assert.deepEqual(plan(situation), expected));
}

test('makes up for many times in portions', () => {
  const rule = '* * * * * *';
  const first = Object(plan({ rule, seen: '00:00:00', now: '01:00:00', missed: 'all' }));
  assert.equal(first.fires.length, 100);
  assert.equal(first.seen, '00:01:40');
  const next = Object(plan({ rule, seen: first.seen, now: '01:00:00', missed: 'all' }));
  assert.equal(next.fires[0], '00:01:41');
});
