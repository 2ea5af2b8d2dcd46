import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeClose, encodeFrame, opcodes, type WebSocketPiece } from './websocket-frame.ts';
import { WebSocketFrameParser } from './websocket-frame-parser.ts';
import { acceptKey, negotiateProtocol, parseList } from './websocket-handshake.ts';

function hex(text: string): Buffer {
  return Buffer.from(text.replaceAll(' ', ''), 'hex');
}

function parse(...chunks: readonly Uint8Array[]): WebSocketPiece[] {
  const parser = new WebSocketFrameParser();
  return chunks.flatMap((chunk) => [...parser.push(chunk)]);
}

/** The messages of these pieces, as text. */
function messages(pieces: readonly WebSocketPiece[]): string[] {
  const found: string[] = [];
  for (const piece of pieces) {
    if (piece.type !== 'data') continue;
    const text = Buffer.from(piece.bytes).toString('latin1');
    if (piece.first) found.push(text);
    else found.push((found.pop() ?? '') + text);
  }
  return found;
}

/** A frame as a client sends it. */
function clientFrame(
  opcode: number,
  payload: Uint8Array,
  { final = true, mask = hex('37fa213d') } = {},
): Buffer {
  const frame = encodeFrame(opcode, payload);
  const header = Buffer.from(frame.subarray(0, frame.length - payload.length));
  header[0] = (final ? 0x80 : 0) | opcode;
  header[1] = (header[1] ?? 0) | 0x80;
  const masked = payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0));
  return Buffer.concat([header, mask, masked]);
}

test('WebSocketFrameParser reads the masked "Hello" of RFC 6455, §5.7', () => {
  const bytes = hex('81 85 37fa213d 7f9f4d5158');
  assert.deepEqual(parse(bytes), [
    { type: 'data', first: true, last: true, bytes: Buffer.from('Hello') },
  ]);
});

test('encodeFrame() writes the frames of RFC 6455, §5.7', () => {
  assert.deepEqual(encodeFrame(opcodes.text, Buffer.from('Hello')), hex('81 05 48656c6c6f'));
  const middle = encodeFrame(opcodes.binary, Buffer.alloc(256));
  assert.deepEqual(middle.subarray(0, 4), hex('82 7e 0100'));
  const long = encodeFrame(opcodes.binary, Buffer.alloc(65_536));
  assert.deepEqual(long.subarray(0, 10), hex('82 7f 0000000000010000'));
});

test('encodeClose() cuts a reason that does not fit', () => {
  const frame = encodeClose(1000, 'x'.repeat(500));
  assert.deepEqual(frame.subarray(0, 4), hex('88 7d 03e8'));
  assert.equal(frame.length, 127);
});

test('WebSocketFrameParser takes control frames between the pieces of a message', () => {
  const pieces = parse(
    clientFrame(opcodes.binary, Buffer.from('one '), { final: false }),
    clientFrame(opcodes.ping, Buffer.from('p')),
    clientFrame(opcodes.continuation, Buffer.from('two')),
    clientFrame(opcodes.pong, Buffer.alloc(0)),
    clientFrame(opcodes.close, hex('03e8')),
  );
  assert.deepEqual(messages(pieces), ['one two']);
  const control = pieces.filter(({ type }) => type !== 'data');
  assert.deepEqual(control, [
    { type: 'ping', payload: Buffer.from('p') },
    { type: 'pong' },
    { type: 'close', payload: hex('03e8') },
  ]);
});

test('WebSocketFrameParser hands on the payload of a huge frame as it comes', () => {
  const pieces = parse(hex('82 ff 0000000100000000 00000000 6869'));
  assert.deepEqual(pieces, [{ type: 'data', first: true, last: false, bytes: hex('6869') }]);
});

test('WebSocketFrameParser reads the same messages however the bytes are cut', () => {
  const payload = fc.uint8Array({ maxLength: 300 });
  const mask = fc.uint8Array({ minLength: 4, maxLength: 4 });
  const frames = fc.array(fc.tuple(payload, mask), { maxLength: 6 });
  fc.assert(
    fc.property(frames, fc.array(fc.nat(2000)), (sent, cuts) => {
      const all = Buffer.concat(
        sent.map(([bytes, key]) => clientFrame(opcodes.binary, bytes, { mask: Buffer.from(key) })),
      );
      const places = cuts.filter((cut) => cut < all.length).sort((a, b) => a - b);
      const edges = [0, ...places, all.length];
      const chunks = edges.slice(1).map((end, index) => all.subarray(edges[index], end));
      const wanted = sent.map(([bytes]) => Buffer.from(bytes).toString('latin1'));
      assert.deepEqual(messages(parse(...chunks)), wanted);
    }),
  );
});

test('WebSocketFrameParser refuses what RFC 6455 forbids a client', () => {
  const cases: readonly (readonly [string, Uint8Array])[] = [
    ['no mask', hex('81 05 48656c6c6f')],
    ['reserved bits', hex('c1 80 00000000')],
    ['an unknown opcode', clientFrame(3, Buffer.alloc(0))],
    ['an unknown control opcode', clientFrame(11, Buffer.alloc(0))],
    ['a long ping', clientFrame(opcodes.ping, Buffer.alloc(126))],
    ['a ping in pieces', clientFrame(opcodes.ping, Buffer.alloc(1), { final: false })],
    ['the rest of nothing', clientFrame(opcodes.continuation, Buffer.alloc(1))],
    ['a length beyond numbers', hex('82 ff ffffffffffffffff 00000000')],
    [
      'a message within another',
      Buffer.concat([
        clientFrame(opcodes.text, Buffer.alloc(1), { final: false }),
        clientFrame(opcodes.text, Buffer.alloc(1)),
      ]),
    ],
  ];
  for (const [name, bytes] of cases) {
    assert.throws(() => parse(bytes), { code: 'ProtocolError' }, name);
  }
});

test('acceptKey() gives the example of RFC 6455, §1.3', () => {
  assert.equal(acceptKey('dGhlIHNhbXBsZSBub25jZQ=='), 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
});

test('negotiateProtocol() takes the first of the client that the server knows', () => {
  const offered = parseList('v9.channel.k8s.io, v5.channel.k8s.io,v4.channel.k8s.io');
  const known = ['v4.channel.k8s.io', 'v5.channel.k8s.io'];
  assert.equal(negotiateProtocol(offered, known), 'v5.channel.k8s.io');
  assert.equal(negotiateProtocol(['v9.channel.k8s.io'], known), undefined);
  assert.deepEqual(parseList(undefined), []);
});
