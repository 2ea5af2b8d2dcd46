import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonEqual } from '@fnlet/base';
import { applyJsonPatch, parseJsonPatch } from '@fnlet/machinery';
import fc from 'fast-check';
import { planJsonPatch } from './plan-json-patch.ts';

test('planJsonPatch() makes the one of the other', () => {
  const value = fc.jsonValue({ maxDepth: 4 });
  fc.assert(
    fc.property(value, value, (before, after) => {
      const patched = applyJsonPatch(before, parseJsonPatch(planJsonPatch(before, after)));
      assert.ok(jsonEqual(patched, after));
    }),
  );
});

test('planJsonPatch() touches only what differs', () => {
  const before = { spec: { a: 1, list: [1, 2, 3], 'x/y~z': true }, kept: { deep: [{}] } };
  const after = { spec: { b: 2, list: [1, 5] }, kept: { deep: [{}] } };
  assert.deepEqual(planJsonPatch(before, after), [
    { op: 'remove', path: '/spec/a' },
    { op: 'replace', path: '/spec/list/1', value: 5 },
    { op: 'remove', path: '/spec/list/2' },
    { op: 'remove', path: '/spec/x~1y~0z' },
    { op: 'add', path: '/spec/b', value: 2 },
  ]);
  assert.deepEqual(planJsonPatch(before, { ...before }), []);
});

test('planJsonPatch() takes undefined for absent', () => {
  assert.deepEqual(planJsonPatch({ a: undefined }, { b: undefined }), []);
  assert.deepEqual(planJsonPatch({ a: 1 }, { a: undefined }), [{ op: 'remove', path: '/a' }]);
});
