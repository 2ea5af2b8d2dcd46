import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { limits } from './limits.ts';
import { decidePoolSize, maxPoolSize } from './pool-size.ts';

const bounds = { min: 1, max: 8 };
const now = 1_000_000;

it('decidePoolSize() holds the least when nothing was taken', () => {
  assert.deepEqual(decidePoolSize([], now, bounds), { size: 1, changesAtMs: undefined });
});

it('decidePoolSize() holds what the largest burst took', () => {
  const takes = [now - 9_000, now - 5_000, now - 4_900, now - 4_800, now - 1_000];
  const { size, changesAtMs } = decidePoolSize(takes, now, bounds);
  assert.equal(size, 3);
  assert.equal(changesAtMs, now - 9_000 + limits.takesLookbackMs);
});

it('decidePoolSize() forgets bursts after a while', () => {
  const takes = [0, 1, 2, 3].map((at) => now - limits.takesLookbackMs - at).toReversed();
  assert.equal(decidePoolSize(takes, now, bounds).size, 1);
});

it('decidePoolSize() keeps a Runner of a runtime that is used at all', () => {
  const unused = { min: 0, max: 8 };
  assert.equal(decidePoolSize([now - 1], now, unused).size, 1);
  assert.equal(decidePoolSize([], now, unused).size, 0);
});

it('decidePoolSize() stays within its bounds, and never grows by waiting', () => {
  const takes = fc.array(fc.integer({ min: now - 400_000, max: now }), { maxLength: 64 });
  fc.assert(
    fc.property(takes, fc.nat(600_000), (unsorted, waitMs) => {
      const sorted = unsorted.toSorted((a, b) => a - b);
      const { size } = decidePoolSize(sorted, now, bounds);
      const later = decidePoolSize(sorted, now + waitMs, bounds);
      assert.ok(size >= bounds.min && size <= bounds.max);
      assert.ok(later.size <= size);
    }),
  );
});

it('maxPoolSize() follows the memory of the machine, within bounds', () => {
  const gigabyte = 1024 ** 3;
  assert.deepEqual(
    [1, 4, 8, 16, 24, 512].map((gigabytes) => maxPoolSize(gigabytes * gigabyte)),
    [8, 10, 21, 42, 64, 64],
  );
});
