import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDuration, tryParseDuration } from './duration.ts';
import { hasCode } from './errors.ts';

test('tryParseDuration() reads what Go writes', () => {
  const cases: [string, number][] = [
    ['0', 0],
    ['30s', 30_000],
    ['1m30s', 90_000],
    ['1.5h', 5_400_000],
    ['250ms', 250],
    ['1h0m0.5s', 3_600_500],
  ];
  for (const [text, expectedMs] of cases) assert.equal(tryParseDuration(text), expectedMs, text);
});

test('tryParseDuration() refuses everything else', () => {
  for (const text of ['', '5', '-1s', 's', '1s ', '1 s', '1d', 'abc', '1sx']) {
    assert.equal(tryParseDuration(text), undefined, JSON.stringify(text));
  }
});

test('parseDuration() says what it expected', () => {
  assert.throws(
    () => parseDuration('soon'),
    (error) => hasCode(error, 'InvalidDuration') && /"soon".*expected a number/.test(error.message),
  );
});
