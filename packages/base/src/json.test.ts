import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson, deepFreeze, jsonEqual } from './json.ts';

test('canonicalJson() gives equal values equal texts', () => {
  assert.equal(canonicalJson({ b: [{ d: 1, c: 2 }], a: 'x' }), '{"a":"x","b":[{"c":2,"d":1}]}');
});

test('jsonEqual() agrees with canonicalJson()', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      assert.equal(jsonEqual(a, b), canonicalJson(a) === canonicalJson(b));
      assert.ok(jsonEqual(a, structuredClone(a)));
    }),
  );
});

test('jsonEqual() takes an undefined field for an absent one', () => {
  assert.ok(jsonEqual({ a: 1, b: undefined }, { a: 1 }));
  assert.ok(!jsonEqual({ a: undefined, b: 1 }, { a: 1, b: 1 }));
});

test('deepFreeze() reaches every level', () => {
  const value = deepFreeze({ a: [{ b: 1 }] });
  assert.throws(() => Object.assign(value.a[0] ?? {}, { b: 2 }), TypeError);
});
