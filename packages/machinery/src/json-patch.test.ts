import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { applyJsonPatch, parseJsonPatch } from './json-patch.ts';
import type { MachineryErrorCode } from './machinery-error.ts';

function patched(target: unknown, operations: unknown): unknown {
  return applyJsonPatch(target, parseJsonPatch(operations));
}

describe('applyJsonPatch() follows RFC 6902', () => {
  const cases: readonly [target: unknown, operation: unknown, result: unknown][] = [
    [{ foo: 'bar' }, { op: 'add', path: '/baz', value: 'qux' }, { foo: 'bar', baz: 'qux' }],
    [{ foo: ['a', 'b'] }, { op: 'add', path: '/foo/1', value: 'x' }, { foo: ['a', 'x', 'b'] }],
    [{ foo: ['a'] }, { op: 'add', path: '/foo/1', value: 'x' }, { foo: ['a', 'x'] }],
    [{ foo: ['a'] }, { op: 'add', path: '/foo/-', value: ['x'] }, { foo: ['a', ['x']] }],
    [{ foo: 1 }, { op: 'add', path: '/foo', value: null }, { foo: null }],
    [{ foo: 1 }, { op: 'add', path: '', value: [1] }, [1]],
    [{ '': 1 }, { op: 'add', path: '/', value: 2 }, { '': 2 }],
    [{ 'a/b': 1, '~1': 2 }, { op: 'remove', path: '/a~1b' }, { '~1': 2 }],
    [{ '~1': 2 }, { op: 'replace', path: '/~01', value: 3 }, { '~1': 3 }],
    [{ foo: ['a', 'b', 'c'] }, { op: 'remove', path: '/foo/1' }, { foo: ['a', 'c'] }],
    [{ foo: ['a', 'b'] }, { op: 'replace', path: '/foo/0', value: 'x' }, { foo: ['x', 'b'] }],
    [{ foo: 1 }, { op: 'replace', path: '', value: 2 }, 2],
    [
      { a: { b: 1 }, c: {} },
      { op: 'move', from: '/a/b', path: '/c/d' },
      { a: {}, c: { d: 1 } },
    ],
    [{ a: [1, 2, 3] }, { op: 'move', from: '/a/0', path: '/a/2' }, { a: [2, 3, 1] }],
    [{ a: 1 }, { op: 'move', from: '/a', path: '/a' }, { a: 1 }],
    [{ a: { b: 1 } }, { op: 'copy', from: '/a', path: '/c' }, { a: { b: 1 }, c: { b: 1 } }],
    [{ a: [1, { b: 2 }] }, { op: 'test', path: '/a', value: [1, { b: 2 }] }, { a: [1, { b: 2 }] }],
  ];
  for (const [target, operation, result] of cases) {
    test(`${JSON.stringify(target)} ${JSON.stringify(operation)}`, () => {
      assert.deepEqual(patched(target, [operation]), result);
    });
  }
});

describe('applyJsonPatch() refuses', () => {
  const cases: readonly [target: unknown, operation: unknown, code: MachineryErrorCode][] = [
    [{ a: 1 }, { op: 'test', path: '/a', value: 2 }, 'PatchTestFailed'],
    [{ a: 1 }, { op: 'test', path: '/b', value: 1 }, 'PatchTestFailed'],
    [{ a: 1 }, { op: 'test', path: '/b/c', value: null }, 'PatchNotApplicable'],
    [{ a: 1 }, { op: 'remove', path: '/b' }, 'PatchNotApplicable'],
    [{ a: 1 }, { op: 'replace', path: '/b/c', value: 1 }, 'PatchNotApplicable'],
    [{ a: 1 }, { op: 'add', value: 1 }, 'PatchNotApplicable'],
    [{ a: 1 }, { op: 'move', path: '/a' }, 'PatchNotApplicable'],
    [{ a: 1 }, { op: 'remove', path: 'a' }, 'PatchNotApplicable'],
    [{ a: 1 }, { op: 'remove', path: '/~2' }, 'PatchNotApplicable'],
    [{ a: 1 }, { op: 'add', path: '/b/c', value: 1 }, 'PatchNotApplicable'],
    [{ a: 1 }, { op: 'add', path: '/a/c', value: 1 }, 'PatchNotApplicable'],
    [[1], { op: 'add', path: '/2', value: 1 }, 'PatchNotApplicable'],
    [[1], { op: 'add', path: '/00', value: 1 }, 'PatchNotApplicable'],
    [[1], { op: 'add', path: '/-1', value: 1 }, 'PatchNotApplicable'],
    [[1], { op: 'remove', path: '/1' }, 'PatchNotApplicable'],
    [[1], { op: 'remove', path: '/-' }, 'PatchNotApplicable'],
    [{}, { op: 'remove', path: '' }, 'PatchNotApplicable'],
    [{ a: { b: 1 } }, { op: 'move', from: '/a', path: '/a/b' }, 'PatchNotApplicable'],
    [{}, { op: 'remove', path: '/constructor' }, 'PatchNotApplicable'],
    [{}, { op: 'add', path: '/__proto__/x', value: 1 }, 'PatchNotApplicable'],
  ];
  for (const [target, operation, code] of cases) {
    test(`${JSON.stringify(operation)} on ${JSON.stringify(target)}`, () => {
      assert.throws(() => patched(target, [operation]), { code });
    });
  }
});

test('applyJsonPatch() is as evanphx/json-patch is where that is not RFC 6902', () => {
  const cases: readonly [operation: object, result: object][] = [
    [
      { op: 'replace', path: '/b', value: 1 },
      { a: 1, b: 1 },
    ],
    [
      { op: 'copy', from: '/b', path: '/c' },
      { a: 1, c: null },
    ],
    [{ op: 'test', path: '/b', value: null }, { a: 1 }],
    [
      { op: 'add', path: '/b' },
      { a: 1, b: null },
    ],
    [
      { op: 'add', path: 'any/b', value: 2 },
      { a: 1, b: 2 },
    ],
  ];
  for (const [operation, result] of cases) {
    assert.deepEqual(patched({ a: 1 }, [operation]), result, JSON.stringify(operation));
  }
});

describe('parseJsonPatch() refuses', () => {
  const cases: readonly [document: unknown, message: string | RegExp][] = [
    [
      { op: 'add' },
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    ],
    [
      [{ op: 'frob', path: '/spec' }],
      'invalid operation {"op":"frob","path":"/spec"}: unsupported operation',
    ],
    [[1], /cannot unmarshal number into Go value of type handlers.jsonPatchOp$/],
  ];
  for (const [document, message] of cases) {
    test(JSON.stringify(document), () => {
      assert.throws(() => parseJsonPatch(document), { code: 'InvalidPatch', message });
    });
  }

  test('more than 10 000 operations', () => {
    const many = Array(10_001).fill({ op: 'test', path: '', value: {} });
    assert.throws(() => parseJsonPatch(many), { code: 'PatchTooLarge' });
    const deep = [{ op: 'remove', path: '/'.repeat(1001) }];
    assert.throws(() => parseJsonPatch(deep), { code: 'PatchTooLarge', message: /1000 parts/ });
    assert.equal(parseJsonPatch(many.slice(1)).length, 10_000);
  });
});

test('applyJsonPatch() stops copies that would explode', () => {
  const empty = { a: Array.from({ length: 5000 }, () => ({})) };
  const many = Array.from({ length: 9 }, (_, i) => ({ op: 'copy', from: '/a', path: `/c${i}` }));
  assert.throws(() => patched(empty, many), { code: 'PatchTooLarge', message: /40000 values$/ });
  const doubling = Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '', path: `/c${i}` }));
  assert.throws(() => patched({ a: 'x'.repeat(1000) }, doubling), { code: 'PatchTooLarge' });
});

test('applyJsonPatch() sets __proto__ as data', () => {
  const result = patched({}, [{ op: 'add', path: '/__proto__', value: { polluted: true } }]);
  assert.equal(JSON.stringify(result), '{"__proto__":{"polluted":true}}');
  assert.equal(Reflect.get({}, 'polluted'), undefined);
});

test('applyJsonPatch() changes nothing of its arguments, whether it succeeds or fails', () => {
  const target = { a: { b: [1] } };
  const patch = parseJsonPatch([
    { op: 'add', path: '/c', value: { d: 1 } },
    { op: 'add', path: '/c/e', value: 2 },
    { op: 'remove', path: '/a/b/0' },
    { op: 'test', path: '/nope', value: 1 },
  ]);
  assert.throws(() => applyJsonPatch(target, patch));
  assert.deepEqual(applyJsonPatch(target, patch.slice(0, 3)), { a: { b: [] }, c: { d: 1, e: 2 } });
  assert.deepEqual(target, { a: { b: [1] } });
  assert.deepEqual(patch[0], { op: 'add', path: ['c'], value: { d: 1 } });
});

const json = fc.jsonValue({ maxDepth: 3 });
const pointer = (key: string): string => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;

test('applyJsonPatch() undoes an add with a remove and a move with its inverse', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), json), fc.string(), json, (target, key, value) => {
      const path = pointer(`new ${key}`);
      const [other, add] = [`${path} too`, { op: 'add', path, value }];
      assert.equal(
        JSON.stringify(patched(target, [add, { op: 'remove', path }])),
        JSON.stringify(target),
      );
      const there = { op: 'move', from: path, path: other };
      const back = { op: 'move', from: other, path };
      const check = { op: 'test', path, value };
      assert.deepEqual(patched(target, [add, there, back, check]), patched(target, [add]));
    }),
  );
});
