import type { Duplex } from 'node:stream';
import { createDeflate, constants as zlib } from 'node:zlib';
import { spdyDictionary } from '../src/streams/spdy-dictionary.ts';
import { encodeDataHeader, type SpdyFrame } from '../src/streams/spdy-frame.ts';
import { SpdyFrameParser } from '../src/streams/spdy-frame-parser.ts';
import { formatHeaderBlock, type SpdyHeaders } from '../src/streams/spdy-headers.ts';

/** What came on one stream. */
export interface Received {
  text: string;
  replied: boolean;
  ended: boolean;
  reset: boolean;
}

/** The client's side of a SPDY connection, as client-go has it: no flow control, zlib headers. */
export class SpdyClient {
  readonly socket: Duplex;
  readonly frames: SpdyFrame[] = [];
  #nextId = 1;
  readonly #streams = new Map<number, Received>();
  readonly #deflate = createDeflate({ dictionary: spdyDictionary() });
  #compressed: Buffer[] = [];

  constructor(socket: Duplex) {
    this.socket = socket;
    this.#deflate.on('data', (piece: Buffer) => this.#compressed.push(piece));
    const parser = new SpdyFrameParser();
    socket.on('error', () => {});
    socket.on('data', (chunk: Uint8Array) => {
      for (const frame of parser.push(chunk)) this.#take(frame);
    });
  }

  /** Opens a stream; resolves with its id once that is sent. */
  async open(headers: SpdyHeaders, fin = false): Promise<number> {
    const id = this.#nextId;
    this.#nextId += 2;
    this.#streams.set(id, { text: '', replied: false, ended: false, reset: false });
    this.#deflate.write(formatHeaderBlock(headers));
    await new Promise<void>((resolve) => this.#deflate.flush(zlib.Z_SYNC_FLUSH, () => resolve()));
    const block = Buffer.concat(this.#compressed.splice(0));
    const head = Buffer.alloc(18);
    head.writeUInt32BE(0x80_03_00_01);
    head.writeUInt32BE(10 + block.length, 4);
    head.writeUInt8(fin ? 1 : 0, 4);
    head.writeUInt32BE(id, 8);
    this.socket.write(Buffer.concat([head, block]));
    return id;
  }

  send(id: number, text: string, fin = false): void {
    const bytes = Buffer.from(text);
    this.socket.write(Buffer.concat([encodeDataHeader(id, bytes.length, fin), bytes]));
  }

  received(id: number): Received {
    const stream = this.#streams.get(id);
    if (stream === undefined) throw new Error(`there is no stream ${id}`);
    return stream;
  }

  #take(frame: SpdyFrame): void {
    this.frames.push(frame);
    if (!('streamId' in frame)) return;
    const stream = this.received(frame.streamId);
    if (frame.type === 'headers') stream.replied = true;
    if (frame.type === 'rstStream') stream.reset = true;
    if (frame.type === 'data') {
      stream.text += Buffer.from(frame.bytes).toString('latin1');
      stream.ended ||= frame.fin;
    }
  }
}
