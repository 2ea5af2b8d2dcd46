import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatAge, humanDuration } from './column.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

describe('humanDuration()', () => {
  const cases: readonly [number, string][] = [
    [-5 * second, '<invalid>'],
    [-second, '0s'],
    [0, '0s'],
    [119 * second, '119s'],
    [2 * minute, '2m'],
    [3 * minute + 20 * second, '3m20s'],
    [10 * minute + 5 * second, '10m'],
    [179 * minute, '179m'],
    [3 * hour + 5 * minute, '3h5m'],
    [47 * hour, '47h'],
    [2 * day + 3 * hour, '2d3h'],
    [20 * day, '20d'],
    [3 * 365 * day, '3y'],
    [3 * 365 * day + 4 * day, '3y4d'],
  ];
  for (const [durationMs, text] of cases) {
    it(`shows ${durationMs} ms as ${text}`, () => assert.equal(humanDuration(durationMs), text));
  }
});

describe('formatAge()', () => {
  it('knows no age without a time', () => {
    assert.equal(formatAge(undefined, 0), '<unknown>');
    assert.equal(formatAge('not a time', 0), '<unknown>');
  });
});
