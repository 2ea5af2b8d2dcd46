import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type DueTimes, decideSchedule, type ScheduledMinimum } from './schedule.ts';

const hourMs = 3_600_000;

/** Due at this hour of every day. */
function daily(hour: number): DueTimes {
  return {
    next: (afterMs) => {
      const today = Math.floor(afterMs / (24 * hourMs)) * 24 * hourMs + hour * hourMs;
      return today > afterMs ? today : today + 24 * hourMs;
    },
  };
}

/** Due at these hours of every third day and the two after it. */
function everyThreeDays(hours: readonly number[]): DueTimes {
  const periodMs = 72 * hourMs;
  return {
    next: (afterMs) => {
      const nextOf = (hour: number): number =>
        (Math.floor((afterMs - hour * hourMs) / periodMs) + 1) * periodMs + hour * hourMs;
      return Math.min(...hours.map(nextOf));
    },
  };
}

function between(start: number, end: number, min: number): ScheduledMinimum {
  return { min, start: daily(start), end: daily(end), name: `${start}-${end}` };
}

const schedule = [between(8, 18, 3), between(12, 14, 5), between(22, 2, 1)];

for (const [hour, min, until] of [
  [1, 1, 2],
  [2, undefined, 8],
  [8, 3, 12],
  [12, 5, 14],
  [14, 3, 18],
  [20, undefined, 22],
  [23, 1, 26],
] as const) {
  test(`at ${hour}:00 the minimum is ${min ?? 'none'}, until ${until}:00`, () => {
    const { floor, untilMs } = decideSchedule(schedule, hour * hourMs);
    assert.equal(floor?.min, min);
    assert.equal(untilMs, until * hourMs);
  });
}

const never: DueTimes = { next: () => undefined };

test('what has begun holds until its end, though it begins again before that', () => {
  const hourly: DueTimes = { next: (afterMs) => (Math.floor(afterMs / hourMs) + 1) * hourMs };
  const until = { min: 2, start: hourly, end: daily(18), name: 'until six' };
  for (const [hour, min] of [
    [17, 2],
    [17.5, 2],
    [18, undefined],
    [18.5, undefined],
    [19, 2],
    [30, 2],
  ] as const) {
    assert.equal(decideSchedule([until], hour * hourMs).floor?.min, min, `at ${hour}`);
  }
});

test('what holds is what a walk through all starts and ends comes to', () => {
  const hours = fc.uniqueArray(fc.integer({ min: 0, max: 71 }), { minLength: 1, maxLength: 30 });
  const property = fc.property(hours, hours, fc.integer({ min: 0, max: 71 }), (from, to, hour) => {
    const [start, end] = [everyThreeDays(from), everyThreeDays(to)];
    const now = (288 + hour) * hourMs;
    let isOpen = false;
    for (let at = 0; at <= now; at += hourMs) {
      if (end.next(at - 1) === at) isOpen = false;
      else if (start.next(at - 1) === at) isOpen = true;
    }
    const { floor } = decideSchedule([{ min: 1, start, end, name: 'some' }], now);
    assert.equal(floor !== undefined, isOpen);
  });
  fc.assert(property);
});

test('what begins as it ends never holds', () => {
  assert.equal(decideSchedule([between(8, 8, 3)], 8 * hourMs).floor, undefined);
  assert.equal(decideSchedule([between(8, 8, 3)], 9 * hourMs).floor, undefined);
});

test('what begins every few years is found to have begun', () => {
  const yearMs = 365.25 * 24 * hourMs;
  const rare: DueTimes = {
    next: (afterMs) => (Math.floor(afterMs / (4 * yearMs)) + 1) * 4 * yearMs,
  };
  const late = { min: 2, start: rare, end: never, name: 'rare' };
  assert.equal(decideSchedule([late], 7.9 * yearMs).floor?.min, 2);
});

test('a start that never comes holds nothing, an end that never comes ends nothing', () => {
  const ends = { min: 2, start: never, end: daily(5), name: 'never begun' };
  assert.equal(decideSchedule([ends], 0).floor, undefined);
  const begun = { min: 2, start: daily(5), end: never, name: 'for ever' };
  assert.equal(decideSchedule([begun], 6 * hourMs).floor?.reason, 'the schedule for ever wants 2');
  const done = { min: 2, start: never, end: never, name: 'done' };
  assert.deepEqual(decideSchedule([done], 0), { floor: undefined, untilMs: undefined });
});
