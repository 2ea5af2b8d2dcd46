import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDeflate, inflateSync, constants as zlib } from 'node:zlib';
import fc from 'fast-check';
import { spdyHeaderBytesMax } from '../limits.ts';
import { spdyDictionary } from './spdy-dictionary.ts';
import {
  encodeHeaderBlock,
  formatHeaderBlock,
  HeaderInflater,
  parseHeaderBlock,
} from './spdy-headers.ts';

const dictionary = spdyDictionary();

/** Compresses as a client does: one stream, flushed after every block. */
function createClientCompressor(): (block: Uint8Array) => Promise<Buffer> {
  const deflate = createDeflate({ dictionary });
  const pieces: Buffer[] = [];
  deflate.on('data', (piece: Buffer) => pieces.push(piece));
  return (block) =>
    new Promise((resolve) => {
      deflate.write(block);
      deflate.flush(zlib.Z_SYNC_FLUSH, () => resolve(Buffer.concat(pieces.splice(0))));
    });
}

test('the dictionary is that of the protocol, whose Adler-32 is well known', () => {
  let [a, b] = [1, 0];
  for (const byte of dictionary) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  assert.equal(dictionary.length, 1423);
  assert.equal((b * 65_536 + a).toString(16), 'e3c6a7c2');
});

test('encodeHeaderBlock() gives what zlib reads, block after block of one stream', () => {
  const blocks = [{ status: '200' }, { streamtype: 'error', port: '80' }, {}];
  const stream = Buffer.concat(
    blocks.map((headers, index) => encodeHeaderBlock(headers, index === 0)),
  );
  const plain = inflateSync(stream, { dictionary, finishFlush: zlib.Z_SYNC_FLUSH });
  assert.deepEqual(plain, Buffer.concat(blocks.map(formatHeaderBlock)));
});

test('HeaderInflater reads the blocks of a client in their order', async () => {
  const compress = createClientCompressor();
  const inflater = new HeaderInflater();
  const blocks = [
    { streamtype: 'error', port: '8080', requestid: '0' },
    { streamtype: 'data', port: '8080', requestid: '0' },
    { streamtype: 'data', port: '8080', requestid: '1' },
  ];
  for (const headers of blocks) {
    const compressed = await compress(formatHeaderBlock(headers));
    assert.deepEqual(await inflater.read(compressed), headers);
  }
  inflater.close();
});

test('HeaderInflater stops at a block that grows beyond its bound', async () => {
  const compress = createClientCompressor();
  const inflater = new HeaderInflater();
  const bomb = await compress(Buffer.alloc(100 * spdyHeaderBytesMax));
  await assert.rejects(inflater.read(bomb), { code: 'BadHeaders' });
  await assert.rejects(inflater.read(bomb), { code: 'BadHeaders' });
});

test('HeaderInflater refuses what zlib did not write', async () => {
  const inflater = new HeaderInflater();
  await assert.rejects(inflater.read(Buffer.from('no zlib')), { code: 'BadHeaders' });
  inflater.close();
});

test('parseHeaderBlock() takes names in any case and gives them in lower case', () => {
  const block = formatHeaderBlock({ streamType: 'stdin' });
  assert.deepEqual(parseHeaderBlock(block), { streamtype: 'stdin' });
});

test('parseHeaderBlock() refuses lengths beyond the end and counts beyond reason', () => {
  const block = formatHeaderBlock({ port: '80' });
  for (let end = 0; end < block.length; end++) {
    assert.throws(() => parseHeaderBlock(block.subarray(0, end)), { code: 'BadHeaders' });
  }
  const many = Buffer.from([0xff, 0xff, 0xff, 0xff]);
  assert.throws(() => parseHeaderBlock(many), { code: 'BadHeaders' });
});

test('parseHeaderBlock() gives back what formatHeaderBlock() was given', () => {
  const name = fc.stringMatching(/^[a-z][a-z-]{0,20}$/);
  fc.assert(
    fc.property(fc.dictionary(name, fc.string(), { noNullPrototype: true }), (headers) => {
      assert.deepEqual(parseHeaderBlock(formatHeaderBlock(headers)), headers);
    }),
  );
});
