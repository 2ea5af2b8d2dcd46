import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { limits } from './limits.ts';
import { LineBuffer } from './line-buffer.ts';

function collect(prefix: string): { readonly buffer: LineBuffer; readonly written: string[] } {
  const written: string[] = [];
  return { buffer: new LineBuffer(prefix, (lines) => written.push(lines)), written };
}

test('LineBuffer gives out whole lines only, each with its prefix', () => {
  const { buffer, written } = collect('[a] ');
  for (const part of ['one', ' and', ' more\ntwo\nthr', 'ee']) buffer.write(part);
  assert.deepEqual(written, ['[a] one and more\n[a] two\n']);
  buffer.flush();
  buffer.flush();
  assert.deepEqual(written.slice(1), ['[a] three\n']);
});

test('LineBuffer loses no character, wherever the writes are cut', () => {
  const part = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r'), maxLength: 8 });
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const { buffer, written } = collect('> ');
      for (const one of parts) buffer.write(one);
      buffer.flush();
      const text = parts.join('');
      const lines = text.split('\n');
      if (lines.at(-1) === '') lines.pop();
      assert.equal(written.join(''), lines.map((line) => `> ${line}\n`).join(''));
    }),
  );
});

test('LineBuffer cuts endless lines and keeps no more than one piece', () => {
  const { buffer, written } = collect('');
  const piece = 'x'.repeat(limits.logLineCharactersMax / 4);
  for (let i = 0; i < 10; i++) buffer.write(piece);
  assert.ok(written.length >= 1);
  buffer.flush();
  assert.equal(written.join('').replaceAll('\n', '').length, piece.length * 10);
  assert.ok(written.every((lines) => lines.length <= limits.logLineCharactersMax * 2));
});
