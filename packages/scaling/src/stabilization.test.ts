import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { noRecommendations, type Recommendation, recommend, stabilize } from './stabilization.ts';

const windows = { growMs: 10_000, shrinkMs: 30_000 };

/** What kubernetes does with the list of all recommendations. */
function naive(current: number, all: readonly Recommendation[]): number {
  const now = all.at(-1)?.atMs ?? 0;
  const since = (ms: number): number[] =>
    all.filter(({ atMs }) => atMs > now - ms || atMs === now).map(({ count }) => count);
  const low = Math.min(...since(windows.growMs));
  const high = Math.max(...since(windows.shrinkMs));
  return current < low ? low : current > high ? high : current;
}

test('it shrinks to the highest and grows to the lowest recommendation of the window', () => {
  const at = (atMs: number, count: number): Recommendation => ({ atMs, count });
  let known = noRecommendations;
  for (const one of [at(0, 8), at(1000, 5), at(2000, 6)]) known = recommend(known, one, windows);
  assert.equal(stabilize(10, known), 8);
  assert.equal(stabilize(2, known), 5);
  assert.equal(stabilize(7, known), 7);
  known = recommend(known, at(31_000, 1), windows);
  assert.equal(stabilize(10, known), 6);
});

test('it agrees with a look at all recommendations, and keeps few of them', () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 9000 }), fc.nat(20)), {
    minLength: 1,
    maxLength: 60,
  });
  fc.assert(
    fc.property(steps, fc.nat(20), (list, current) => {
      let known = noRecommendations;
      let atMs = 0;
      const all: Recommendation[] = [];
      for (const [stepMs, count] of list) {
        atMs += stepMs;
        all.push({ atMs, count });
        known = recommend(known, { atMs, count }, windows);
        assert.equal(stabilize(current, known), naive(current, all));
        assert.ok(known.highs.length <= 21 && known.lows.length <= 21);
      }
    }),
  );
});
