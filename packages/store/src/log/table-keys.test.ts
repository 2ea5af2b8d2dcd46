import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyText, writeKey } from './table-keys.ts';

test('a key is written octet by octet, and only there', () => {
  const key = String.fromCharCode(0, 127, 128, 255);
  const target = Buffer.alloc(8, 7);
  assert.equal(writeKey(key, target, 2), 6);
  assert.deepEqual([...target], [7, 7, 0, 127, 128, 255, 7, 7]);
  assert.equal(keyText(target.subarray(2, 6)), key);
});

test('a key that there is no room for is not cut', () => {
  const target = Buffer.alloc(4, 7);
  assert.throws(() => writeKey('abc', target, 2), RangeError);
  assert.deepEqual([...target], [7, 7, 7, 7]);
});
