import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { OpenEvents } from './open-events.ts';

function everything(open: OpenEvents): readonly number[] {
  return [...open.between(0, Number.POSITIVE_INFINITY)].map(({ sequence }) => sequence);
}

test('events are open until they are settled, in any order', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 200 }), fc.nat(), (adds, chance) => {
      const open = new OpenEvents();
      const left: number[] = [];
      let last = 0;
      for (const [n, adding] of adds.entries()) {
        if (adding) {
          last += 1 + (n % 3);
          open.add(last, undefined);
          left.push(last);
        } else {
          const [settled] = left.splice((chance + n * 7) % (left.length + 1), 1);
          if (settled !== undefined) open.settle(settled);
        }
        assert.deepEqual([open.size, open.first], [left.length, left[0]]);
      }
      assert.deepEqual(everything(open), left);
      const middle = left[Math.floor(left.length / 2)] ?? 0;
      const after = [...open.between(middle, last - 1)].map(({ sequence }) => sequence);
      assert.deepEqual(
        after,
        left.filter((one) => one > middle && one < last),
      );
    }),
    { seed: 7 },
  );
});

test('one that stays open for long keeps the others from nothing', () => {
  const open = new OpenEvents();
  for (let sequence = 1; sequence <= 10_000; sequence++) {
    open.add(sequence, sequence % 2 === 0 ? 'even' : undefined);
    if (sequence > 1 && sequence !== 5_000) open.settle(sequence);
  }
  assert.deepEqual([open.size, open.first, everything(open)], [2, 1, [1, 5_000]]);
  assert.deepEqual([...open.between(1, 9_999)], [{ sequence: 5_000, key: 'even' }]);
  open.settle(1);
  assert.equal(open.first, 5_000);
});
