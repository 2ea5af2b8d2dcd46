import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { compareQuantities, formatQuantity, parseQuantity, quantityValue } from './quantity.ts';

describe('formatQuantity() gives the canonical form', () => {
  const cases: readonly [text: string, canonical: string, value: number][] = [
    ['0', '0', 0],
    ['0Mi', '0', 0],
    ['1', '1', 1],
    ['+1.50', '1500m', 1.5],
    ['.5', '500m', 0.5],
    ['1.', '1', 1],
    ['100m', '100m', 0.1],
    ['1500m', '1500m', 1.5],
    ['2000m', '2', 2],
    ['1000k', '1M', 1e6],
    ['1Gi', '1Gi', 2 ** 30],
    ['1.5Gi', '1536Mi', 1.5 * 2 ** 30],
    ['1024Mi', '1Gi', 2 ** 30],
    ['0.5Ki', '512', 512],
    ['1025Ki', '1025Ki', 1025 * 1024],
    ['1e3', '1e3', 1000],
    ['1E3', '1e3', 1000],
    ['12e-3', '12e-3', 0.012],
    ['1E', '1E', 1e18],
    ['-1.5', '-1500m', -1.5],
    ['0.0000000001', '1n', 1e-9],
    ['1e99', '9223372036854775807', 2 ** 63],
  ];
  for (const [text, canonical, value] of cases) {
    test(text, () => {
      const quantity = parseQuantity(text);
      assert.ok(quantity);
      assert.equal(formatQuantity(quantity), canonical);
      assert.equal(quantityValue(quantity), value);
    });
  }
});

test('parseQuantity() takes numbers as JSON has them', () => {
  assert.deepEqual(parseQuantity(1.5), parseQuantity('1.5'));
});

test('parseQuantity() refuses what is no quantity', () => {
  for (const text of ['', 'abc', '1Ki5', '1 Gi', '1K', '1ki', '--1', '1e', '1e1.5', '.', 'NaN']) {
    assert.equal(parseQuantity(text), undefined, text);
  }
  assert.equal(parseQuantity('1'.repeat(10_000)), undefined);
  assert.equal(parseQuantity(Number.NaN), undefined);
});

test('compareQuantities() compares across suffixes', () => {
  const compare = (a: string, b: string): number => {
    const [left, right] = [parseQuantity(a), parseQuantity(b)];
    assert.ok(left && right);
    return compareQuantities(left, right);
  };
  assert.equal(compare('1Gi', '1024Mi'), 0);
  assert.equal(compare('1000m', '1'), 0);
  assert.ok(compare('1G', '1Gi') < 0);
  assert.ok(compare('-1', '-2') > 0);
});

test('formatQuantity() writes what parseQuantity() reads as the same quantity', () => {
  const suffix = fc.constantFrom('', 'm', 'u', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3', 'e-3');
  fc.assert(
    fc.property(fc.integer({ min: -(10 ** 6), max: 10 ** 6 }), suffix, (number, unit) => {
      const quantity = parseQuantity(`${number}${unit}`);
      assert.ok(quantity);
      const again = parseQuantity(formatQuantity(quantity));
      assert.equal(again?.nano, quantity.nano);
      assert.equal(again && formatQuantity(again), formatQuantity(quantity));
    }),
  );
});
