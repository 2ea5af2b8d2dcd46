import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scanJson } from './json-scan.ts';

describe('scanJson()', () => {
  it('names each duplicate key by its path, once', () => {
    const text = '{"a":1,"b":{"c":1,"c":2,"c":3},"l":[{"x":1},{"x":1,"x":2}],"a":2}';
    assert.deepEqual(scanJson(text).duplicates, ['b.c', 'l[1].x', 'a']);
  });

  it('compares keys after their escapes', () => {
    assert.deepEqual(scanJson('{"a":1,"\\u0061":2}').duplicates, ['a']);
  });

  it('is not misled by what stands in texts', () => {
    assert.deepEqual(scanJson('{"a":"{\\"a\\":1,","b":"\\\\","c":",\\"a\\":"}').duplicates, []);
  });

  it('tells how deep values nest, without running out of stack', () => {
    const depth = 200_000;
    assert.equal(scanJson('['.repeat(depth) + ']'.repeat(depth)).depth, depth);
  });

  it('finds no duplicates in what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.deepEqual(scanJson(JSON.stringify(value)).duplicates, []);
      }),
    );
  });
});
