import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharePartitions } from './share-partitions.ts';

function share(
  members: Readonly<Record<string, readonly string[]>>,
  counts: Readonly<Record<string, number>>,
): unknown {
  const shares = sharePartitions(new Map(Object.entries(members)), new Map(Object.entries(counts)));
  return Object.fromEntries([...shares].map(([id, each]) => [id, Object.fromEntries(each)]));
}

test('members that read the same topics have about as many partitions', () => {
  assert.deepEqual(share({ a: ['t'], b: ['t'] }, { t: 3 }), { a: { t: [0, 2] }, b: { t: [1] } });
});

test('nobody gets partitions of a topic that they do not read', () => {
  assert.deepEqual(share({ a: ['left'], b: ['right'] }, { left: 2, right: 2 }), {
    a: { left: [0, 1] },
    b: { right: [0, 1] },
  });
  assert.deepEqual(share({ a: ['left', 'right'], b: ['right'] }, { left: 2, right: 2 }), {
    a: { left: [0, 1] },
    b: { right: [0, 1] },
  });
});

test('a topic that nobody reads, or of which nothing is known, is shared among nobody', () => {
  assert.deepEqual(share({ a: ['left'], b: ['right'] }, { left: 1, other: 2 }), {
    a: { left: [0] },
    b: {},
  });
});
