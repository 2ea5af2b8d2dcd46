import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { bodyDepthMax, complaintsMax, pathCharactersMax } from '../limits.ts';
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

  it('refuses what nests deeper than bodies may, at the first place that does', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    assert.deepEqual(scan(nested(bodyDepthMax)).duplicates, []);
    for (const text of [nested(bodyDepthMax + 1), '['.repeat(3_000_000)]) {
      assert.throws(() => scan(text), { message: 'exceeded max depth' });
    }
  });

  it('lets through what is not JSON, which somebody else will say', () => {
    for (const text of ['{"a', '}}]', '{"\\u00zz":1,"\\', '', ',,', '"\\']) {
      assert.deepEqual(scan(text).duplicates, [], text);
    }
  });

  it('names the first hundred of duplicates, by the beginning of a path that is long', () => {
    const key = 'k'.repeat(1000);
    const pairs = Array.from({ length: 3000 }, (_, i) => `"a${i}":1,"a${i}":1`).join();
    const text = `${`{"${key}":`.repeat(900)}{${pairs}}${'}'.repeat(900)}`;
    const { duplicates } = scan(text);
    assert.equal(duplicates.length, complaintsMax);
    assert(duplicates.every((path) => path.length < 2 * pathCharactersMax));
  });

  it('finds no duplicates in what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.deepEqual(scan(JSON.stringify(value)).duplicates, []);
      }),
    );
  });
});
