import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideCheck } from './decide-check.ts';

const minute = 60_000;

test('decideCheck() asks as often as the most impatient Function wants', () => {
  assert.equal(decideCheck({ intervalsMs: [5 * minute, minute], failures: 0 }), minute);
  assert.equal(decideCheck({ intervalsMs: [undefined, minute], failures: 0 }), minute);
  assert.equal(decideCheck({ intervalsMs: [undefined], failures: 0 }), undefined);
});

test('decideCheck() tries soon what failed, then less and less often', () => {
  const delays = [1, 2, 3, 4, 5, 9].map((failures) =>
    decideCheck({ intervalsMs: [undefined], failures }),
  );
  assert.deepEqual(delays, [5_000, 10_000, 20_000, 40_000, 80_000, 300_000]);
});

test('decideCheck() does not press a server that fails more than one that works', () => {
  assert.equal(decideCheck({ intervalsMs: [60 * minute], failures: 1 }), 5_000);
  assert.equal(decideCheck({ intervalsMs: [60 * minute], failures: 9 }), 60 * minute);
});
