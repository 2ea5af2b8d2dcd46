import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireSchedule } from './require-schedule.ts';

test('requireSchedule() takes what the source takes, and says what is wrong with the rest', () => {
  for (const schedule of ['*/5 * * * *', '30 0 8 * * mon-fri', '@daily', '@every 90s']) {
    requireSchedule({ schedule, timeZone: 'Europe/Berlin' });
  }
  requireSchedule({});
  for (const schedule of ['61 * * * *', '0 0 L * *', '* * * *', '@often', '']) {
    assert.throws(() => requireSchedule({ schedule }), /Cannot read --schedule/, schedule);
  }
  assert.throws(
    () => requireSchedule({ schedule: '@daily', timeZone: 'Mars/Olympus' }),
    /Cannot read --time-zone "Mars\/Olympus": there is no such zone/,
  );
});
