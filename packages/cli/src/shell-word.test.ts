import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quoteForShell } from './shell-word.ts';

test('quoteForShell() leaves plain words alone and quotes all others', () => {
  assert.equal(quoteForShell('/a/b-c_1.d'), '/a/b-c_1.d');
  for (const [word, quoted] of [
    ['', "''"],
    ['my function', "'my function'"],
    ['$HOME `id`', "'$HOME `id`'"],
    ["it's", "'it'\\''s'"],
  ] as const) {
    assert.equal(quoteForShell(word), quoted);
  }
});
