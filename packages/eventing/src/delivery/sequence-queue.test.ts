import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SequenceQueue } from './sequence-queue.ts';

const action = fc.oneof(
  fc.record({ do: fc.constant('push' as const), count: fc.nat(200) }),
  fc.record({ do: fc.constant('shift' as const), count: fc.nat(200) }),
  fc.record({ do: fc.constant('unshift' as const), count: fc.nat(5) }),
);

test('it is a list, whatever is put to which end', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 30 }), (actions) => {
      const queue = new SequenceQueue();
      const list: number[] = [];
      let last = 0;
      for (const { do: what, count } of actions) {
        const made = what === 'shift' ? [] : Array.from({ length: count }, () => ++last);
        if (what === 'unshift') {
          queue.unshift(made);
          list.unshift(...made);
        }
        for (let n = 0; n < count; n++) {
          if (what === 'push') queue.push(made[n] ?? 0);
          else if (what === 'shift') assert.equal(queue.shift(), list.shift());
        }
        if (what === 'push') list.push(...made);
        assert.deepEqual([queue.size, queue.first], [list.length, list[0]]);
      }
    }),
    { seed: 7 },
  );
});
