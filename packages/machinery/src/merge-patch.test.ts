import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { applyMergePatch } from './merge-patch.ts';

describe('applyMergePatch() follows RFC 7396, appendix A', () => {
  const cases: readonly [target: unknown, patch: unknown, result: unknown][] = [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ];
  for (const [target, patch, result] of cases) {
    test(`${JSON.stringify(target)} + ${JSON.stringify(patch)}`, () => {
      assert.deepEqual(applyMergePatch(target, patch), result);
    });
  }
});

test('applyMergePatch() treats __proto__ like every other key', () => {
  const patch: unknown = JSON.parse('{"__proto__": {"polluted": true}}');
  const result = applyMergePatch({ a: 1 }, patch);
  assert.equal(JSON.stringify(result), '{"a":1,"__proto__":{"polluted":true}}');
  assert.equal(Reflect.get({}, 'polluted'), undefined);
});

const json = fc.jsonValue({ maxDepth: 4 });

test('applyMergePatch() changes neither argument, and nothing when applied again', () => {
  fc.assert(
    fc.property(json, json, (target, patch) => {
      const [before, wanted] = [JSON.stringify(target), JSON.stringify(patch)];
      const once = applyMergePatch(target, patch);
      assert.equal(JSON.stringify(target), before);
      assert.equal(JSON.stringify(patch), wanted);
      assert.deepEqual(applyMergePatch(once, patch), once);
    }),
  );
});

test('applyMergePatch() of an empty patch gives an object back', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), json), (target) => {
      assert.equal(JSON.stringify(applyMergePatch(target, {})), JSON.stringify(target));
    }),
  );
});
