import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileFunction } from 'node:vm';
import { parameterNames } from './parameter-names.ts';

const rows: readonly (readonly [string, readonly string[]])[] = [
  ['function (event, context) {}', ['event', 'context']],
  ['async function main(req, res) {}', ['req', 'res']],
  ['function* main(a) {}', ['a']],
  ['(req, res) => {}', ['req', 'res']],
  ['async (a) => a', ['a']],
  ['event => event', ['event']],
  ['async event => event', ['event']],
  ['() => 1', []],
  ['({ main(req, res) {} }).main', ['req', 'res']],
  ['({ async main(req /* the request */, res) {} }).main', ['req', 'res']],
  ['(event, { a }, rest) => 1', ['event']],
  ['(a = 1, b) => 1', ['a', 'b']],
  ['(...all) => 1', []],
  ['(function main(a) {}).bind(null)', []],
  ['Math.max', []],
];

for (const [source, names] of rows) {
  test(`parameterNames() of ${source}`, () => {
    assert.deepEqual(parameterNames(compileFunction(`return ${source};`)()), names);
  });
}
