import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { KeyIndex } from './key-index.ts';

const key = fc.string({ unit: fc.constantFrom('/', 'a', 'b', '\uffff', '😀'), maxLength: 4 });

it('KeyIndex counts and pages as a sorted list does', () => {
  const property = fc.property(
    fc.array(fc.record({ key, remove: fc.boolean() }), { maxLength: 60, size: 'max' }),
    fc.array(key, { maxLength: 10 }),
    key,
    fc.option(key, { nil: undefined }),
    fc.integer({ min: 1, max: 5 }),
    (steps, initial, prefix, after, limit) => {
      const index = new KeyIndex(initial.map((name) => [name, 1]));
      const model = new Set(initial);
      for (const { key: name, remove } of steps) {
        if (remove) {
          index.delete(name);
          model.delete(name);
        } else {
          index.set(name, 2);
          model.add(name);
        }
      }
      const all = [...model].sort().filter((name) => name.startsWith(prefix));
      assert.equal(index.count(prefix), all.length);
      const rest = all.filter((name) => after === undefined || name > after);
      assert.deepEqual(index.page(prefix, after, limit), {
        keys: rest.slice(0, limit),
        remaining: Math.max(0, rest.length - limit),
      });
    },
  );
  fc.assert(property, { numRuns: 300 });
});
