import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Head } from './head-reader.ts';
import { HeadStream } from './head-stream.ts';
import { Rejection } from './rejection.ts';

const limits = { headBytesMax: 4096, fieldsMax: 16, startLineBytesMax: 1024 };

interface Seen {
  readonly text: string;
}

/** A stream whose heads are their own text; tells how many of them were parsed. */
function counted(): { readonly stream: HeadStream<Seen>; readonly parsed: () => number } {
  let parsed = 0;
  const stream = new HeadStream<Seen>(limits, ({ bytes, start, lineEnds }: Head) => {
    parsed++;
    return { text: bytes.toString('latin1', start, lineEnds.at(-1)) };
  });
  return { stream, parsed: () => parsed };
}

/** Every head in `chunks`, read one after the other. */
function heads(stream: HeadStream<Seen>, chunks: readonly Buffer[]): string[] {
  const texts: string[] = [];
  for (const chunk of chunks) {
    for (let from = 0; from < chunk.length; from = stream.end) {
      const head = stream.read(chunk, from);
      if (head === undefined) break;
      assert.ok(!(head instanceof Rejection));
      texts.push(head.text);
    }
  }
  return texts;
}

test('a head that equals the one before is not parsed again, but for the first, and any other is', () => {
  const { stream, parsed } = counted();
  const a = 'GET /a HTTP/1.1\r\nHost: x\r\n\r\n';
  const b = 'GET /b HTTP/1.1\r\nHost: x\r\n\r\n';
  const longer = 'GET /b HTTP/1.1\r\nHost: x\r\nY: 1\r\n\r\n';
  const sent = [a, a, b, b, a, longer, b];
  const expected = sent.map((head) => head.slice(0, -2));
  assert.deepEqual(heads(stream, [Buffer.from(sent.join(''))]), expected);
  assert.equal(parsed(), 6);
});

test('a head longer than what is remembered is parsed every time', () => {
  const { stream, parsed } = counted();
  const large = Buffer.from(`GET / HTTP/1.1\r\nA: ${'a'.repeat(1024)}\r\n\r\n`);
  assert.equal(heads(stream, [large, large]).length, 2);
  assert.equal(parsed(), 2);
});

test('what is remembered is a copy', () => {
  const { stream } = counted();
  const chunk = Buffer.from('GET /a HTTP/1.1\r\n\r\n');
  const other = Buffer.from('GET /b HTTP/1.1\r\n\r\n');
  assert.deepEqual(heads(stream, [chunk, chunk]).at(-1), 'GET /a HTTP/1.1\r\n');
  other.copy(chunk);
  assert.deepEqual(heads(stream, [chunk]), ['GET /b HTTP/1.1\r\n']);
});

test('heads mean the same however they are cut and repeated', () => {
  const lines = fc.constantFrom('A: b\r\n', 'A: c\r\n', 'Host: x\r\n');
  const head = fc
    .array(lines, { maxLength: 3 })
    .map((fields) => `GET / HTTP/1.1\r\n${fields.join('')}\r\n`);
  fc.assert(
    fc.property(fc.array(head, { maxLength: 8 }), fc.array(fc.nat(300)), (sent, cuts) => {
      const bytes = Buffer.from(sent.join(''));
      const borders = [...new Set([0, ...cuts, bytes.length])]
        .filter((at) => at <= bytes.length)
        .sort((x, y) => x - y);
      const chunks = borders.slice(1).map((to, i) => bytes.subarray(borders[i], to));
      const expected = sent.map((text) => text.slice(0, -2));
      assert.deepEqual(heads(counted().stream, chunks), expected);
    }),
  );
});
