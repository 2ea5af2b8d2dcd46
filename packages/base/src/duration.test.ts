import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDuration, tryParseDuration, tryParseIsoDuration } from './duration.ts';
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

test('tryParseIsoDuration() reads what has a fixed length', () => {
  const cases: [string, number][] = [
    ['PT0S', 0],
    ['PT0.2S', 200],
    ['PT1M30S', 90_000],
    ['PT1.5H', 5_400_000],
    ['P1DT12H', 129_600_000],
    ['P2W', 1_209_600_000],
  ];
  for (const [text, expectedMs] of cases) assert.equal(tryParseIsoDuration(text), expectedMs, text);
});

test('tryParseIsoDuration() refuses everything else', () => {
  for (const text of ['', 'P', 'PT', 'P1DT', 'P1Y', 'P1M', '-PT1S', 'pt1s', 'PT1', 'PT1S ', '1s']) {
    assert.equal(tryParseIsoDuration(text), undefined, JSON.stringify(text));
  }
});
