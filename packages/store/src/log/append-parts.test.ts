import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appendParts, entryBytes } from './append-parts.ts';

const entryOf = (size: number) => ({ payload: new Uint8Array(size) });
const empty = entryBytes(entryOf(0));

test('appendParts keeps the order, and no part is larger than one append', () => {
  const sizes = [10, 10, 10, 25, 1, 40, 2];
  const parts = appendParts(sizes, entryOf, { bytesMax: 30 + 2 * empty });
  assert.deepEqual(parts, [[10, 10], [10], [25, 1], [40], [2]]);
});

test('appendParts leaves what is too large by itself to its append', () => {
  assert.deepEqual(appendParts([1, 99, 1], entryOf, { bytesMax: 50 }), [[1], [99], [1]]);
});

test('appendParts bounds how many entries there are, and makes nothing of nothing', () => {
  const bounds = { bytesMax: 1_000, entriesMax: 2 };
  assert.deepEqual(appendParts([1, 2, 3, 4, 5], entryOf, bounds), [[1, 2], [3, 4], [5]]);
  assert.deepEqual(appendParts([], entryOf, bounds), []);
});

test('entryBytes counts keys in UTF-8, and ids by their digest', () => {
  const { payload } = entryOf(5);
  assert.equal(entryBytes({ payload, key: 'ä' }) - entryBytes({ payload }), 2);
  const withId = (id: string): number => entryBytes({ payload, id });
  assert.equal(withId('a'), withId('a'.repeat(1_000)));
  assert.ok(withId('a') > entryBytes({ payload }));
});
