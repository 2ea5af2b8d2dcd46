import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inParallel } from './in-parallel.ts';

test('every item is worked on, never more at once than allowed', async () => {
  const done: number[] = [];
  let atOnce = 0;
  let most = 0;
  await inParallel([1, 2, 3, 4, 5], 2, async (item) => {
    atOnce++;
    most = Math.max(most, atOnce);
    await Promise.resolve();
    atOnce--;
    done.push(item);
  });
  assert.deepEqual(done.sort(), [1, 2, 3, 4, 5]);
  assert.equal(most, 2);
  await inParallel([], 2, () => Promise.reject(new Error('nothing to work on')));
});
