import assert from 'node:assert/strict';
import { test } from 'node:test';
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

test('a start that never comes holds nothing, an end that never comes ends nothing', () => {
  const never: DueTimes = { next: () => undefined };
  const begun = { min: 2, start: never, end: daily(5), name: 'over soon' };
  assert.equal(decideSchedule([begun], 0).floor?.reason, 'the schedule over soon wants 2');
  const done = { min: 2, start: never, end: never, name: 'done' };
  assert.deepEqual(decideSchedule([done], 0), { floor: undefined, untilMs: undefined });
});
