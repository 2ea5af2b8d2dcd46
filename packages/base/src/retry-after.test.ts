import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRetryAfter } from './retry-after.ts';

const now = Date.UTC(2026, 0, 1);

test('Retry-After is a number of seconds, or a date', () => {
  assert.equal(parseRetryAfter('0', now), 0);
  assert.equal(parseRetryAfter('120', now), 120_000);
  assert.equal(parseRetryAfter('Thu, 01 Jan 2026 00:00:07 GMT', now), 7_000);
});

test('a date that is over asks for no wait', () => {
  assert.equal(parseRetryAfter('Wed, 31 Dec 2025 23:00:00 GMT', now), 0);
});

test('what is neither says nothing', () => {
  for (const value of ['', 'soon', '-5', '1e9 s', '9'.repeat(10)]) {
    assert.equal(parseRetryAfter(value, now), undefined, value);
  }
});
