import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject, ObjectMeta } from '@fnlet/machinery';
import {
  allOf,
  annotationsChanged,
  anyOf,
  generationChanged,
  labelsChanged,
  not,
  type Predicate,
  resourceVersionChanged,
} from './predicate.ts';

function object(metadata: Partial<ObjectMeta>): KubeObject {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a', ...metadata } };
}

function passes(predicate: Predicate, old: Partial<ObjectMeta>, now: Partial<ObjectMeta>): boolean {
  return predicate({ kind: 'updated', old: object(old), object: object(now) });
}

const cases: readonly [string, Predicate, Partial<ObjectMeta>, Partial<ObjectMeta>, boolean][] = [
  ['generation moves', generationChanged, { generation: 1 }, { generation: 2 }, true],
  [
    'only the status moves',
    generationChanged,
    { generation: 1, resourceVersion: '1' },
    { generation: 1, resourceVersion: '2' },
    false,
  ],
  [
    'a kind without generation is updated',
    generationChanged,
    { resourceVersion: '1' },
    { resourceVersion: '2' },
    true,
  ],
  [
    'deletion is marked',
    generationChanged,
    { generation: 1 },
    { generation: 1, deletionTimestamp: '2026-01-01T00:00:00Z' },
    true,
  ],
  [
    'a finalizer is removed',
    generationChanged,
    { generation: 1, finalizers: ['a'] },
    { generation: 1 },
    true,
  ],
  ['a label changes', labelsChanged, { labels: { a: '1' } }, { labels: { a: '2' } }, true],
  ['labels stay', labelsChanged, { labels: { a: '1' } }, { labels: { a: '1' } }, false],
  ['an annotation comes', annotationsChanged, {}, { annotations: { a: '1' } }, true],
  ['a resync', resourceVersionChanged, { resourceVersion: '1' }, { resourceVersion: '1' }, false],
  [
    'either changes',
    anyOf(generationChanged, labelsChanged),
    { generation: 1 },
    { generation: 1, labels: { a: '1' } },
    true,
  ],
  [
    'one of both changes',
    allOf(generationChanged, labelsChanged),
    { generation: 1 },
    { generation: 2 },
    false,
  ],
  ['the opposite', not(labelsChanged), {}, {}, true],
];

for (const [title, predicate, old, now, expected] of cases) {
  test(`${expected ? 'passes' : 'holds back'}: ${title}`, () => {
    assert.equal(passes(predicate, old, now), expected);
  });
}

test('what is new or gone always passes', () => {
  for (const predicate of [generationChanged, labelsChanged, resourceVersionChanged]) {
    assert.ok(predicate({ kind: 'added', object: object({}) }));
    assert.ok(predicate({ kind: 'deleted', object: object({}) }));
  }
});
