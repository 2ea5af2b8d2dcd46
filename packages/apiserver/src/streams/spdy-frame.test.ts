import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { spdyControlBytesMax } from '../limits.ts';
import {
  encodeDataHeader,
  encodeGoAway,
  encodePing,
  encodeRstStream,
  encodeSynReply,
  encodeWindowUpdate,
  type SpdyFrame,
} from './spdy-frame.ts';
import { SpdyFrameParser } from './spdy-frame-parser.ts';

function hex(text: string): Buffer {
  return Buffer.from(text.replaceAll(' ', ''), 'hex');
}

/** All frames of these chunks, with neighbouring pieces of one data frame joined. */
function parse(...chunks: readonly Uint8Array[]): SpdyFrame[] {
  const parser = new SpdyFrameParser();
  const frames: SpdyFrame[] = [];
  for (const frame of chunks.flatMap((chunk) => [...parser.push(chunk)])) {
    const last = frames.at(-1);
    if (frame.type === 'data' && last?.type === 'data' && !last.fin) {
      const bytes = Buffer.concat([last.bytes, frame.bytes]);
      frames[frames.length - 1] = { ...frame, bytes };
    } else {
      frames.push(frame);
    }
  }
  return frames;
}

// Bytes written down from the draft, field by field.
const vectors: readonly (readonly [string, string, SpdyFrame])[] = [
  [
    'SYN_STREAM with FIN',
    '8003 0001 01 00000c 00000005 00000000 0000 abcd',
    { type: 'synStream', streamId: 5, fin: true, headers: hex('abcd') },
  ],
  [
    'SYN_REPLY',
    '8003 0002 00 000005 00000003 07',
    { type: 'headers', streamId: 3, headers: hex('07') },
  ],
  ['HEADERS', '8003 0008 00 000004 00000003', { type: 'headers', streamId: 3, headers: hex('') }],
  [
    'RST_STREAM',
    '8003 0003 00 000008 00000001 00000005',
    { type: 'rstStream', streamId: 1, status: 5 },
  ],
  ['SETTINGS', '8003 0004 00 00000c 00000001 00000007 00010000', { type: 'other', number: 4 }],
  ['PING', '8003 0006 00 000004 00000009', { type: 'ping', id: 9 }],
  ['GOAWAY', '8003 0007 00 000008 00000007 00000000', { type: 'goAway', lastStreamId: 7 }],
  [
    'WINDOW_UPDATE',
    '8003 0009 00 000008 00000001 00008000',
    { type: 'windowUpdate', streamId: 1, delta: 32_768 },
  ],
  [
    'data',
    '00000001 00 000002 6869',
    { type: 'data', streamId: 1, fin: false, bytes: hex('6869') },
  ],
  ['an end', '00000001 01 000000', { type: 'data', streamId: 1, fin: true, bytes: hex('') }],
];

for (const [name, bytes, frame] of vectors) {
  test(`SpdyFrameParser reads ${name}, in one chunk and byte by byte`, () => {
    assert.deepEqual(parse(hex(bytes)), [frame]);
    assert.deepEqual(parse(...Array.from(hex(bytes), (byte) => Buffer.from([byte]))), [frame]);
  });
}

test('frames are encoded as the draft has them', () => {
  assert.deepEqual(encodeSynReply(3, hex('07')), hex('8003 0002 00 000005 00000003 07'));
  assert.deepEqual(encodeRstStream(1, 5), hex('8003 0003 00 000008 00000001 00000005'));
  assert.deepEqual(encodePing(9), hex('8003 0006 00 000004 00000009'));
  assert.deepEqual(encodeGoAway(7), hex('8003 0007 00 000008 00000007 00000000'));
  assert.deepEqual(encodeWindowUpdate(1, 32_768), hex('8003 0009 00 000008 00000001 00008000'));
  assert.deepEqual(encodeDataHeader(1, 258, false), hex('00000001 00 000102'));
  assert.deepEqual(encodeDataHeader(1, 0, true), hex('00000001 01 000000'));
});

test('SpdyFrameParser hands on the payload of a huge frame as it comes', () => {
  const parser = new SpdyFrameParser();
  const [first] = parser.push(hex('00000001 01 ffffff 6869'));
  assert.deepEqual(first, { type: 'data', streamId: 1, fin: false, bytes: hex('6869') });
  const rest = [...parser.push(Buffer.alloc(0xff_ff_ff - 2))];
  assert.deepEqual(
    rest.map((frame) => frame.type === 'data' && frame.fin),
    [true],
  );
});

test('SpdyFrameParser reads the same frames however the bytes are cut', () => {
  const all = Buffer.concat(vectors.map(([, bytes]) => hex(bytes)));
  const frames = vectors.map(([, , frame]) => frame);
  const cuts = fc.array(fc.nat(all.length), { maxLength: 20 });
  fc.assert(
    fc.property(cuts, (places) => {
      const edges = [0, ...places.toSorted((a, b) => a - b), all.length];
      const chunks = edges.slice(1).map((end, index) => all.subarray(edges[index], end));
      assert.deepEqual(parse(...chunks), parse(all));
    }),
  );
  // The two data frames at the end are of one stream, so they are joined.
  assert.deepEqual(parse(all).slice(0, -1), frames.slice(0, -2));
});

test('SpdyFrameParser refuses other versions, short frames and control frames without bound', () => {
  const cases = [
    '8002 0001 00 00000a 00000001 00000000 0000',
    '8003 0001 00 000004 00000001',
    '8003 0006 00 000000',
    `8003 0001 00 ${(spdyControlBytesMax + 1).toString(16).padStart(6, '0')}`,
  ];
  for (const bytes of cases) assert.throws(() => parse(hex(bytes)), { code: 'BadFrame' });
});
