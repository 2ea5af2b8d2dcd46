/**
 * Owns the bytes of a WebSocket frame that is not complete yet, as a server reads it.
 *
 * I1. Payload of messages is handed on as it comes, whatever length a frame claims; so what is
 *     held is never more than a header or one control frame.
 */
import { WebSocketError } from './websocket-error.ts';
import { controlBytesMax, opcodes, type WebSocketPiece } from './websocket-frame.ts';

interface FrameHeader {
  readonly opcode: number;
  readonly final: boolean;
  readonly length: number;
  readonly mask: Buffer;
  /** Bytes that the header itself has. */
  readonly size: number;
}

interface OpenPayload {
  readonly final: boolean;
  readonly mask: Buffer;
  left: number;
  done: number;
  first: boolean;
}

export class WebSocketFrameParser {
  #rest: Buffer = Buffer.alloc(0);
  #payload: OpenPayload | undefined;
  /** Whether a message has begun and not ended: the next data frame must go on with it. */
  #inMessage = false;

  /**
   * What these bytes bring.
   *
   * @throws WebSocketError `ProtocolError`
   */
  *push(chunk: Uint8Array): Generator<WebSocketPiece, void, undefined> {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const piece = this.#payload === undefined ? this.#nextFrame() : this.#nextData(this.#payload);
      if (piece === undefined) return;
      yield piece;
    }
  }

  #nextFrame(): WebSocketPiece | undefined {
    const header = parseHeader(this.#rest);
    if (header === undefined) return undefined;
    const { opcode, final, length, mask, size } = header;
    if (opcode >= opcodes.close) {
      if (this.#rest.length < size + length) return undefined;
      const payload = unmask(this.#rest.subarray(size, size + length), mask, 0);
      this.#rest = this.#rest.subarray(size + length);
      return controlPiece(opcode, payload);
    }
    if (opcode > opcodes.binary) throw broken(`opcode ${opcode}`);
    if ((opcode === opcodes.continuation) !== this.#inMessage) {
      throw broken(this.#inMessage ? 'a message within another' : 'the rest of no message');
    }
    this.#rest = this.#rest.subarray(size);
    const first = !this.#inMessage;
    this.#inMessage = !final;
    const payload = { final, mask, left: length, done: 0, first };
    this.#payload = payload;
    return this.#nextData(payload);
  }

  #nextData(payload: OpenPayload): WebSocketPiece | undefined {
    if (payload.left > 0 && this.#rest.length === 0) return undefined;
    const size = Math.min(payload.left, this.#rest.length);
    const bytes = unmask(this.#rest.subarray(0, size), payload.mask, payload.done);
    this.#rest = this.#rest.subarray(size);
    const { first } = payload;
    payload.first = false;
    payload.left -= size;
    payload.done += size;
    if (payload.left === 0) this.#payload = undefined;
    return { type: 'data', first, last: payload.final && payload.left === 0, bytes };
  }
}

function parseHeader(bytes: Buffer): FrameHeader | undefined {
  if (bytes.length < 2) return undefined;
  const first = bytes.readUInt8();
  const second = bytes.readUInt8(1);
  const opcode = first & 0x0f;
  const final = (first & 0x80) !== 0;
  if ((first & 0x70) !== 0) throw broken('an extension that was not agreed on');
  if ((second & 0x80) === 0) throw broken('a frame without a mask');
  const short = second & 0x7f;
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  const size = 2 + lengthBytes + 4;
  if (opcode >= opcodes.close && (short > controlBytesMax || !final)) {
    throw broken('a control frame that is too long or in pieces');
  }
  if (bytes.length < size) return undefined;
  const length =
    lengthBytes === 0
      ? short
      : lengthBytes === 2
        ? bytes.readUInt16BE(2)
        : Number(bytes.readBigUInt64BE(2));
  if (!Number.isSafeInteger(length)) throw broken(`a frame of ${length} bytes`);
  return { opcode, final, length, mask: bytes.subarray(size - 4, size), size };
}

function controlPiece(opcode: number, payload: Buffer): WebSocketPiece {
  switch (opcode) {
    case opcodes.close:
      return { type: 'close', payload };
    case opcodes.ping:
      return { type: 'ping', payload };
    case opcodes.pong:
      return { type: 'pong' };
    default:
      throw broken(`opcode ${opcode}`);
  }
}

// A copy, as what came from the socket may be shared; `done` bytes of the payload came before.
function unmask(bytes: Buffer, mask: Buffer, done: number): Buffer {
  const plain = Buffer.allocUnsafe(bytes.length);
  const key = Buffer.from([0, 1, 2, 3].map((index) => mask[(done + index) % 4] ?? 0));
  const word = key.readInt32LE();
  const whole = bytes.length - (bytes.length % 4);
  for (let i = 0; i < whole; i += 4) plain.writeInt32LE(bytes.readInt32LE(i) ^ word, i);
  for (let i = whole; i < bytes.length; i++) plain[i] = (bytes[i] ?? 0) ^ (key[i % 4] ?? 0);
  return plain;
}

function broken(found: string): WebSocketError {
  const message = `Cannot read a WebSocket frame: found ${found}, expected one of RFC 6455`;
  return new WebSocketError('ProtocolError', message);
}
