import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ListType } from '../field-type.ts';
import {
  fieldElement,
  formatPath,
  identifyItem,
  itemElement,
  parsePathElement,
} from './path-element.ts';

const scalar = { kind: 'scalar' } as const;
const set: ListType = {
  kind: 'list',
  relationship: 'set',
  element: scalar,
  keys: [],
  keyDefaults: {},
};
const ports: ListType = {
  kind: 'list',
  relationship: 'map',
  element: { kind: 'deduced' },
  keys: ['port', 'protocol'],
  keyDefaults: { protocol: 'TCP' },
};

test('itemElement() names an item by its keys in order, defaults included', () => {
  assert.equal(itemElement(ports, { port: 80 }, 0), 'k:{"port":80,"protocol":"TCP"}');
  assert.equal(
    itemElement(ports, { protocol: 'UDP', port: 80 }, 0),
    'k:{"port":80,"protocol":"UDP"}',
  );
  assert.equal(itemElement({ ...ports, keyDefaults: {} }, { port: 80 }, 0), 'k:{"port":80}');
  assert.equal(itemElement(set, 'a"b', 0), 'v:"a\\"b"');
  assert.equal(itemElement(set, 1.0, 0), 'v:1');
});

test('itemElement() falls back to the place of an item that has no identity', () => {
  assert.equal(itemElement({ ...ports, keyDefaults: {} }, {}, 3), 'i:3');
  assert.equal(itemElement(set, null, 1), 'i:1');
});

describe('identifyItem() says why an item has no identity', () => {
  const cases: readonly [type: ListType, item: unknown, problem: RegExp][] = [
    [ports, null, /may not have a null element$/],
    [ports, 'a', /may not have non-map elements$/],
    [{ ...ports, keyDefaults: {} }, {}, /omits all key fields \["port" "protocol"\]/],
    [set, {}, /has an element that's a map type$/],
    [set, [], /lists as elements$/],
    [set, null, /an explicit null$/],
  ];
  for (const [type, item, problem] of cases) {
    test(`${JSON.stringify(item)} in a ${type.relationship}`, () => {
      assert.match(identifyItem(type, item, 0).problem ?? '', problem);
    });
  }
});

test('parsePathElement() gives equal steps equal texts', () => {
  assert.equal(parsePathElement('k:{"b": 2, "a": "\\u0061"}'), 'k:{"a":"a","b":2}');
  assert.equal(parsePathElement('v:1.0'), 'v:1');
  assert.equal(parsePathElement('i:007'), 'i:7');
  assert.equal(parsePathElement('f:a:b.c'), 'f:a:b.c');
});

test('parsePathElement() refuses what is no step', () => {
  for (const text of ['', 'name', 'x:1', 'k:[]', 'k:{', 'v:', 'i:-1', 'i:x']) {
    assert.throws(() => parsePathElement(text), { code: 'InvalidFieldSet' }, text);
  }
});

test('formatPath() writes paths as conflicts show them', () => {
  const path = [
    fieldElement('spec'),
    fieldElement('ports'),
    itemElement(ports, { port: 80 }, 0),
    fieldElement('note'),
  ];
  assert.equal(formatPath(path), '.spec.ports[port=80,protocol="TCP"].note');
  assert.equal(formatPath([fieldElement('tags'), itemElement(set, 'x', 0)]), '.tags[="x"]');
  assert.equal(formatPath([parsePathElement('i:3')]), '[3]');
});
