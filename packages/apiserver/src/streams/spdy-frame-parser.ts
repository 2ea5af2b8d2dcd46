/**
 * Owns the bytes of a frame that is not complete yet.
 *
 * I1. Payload of data frames is handed on as it comes, so what is held is never more than one
 *     control frame, whose length is bounded.
 */
import { spdyControlBytesMax } from '../limits.ts';
import { SpdyError } from './spdy-error.ts';
import {
  controlMark,
  controlTypes,
  finFlag,
  frameHeaderBytes,
  mask31,
  type SpdyFrame,
} from './spdy-frame.ts';

interface OpenData {
  readonly streamId: number;
  readonly fin: boolean;
  left: number;
}

const controlBit = 0x80;

export class SpdyFrameParser {
  #rest: Buffer = Buffer.alloc(0);
  #data: OpenData | undefined;

  /**
   * The frames that these bytes complete, and the pieces of data in them.
   *
   * @throws SpdyError `BadFrame`
   */
  *push(chunk: Uint8Array): Generator<SpdyFrame, void, undefined> {
    this.#rest = this.#rest.length === 0 ? toBuffer(chunk) : Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const frame = this.#data === undefined ? this.#nextFrame() : this.#nextData(this.#data);
      if (frame === undefined) return;
      yield frame;
    }
  }

  #nextData(open: OpenData): SpdyFrame | undefined {
    const { streamId } = open;
    if (open.left > 0 && this.#rest.length === 0) return undefined;
    const bytes = this.#take(Math.min(open.left, this.#rest.length));
    open.left -= bytes.length;
    if (open.left === 0) this.#data = undefined;
    return { type: 'data', streamId, fin: open.fin && open.left === 0, bytes };
  }

  #nextFrame(): SpdyFrame | undefined {
    const rest = this.#rest;
    if (rest.length < frameHeaderBytes) return undefined;
    const flags = rest.readUInt8(4);
    const length = rest.readUIntBE(5, 3);
    const fin = (flags & finFlag) !== 0;
    if ((rest.readUInt8() & controlBit) === 0) {
      const streamId = rest.readUInt32BE();
      this.#take(frameHeaderBytes);
      const open = { streamId, fin, left: length };
      this.#data = open;
      return this.#nextData(open);
    }
    if (rest.readUInt16BE() !== controlMark) throw badFrame('another version');
    if (length > spdyControlBytesMax) throw badFrame(`a control frame of ${length} bytes`);
    if (rest.length < frameHeaderBytes + length) return undefined;
    const type = rest.readUInt16BE(2);
    this.#take(frameHeaderBytes);
    return parseControl(type, fin, this.#take(length));
  }

  #take(size: number): Buffer {
    const bytes = this.#rest.subarray(0, size);
    this.#rest = this.#rest.subarray(size);
    return bytes;
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const payloadBytesMin: Readonly<Record<number, number>> = {
  [controlTypes.synStream]: 10,
  [controlTypes.synReply]: 4,
  [controlTypes.rstStream]: 8,
  [controlTypes.ping]: 4,
  [controlTypes.goAway]: 8,
  [controlTypes.headers]: 4,
  [controlTypes.windowUpdate]: 8,
};

function parseControl(type: number, fin: boolean, payload: Buffer): SpdyFrame {
  const least = payloadBytesMin[type];
  if (least === undefined) return { type: 'other', number: type };
  if (payload.length < least) throw badFrame(`type ${type} with ${payload.length} bytes`);
  const first = payload.readUInt32BE();
  const streamId = first & mask31;
  switch (type) {
    case controlTypes.synStream:
      // Between them: the associated stream, the priority and the slot, none of which is used.
      return { type: 'synStream', streamId, fin, headers: payload.subarray(10) };
    case controlTypes.synReply:
    case controlTypes.headers:
      return { type: 'headers', streamId, headers: payload.subarray(4) };
    case controlTypes.rstStream:
      return { type: 'rstStream', streamId, status: payload.readUInt32BE(4) };
    case controlTypes.ping:
      return { type: 'ping', id: first };
    case controlTypes.goAway:
      return { type: 'goAway', lastStreamId: streamId };
    default:
      return { type: 'windowUpdate', streamId, delta: payload.readUInt32BE(4) & mask31 };
  }
}

function badFrame(found: string): SpdyError {
  return new SpdyError(
    'BadFrame',
    `Cannot read a SPDY frame: found ${found}, expected SPDY/3.1 of at most ${spdyControlBytesMax} bytes per control frame`,
  );
}
