import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { jsonPatchFailure } from './json-patch-failure.ts';

const object = { labels: { a: '1' }, list: ['x'], text: 't' };

// What kube-apiserver 1.36.3's own code said to the same operations.
const rows: readonly (readonly [object, string])[] = [
  [{}, 'Unexpected kind: '],
  [{ op: 'nope', path: '/labels' }, 'Unexpected kind: nope'],
  [
    { op: 'add', path: 'labels' },
    'add operation does not apply: doc is missing path: "labels": missing value',
  ],
  [
    { op: 'add', path: '/none/a', value: 1 },
    'add operation does not apply: doc is missing path: "/none/a": missing value',
  ],
  [
    { op: 'add', path: '/list/9', value: 1 },
    "error in add for path: '/list/9': Unable to access invalid index: 9: invalid index referenced",
  ],
  [
    { op: 'add', path: '/list/x', value: 1 },
    "error in add for path: '/list/x': value was not a proper array index: 'x': strconv.Atoi: parsing \"x\": invalid syntax",
  ],
  [
    { op: 'remove', path: '/labels/b' },
    "error in remove for path: '/labels/b': Unable to remove nonexistent key: b: missing value",
  ],
  [
    { op: 'remove', path: '/none/b' },
    'remove operation does not apply: doc is missing path: "/none/b": missing value',
  ],
  [
    { op: 'remove', path: '/list/x' },
    'error in remove for path: \'/list/x\': strconv.Atoi: parsing "x": invalid syntax',
  ],
  [
    { op: 'test', path: '/list/9', value: 1 },
    "error in test for path: '/list/9': Unable to access invalid index: 9: invalid index referenced",
  ],
  [
    { op: 'copy', from: '/list/9', path: '/labels/d' },
    "error in copy for from: '/list/9': Unable to access invalid index: 9: invalid index referenced",
  ],
  [
    { op: 'copy', path: '/labels/d' },
    'copy operation failed to decode from: operation, missing from field: missing value',
  ],
  [
    { op: 'replace', path: '/none/b', value: 1 },
    'replace operation does not apply: doc is missing path: /none/b: missing value',
  ],
  [
    { op: 'replace', path: '/list/3', value: 1 },
    'replace operation does not apply: doc is missing key: /list/3: missing value',
  ],
  [
    { op: 'test', path: '/none/b', value: 1 },
    'test operation does not apply: is missing path: /none/b: missing value',
  ],
  [
    { op: 'move', from: '/none/b', path: '/labels/c' },
    'move operation does not apply: doc is missing from path: /none/b: missing value',
  ],
  [
    { op: 'move', from: '/labels/b', path: '/labels/c' },
    "error in move for path: 'b': Unable to remove nonexistent key: b: missing value",
  ],
  [
    { op: 'copy', from: '/labels/a', path: '/none/c' },
    'copy operation does not apply: doc is missing destination path: /none/c: missing value',
  ],
];

describe('jsonPatchFailure()', () => {
  for (const [operation, text] of rows) {
    it(`says ${text}`, () => assert.equal(jsonPatchFailure(object, [operation]), text));
  }

  it('is about the object as the operations before have left it', () => {
    const removed = { op: 'remove', path: '/labels' };
    assert.equal(
      jsonPatchFailure(object, [removed, { op: 'add', path: '/labels/a', value: '' }]),
      'add operation does not apply: doc is missing path: "/labels/a": missing value',
    );
  });
});
