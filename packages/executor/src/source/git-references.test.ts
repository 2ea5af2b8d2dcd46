import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCommit, isShortCommit, parseReferences, referenceNames } from './git-references.ts';

const one = '1'.repeat(40);
const two = '2'.repeat(40);
const tag = '3'.repeat(40);

test('parseReferences() reads commits by name, and leaves out what it does not understand', () => {
  const text = `${one}\tHEAD\n${two}\trefs/heads/main\nwarning: x\n\n`;
  const found = new Map([
    ['HEAD', one],
    ['refs/heads/main', two],
  ]);
  assert.deepEqual(parseReferences(text), found);
});

test('findCommit() takes a branch before a tag, and the commit that a tag points to', () => {
  const references = new Map([
    ['refs/tags/v1', tag],
    ['refs/tags/v1^{}', one],
    ['refs/heads/both', two],
    ['refs/tags/both', one],
    ['refs/tags/light', two],
    // What another remote called so.
    ['refs/remotes/x/refs/heads/main', tag],
  ]);
  assert.equal(findCommit(references, 'v1'), one);
  assert.equal(findCommit(references, 'refs/tags/v1'), one);
  assert.equal(findCommit(references, 'both'), two);
  assert.equal(findCommit(references, 'light'), two);
  assert.equal(findCommit(references, 'main'), undefined);
});

test('findCommit() without a reference takes what the repository points to', () => {
  assert.deepEqual(referenceNames(undefined), ['HEAD']);
  assert.equal(findCommit(new Map([['HEAD', two]]), undefined), two);
});

test('isShortCommit() tells shortened commits from full ones and from words', () => {
  assert.ok(isShortCommit('abc1234'));
  assert.ok(!isShortCommit(one));
  assert.ok(!isShortCommit('main'));
});
