import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LastOutput } from './last-output.ts';
import { limits } from './limits.ts';

function linesOf(...chunks: readonly string[]): string {
  const last = new LastOutput();
  for (const chunk of chunks) last.add(Buffer.from(chunk));
  return last.lines();
}

test('LastOutput has the last lines, however they came', () => {
  assert.equal(linesOf(), '');
  assert.equal(linesOf('\n', '\n'), '');
  assert.equal(linesOf('a', 'b\nc', '\nd'), 'ab\nc\nd');
  const many = Array.from({ length: 20 }, (_, number) => `line ${number}\n`);
  assert.equal(linesOf(...many), 'line 15\nline 16\nline 17\nline 18\nline 19');
});

test('LastOutput is bounded, and begins with a whole line where there is one', () => {
  const max = limits.lastOutputBytesMax;
  assert.equal(linesOf('x'.repeat(3 * max)), 'x'.repeat(max));
  assert.equal(linesOf('ü'.repeat(max), '\nthe end\n'), 'the end');
});

test('LastOutput takes out what would move a cursor', () => {
  assert.equal(linesOf('\u001b[31mred\u001b[0m\r\nplain\u0007'), 'red\nplain');
});
