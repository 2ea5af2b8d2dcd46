import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSameToken, shownToken } from './source-token.ts';

test('shownToken() reads a bearer token, and the password of an address', () => {
  assert.equal(shownToken('Bearer abc'), 'abc');
  assert.equal(shownToken('bearer  abc'), 'abc');
  assert.equal(shownToken(`Basic ${Buffer.from('source:a:b').toString('base64')}`), 'a:b');
  for (const wrong of [undefined, '', 'abc', 'Digest abc', 'Bearer', 'Bearer a b', 'Basic eA==']) {
    assert.equal(shownToken(wrong), undefined, wrong);
  }
});

test('isSameToken() takes the same, of any length, and nothing else', () => {
  assert.ok(isSameToken('abc', 'abc'));
  for (const other of ['', 'ab', 'abcd', 'abd']) assert.ok(!isSameToken(other, 'abc'));
});
