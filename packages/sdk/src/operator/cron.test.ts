import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextCronTime } from './cron.ts';

const noon = '2026-03-01T12:00:00Z';

test('nextCronTime() is the first time after, never that time itself', () => {
  assert.equal(nextCronTime('*/5 * * * *', noon), '2026-03-01T12:05:00.000Z');
  assert.equal(nextCronTime('0 12 * * *', noon), '2026-03-02T12:00:00.000Z');
  assert.equal(nextCronTime('@every 90s', noon), '2026-03-01T12:01:30.000Z');
  assert.equal(nextCronTime('0 0 30 2 *', noon), undefined);
});

test('nextCronTime() goes by the clock of a time zone', () => {
  assert.equal(nextCronTime('0 9 * * *', noon, 'Asia/Tokyo'), '2026-03-02T00:00:00.000Z');
});

test('nextCronTime() refuses what is no schedule and no time zone', () => {
  assert.throws(() => nextCronTime('* * *', noon), /expected exactly 5 fields/);
  assert.throws(() => nextCronTime('* * * * *', noon, 'Mars/Base'), RangeError);
});
