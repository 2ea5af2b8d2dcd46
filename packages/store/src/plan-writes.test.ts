import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type EncodedMutation, planWrites } from './plan-writes.ts';
import { StoreError } from './store-error.ts';

const state = (objects: Readonly<Record<string, number>>) => ({
  revision: 10,
  revisionOf: (key: string): number => objects[key] ?? 0,
});

function put(key: string, expected?: number): EncodedMutation {
  return { key, text: '{}', expected };
}

describe('planWrites()', () => {
  it('lets a write see those before it, and numbers without gaps', () => {
    const { revision, changes, outcomes } = planWrites(
      [[put('a', 0), put('b')], [put('a', 11)], [{ key: 'b', text: undefined, expected: 12 }]],
      state({ b: 4 }),
    );
    assert.equal(revision, 14);
    assert.deepEqual(outcomes, [[11, 12], [13], [14]]);
    assert.deepEqual(
      changes.map(({ key, previous, deleted }) => [key, previous, deleted]),
      [
        ['a', 0, false],
        ['b', 4, false],
        ['a', 11, false],
        ['b', 12, true],
      ],
    );
  });

  it('takes nothing of a write whose expectation fails, and goes on with the next', () => {
    const { changes, outcomes } = planWrites([[put('a'), put('b', 3)], [put('a', 0)]], state({}));
    const [conflict, second] = outcomes;
    assert.ok(conflict instanceof StoreError);
    assert.equal(conflict.message, 'Cannot write "b": found no object, expected revision 3');
    assert.deepEqual(second, [11]);
    assert.equal(changes.length, 1);
  });

  it('counts a key that was deleted in the same flush as absent', () => {
    const remove = { key: 'a', text: undefined, expected: undefined };
    const { changes, outcomes } = planWrites([[remove], [put('a', 0)], [remove]], state({ a: 2 }));
    assert.deepEqual(outcomes, [[11], [12], [13]]);
    assert.deepEqual(
      changes.map(({ previous }) => previous),
      [2, 0, 12],
    );
  });
});
