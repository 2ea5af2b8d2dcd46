import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { planShards } from './plan-shards.ts';

const names: fc.Arbitrary<string> = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const holders = fc.array(fc.option(names, { nil: undefined }), { minLength: 1, maxLength: 64 });
const members = fc.uniqueArray(names, { minLength: 1 });

function counts(plan: readonly (string | undefined)[], of: readonly string[]): number[] {
  return of.map((member) => plan.filter((holder) => holder === member).length);
}

test('planShards() gives every shard to a member, to each as many as to any other or one more', () => {
  fc.assert(
    fc.property(holders, members, (held, among) => {
      const plan = planShards(held, among);
      assert.ok(plan.every((holder) => holder !== undefined && among.includes(holder)));
      const shares = counts(plan, among);
      assert.ok(Math.max(...shares) - Math.min(...shares) <= 1, shares.join(' '));
    }),
  );
});

test('planShards() moves no more shards than it must', () => {
  fc.assert(
    fc.property(holders, members, (held, among) => {
      const plan = planShards(held, among);
      const moved = plan.filter((holder, shard) => holder !== held[shard]).length;
      const before = counts(held, among).toSorted((a, b) => b - a);
      const shares = counts(plan, among).toSorted((a, b) => b - a);
      const missing = before.map((count, at) => Math.max(0, (shares[at] ?? 0) - count));
      assert.equal(
        moved,
        missing.reduce((sum, count) => sum + count, 0),
      );
    }),
  );
});

test('planShards() has nothing to add to its own plan, nor cares about the order of members', () => {
  fc.assert(
    fc.property(holders, members, (held, among) => {
      const plan = planShards(held, among);
      assert.deepEqual(planShards(plan, among), plan);
      assert.deepEqual(planShards(held, among.toReversed()), plan);
    }),
  );
});

test('planShards() frees everything when nobody is there', () => {
  assert.deepEqual(planShards(['a', undefined, 'b'], []), [undefined, undefined, undefined]);
});
