import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type JsonScan, scanJson } from './json-scan.ts';
import { ValueBudget } from './value-budget.ts';

const scan = (text: string): JsonScan => scanJson(text, new ValueBudget());

describe('scanJson()', () => {
  it('names each duplicate key by its path, once', () => {
    const text = '{"a":1,"b":{"c":1,"c":2,"c":3},"l":[{"x":1},{"x":1,"x":2}],"a":2}';
    assert.deepEqual(scan(text).duplicates, ['b.c', 'l[1].x', 'a']);
  });

  it('compares keys after their escapes', () => {
    assert.deepEqual(scan('{"a":1,"\\u0061":2}').duplicates, ['a']);
  });

  it('is not misled by what stands in texts', () => {
    assert.deepEqual(scan('{"a":"{\\"a\\":1,","b":"\\\\","c":",\\"a\\":"}').duplicates, []);
  });

  it('tells how deep values nest, without running out of stack', () => {
    const depth = 35_000;
    assert.equal(scan('['.repeat(depth) + ']'.repeat(depth)).depth, depth);
  });

  it('finds no duplicates in what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.deepEqual(scan(JSON.stringify(value)).duplicates, []);
      }),
    );
  });
});
