import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { jsonEqual } from '@fnlet/base';
import fc from 'fast-check';
import { FirstIndex } from './first-index.ts';

describe('FirstIndex', () => {
  it('tells texts from the numbers and maps that they look like', () => {
    const index = new FirstIndex([1, '1', '{"a":1}', { a: 1 }]);
    assert.deepEqual(
      [1, '1', '{"a":1}', { a: 1 }, null, true].map((value) => index.find(value)),
      [0, 1, 2, 3, -1, -1],
    );
  });

  it('finds what looking through the list finds', () => {
    const values = fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 8 });
    fc.assert(
      fc.property(values, fc.jsonValue({ maxDepth: 2 }), (list, other) => {
        const index = new FirstIndex(list);
        for (const value of [...list, other]) {
          const expected = list.findIndex((item) => jsonEqual(item, value));
          assert.equal(index.find(value), expected);
        }
      }),
    );
  });
});
