import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type HeapItem, TimeHeap } from './time-heap.ts';

test('items come out earliest first, without those that were removed', () => {
  const property = fc.property(
    fc.array(fc.record({ dueMs: fc.nat(20), isRemoved: fc.boolean() }), { maxLength: 60 }),
    (drafts) => {
      const heap = new TimeHeap<HeapItem & { isRemoved: boolean }>();
      const items = drafts.map((draft, order) => ({ ...draft, order, heapIndex: -1 }));
      for (const item of items) heap.push(item);
      for (const item of items) if (item.isRemoved) heap.remove(item);
      const expected = items
        .filter((item) => !item.isRemoved)
        .sort((a, b) => a.dueMs - b.dueMs || a.order - b.order);
      for (const item of expected) {
        assert.equal(heap.first(), item);
        heap.remove(item);
      }
      assert.equal(heap.size, 0);
    },
  );
  fc.assert(property, { numRuns: 200 });
});
