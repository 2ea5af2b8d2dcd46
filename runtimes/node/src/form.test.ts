import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseForm } from './form.ts';

const rows: readonly (readonly [string, unknown])[] = [
  ['', {}],
  ['a=1', { a: '1' }],
  ['a=b+c%20%C3%BC', { a: 'b c ü' }],
  ['a=1&a=2&a=3', { a: ['1', '2', '3'] }],
  ['a[]=1', { a: ['1'] }],
  ['a[]=1&a[]=2', { a: ['1', '2'] }],
  ['a[b]=1&a[c]=2', { a: { b: '1', c: '2' } }],
  ['a[b][c]=1', { a: { b: { c: '1' } } }],
  ['a[b][]=1&a[b][]=2', { a: { b: ['1', '2'] } }],
  ['a[b]=1&a[b]=2', { a: { b: ['1', '2'] } }],
  ['a=1&a[b]=2', { a: ['1', { b: '2' }] }],
  ['a[=1', { 'a[': '1' }],
  ['[a]=1', { '[a]': '1' }],
  ['__proto__[x]=1&a[__proto__][x]=1&constructor=1', { constructor: '1' }],
  ['__proto__=1', JSON.parse('{"__proto__":"1"}')],
  ['a[1][2][3][4][5][6]=x', { a: { 1: { 2: { 3: { 4: { '[5][6]': 'x' } } } } } }],
];

for (const [text, form] of rows) {
  test(`parseForm() of ${text}`, () => assert.deepEqual(parseForm(text), form));
}

test('parseForm() reads flat forms as they were written', () => {
  const plain = fc.string({ minLength: 1 }).filter((text) => !/[[\]]/.test(text));
  const fields = fc.uniqueArray(fc.tuple(plain, fc.string()), { selector: ([key]) => key });
  fc.assert(
    fc.property(fields, (pairs) => {
      const text = encode(pairs);
      const expected = Object.fromEntries(new URLSearchParams(text));
      assert.deepEqual(parseForm(text), expected);
    }),
  );
});

test('parseForm() takes whatever is sent, and leaves prototypes alone', () => {
  const key = fc.string({ unit: fc.constantFrom('a', 'b', '[', ']', '__proto__', 'constructor') });
  fc.assert(
    fc.property(fc.array(fc.tuple(key, fc.string())), (pairs) => {
      const form = parseForm(encode(pairs));
      assert.equal(Object.getPrototypeOf(form), Object.prototype);
      assert.equal(Reflect.get({}, 'a'), undefined);
    }),
  );
});

test('parseForm() reads no more fields than it is allowed to', () => {
  const text = Array.from({ length: 1500 }, (_, i) => `f${i}=1`).join('&');
  assert.equal(Object.keys(parseForm(text)).length, 1000);
});

function encode(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
}
