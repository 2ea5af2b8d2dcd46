import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { FieldType } from '../field-type.ts';
import {
  differenceOf,
  equalFieldSets,
  exclude,
  type FieldSet,
  hasPath,
  insertPath,
  intersectionOf,
  isEmptyFieldSet,
  leavesOf,
  mutableFieldSet,
  parseFieldSet,
  pathsOf,
  toFieldsV1,
  unionOf,
  withDeclaredFields,
} from './field-set.ts';
import { formatPath, type PathElement, parsePathElement } from './path-element.ts';

function setOf(paths: readonly (readonly PathElement[])[]): FieldSet {
  const set = mutableFieldSet();
  for (const path of paths) insertPath(set, path);
  return set;
}

function keysOf(set: FieldSet): string[] {
  return [...pathsOf(set)].map((path) => path.join('/'));
}

const element = fc.constantFrom('f:a', 'f:b', 'v:1', 'k:{"n":"x"}').map(parsePathElement);
const path = fc.array(element, { minLength: 1, maxLength: 3 });
const fieldSet = fc.array(path, { maxLength: 6 }).map(setOf);

test('parseFieldSet() and toFieldsV1() are inverse', () => {
  const fieldsV1 = {
    'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
    'f:spec': {
      'f:ports': { 'k:{"port":80}': { '.': {}, 'f:port': {} } },
      'f:tags': { 'v:"a"': {} },
    },
  };
  assert.deepEqual(toFieldsV1(parseFieldSet(fieldsV1)), fieldsV1);
  fc.assert(fc.property(fieldSet, (set) => equalFieldSets(parseFieldSet(toFieldsV1(set)), set)));
});

test('parseFieldSet() refuses what is no field set', () => {
  for (const fieldsV1 of [null, [], 'f:a', { a: {} }, { 'f:a': 1 }, { 'f:a': { 'k:x': {} } }]) {
    assert.throws(() => parseFieldSet(fieldsV1), { code: 'InvalidFieldSet' });
  }
});

test('parseFieldSet() keeps a field called __proto__', () => {
  const fieldsV1: unknown = JSON.parse('{"f:__proto__": {"f:polluted": {}}}');
  assert.deepEqual(keysOf(parseFieldSet(fieldsV1)), ['f:__proto__/f:polluted']);
});

describe('set operations agree with sets of paths', () => {
  const operations: readonly [
    name: string,
    operation: (a: FieldSet, b: FieldSet) => FieldSet,
    model: (a: Set<string>, b: Set<string>) => Set<string>,
  ][] = [
    ['unionOf', unionOf, (a, b) => a.union(b)],
    ['intersectionOf', intersectionOf, (a, b) => a.intersection(b)],
    ['differenceOf', differenceOf, (a, b) => a.difference(b)],
    [
      'exclude',
      exclude,
      (a, b) =>
        new Set([...a].filter((key) => ![...b].some((top) => `${key}/`.startsWith(`${top}/`)))),
    ],
  ];
  for (const [name, operation, model] of operations) {
    test(`${name}()`, () => {
      fc.assert(
        fc.property(fieldSet, fieldSet, (a, b) => {
          const [before, other] = [keysOf(a), keysOf(b)];
          const result = operation(a, b);
          const expected = model(new Set(before), new Set(other));
          assert.deepEqual(keysOf(result).sort(), [...expected].sort());
          assert.equal(isEmptyFieldSet(result), expected.size === 0);
          assert.deepEqual([keysOf(a), keysOf(b)], [before, other]);
        }),
      );
    });
  }

  test('hasPath() and equalFieldSets()', () => {
    fc.assert(
      fc.property(fieldSet, fieldSet, path, (a, b, probe) => {
        assert.equal(hasPath(a, probe), keysOf(a).includes(probe.join('/')));
        assert.equal(equalFieldSets(a, b), keysOf(a).join() === keysOf(b).join());
      }),
    );
  });

  test('leavesOf() keeps the paths with nothing below', () => {
    fc.assert(
      fc.property(fieldSet, (set) => {
        const all = keysOf(set);
        const leaves = all.filter((key) => !all.some((other) => other.startsWith(`${key}/`)));
        assert.deepEqual(keysOf(leavesOf(set)), leaves);
      }),
    );
  });

  test('what changes nothing returns the set itself', () => {
    const set = parseFieldSet({ 'f:a': { 'f:b': {} }, 'f:c': {} });
    assert.equal(differenceOf(set, parseFieldSet({ 'f:a': {}, 'f:x': { 'f:y': {} } })), set);
    assert.equal(unionOf(set, parseFieldSet({ 'f:a': { 'f:b': {} } })), set);
  });
});

test('pathsOf() gives the members of a node before what lies below', () => {
  const set = parseFieldSet({ 'f:spec': { 'f:opts': { 'f:a': {} }, 'f:size': {}, 'f:args': {} } });
  assert.deepEqual([...pathsOf(set)].map(formatPath), ['.spec.args', '.spec.size', '.spec.opts.a']);
});

test('withDeclaredFields() adds the declared fields on the way, not entries and items', () => {
  const scalar: FieldType = { kind: 'scalar' };
  const type: FieldType = {
    kind: 'map',
    relationship: 'granular',
    fields: {
      labels: { kind: 'map', relationship: 'granular', fields: {}, element: { kind: 'deduced' } },
      list: { kind: 'list', relationship: 'map', keys: ['n'], keyDefaults: {}, element: scalar },
    },
  };
  const set = parseFieldSet({
    'f:labels': { 'f:a': { 'f:b': {} } },
    'f:list': { 'k:{"n":1}': {} },
  });
  assert.deepEqual(toFieldsV1(withDeclaredFields(set, type)), {
    'f:labels': { '.': {}, 'f:a': { 'f:b': {} } },
    'f:list': { '.': {}, 'k:{"n":1}': {} },
  });
});
