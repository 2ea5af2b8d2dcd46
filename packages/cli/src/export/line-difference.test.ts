import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@fnlet/base';
import { comparedCellsMax } from '../limits.ts';
import { compareLines, formatDifference } from './line-difference.ts';

function text(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function difference(before: readonly string[], after: readonly string[]): string {
  return formatDifference(compareLines(text(before), text(after)));
}

test('equal texts have no difference', () => {
  assert.equal(difference(['a', 'b'], ['a', 'b']), '');
  assert.equal(difference([], []), '');
});

test('a changed line is shown with three lines around it, as diff -u does', () => {
  const before = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
  const after = before.map((line) => (line === '5' ? 'five' : line));
  assert.equal(difference(before, after), '@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n');
});

test('changes far apart are shown apart, near ones together', () => {
  const before = Array.from({ length: 30 }, (_, index) => `${index}`);
  const far = before.filter((line) => line !== '2' && line !== '25');
  assert.equal(difference(before, far).match(/@@ -/g)?.length, 2);
  const near = before.filter((line) => line !== '2' && line !== '8');
  assert.equal(difference(before, near).match(/@@ -/g)?.length, 1);
});

test('what is new has no lines before', () => {
  assert.equal(difference([], ['a', 'b']), '@@ -0,0 +1,2 @@\n+a\n+b\n');
  assert.equal(difference(['a'], []), '@@ -1,1 +0,0 @@\n-a\n');
});

test('a difference turns the one text into the other, whatever they are', () => {
  const random = seededRandom(7);
  for (let round = 0; round < 200; round++) {
    const lines = (): string[] =>
      Array.from(
        { length: Math.floor(random.next() * 12) },
        () => `${Math.floor(random.next() * 4)}`,
      );
    const [before, after] = [lines(), lines()];
    const found = compareLines(text(before), text(after));
    const side = (skipped: string): string[] =>
      found.filter(({ mark }) => mark !== skipped).map(({ line }) => line);
    assert.deepEqual(side('+'), before);
    assert.deepEqual(side('-'), after);
  }
});

test('texts that take too much to compare are taken for changed as a whole', () => {
  const count = Math.ceil(Math.sqrt(comparedCellsMax)) + 1;
  const before = Array.from({ length: count }, (_, index) => `a${index}`);
  const after = [...before].reverse();
  const found = compareLines(text(before), text(after));
  assert.equal(found.filter(({ mark }) => mark === '-').length, count);
});
