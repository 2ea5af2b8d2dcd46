import { createInflate, type Inflate, constants as zlib } from 'node:zlib';
import { spdyHeaderBytesMax, spdyHeadersMax } from '../limits.ts';
import { spdyDictionary } from './spdy-dictionary.ts';
import { SpdyError } from './spdy-error.ts';

/** Lower-case names. Several values of one name are joined with NUL, as the protocol has it. */
export type SpdyHeaders = Readonly<Record<string, string>>;

// What zlib begins with: 32 KiB window, and the Adler-32 of the dictionary that follows from it.
const zlibHeader = Buffer.from([0x78, 0xbb, 0xe3, 0xc6, 0xa7, 0xc2]);
// An empty stored block: makes the peer's decompressor hand out what it has (Z_SYNC_FLUSH).
const flush = Buffer.from([0x00, 0x00, 0x00, 0xff, 0xff]);

/**
 * A header block as a piece of the connection's one compressed stream; only the first piece has
 * the stream's own header. The text goes as it is, in a stored block: it is a few bytes, and so
 * there is no compressor to keep.
 */
export function encodeHeaderBlock(headers: SpdyHeaders, isFirst: boolean): Buffer {
  const block = formatHeaderBlock(headers);
  const stored = Buffer.alloc(5);
  stored.writeUInt16LE(block.length, 1);
  stored.writeUInt16LE(~block.length & 0xffff, 3);
  return Buffer.concat([...(isFirst ? [zlibHeader] : []), stored, block, flush]);
}

/** Names and values, each with its length before it. */
export function formatHeaderBlock(headers: SpdyHeaders): Buffer {
  const pieces = [uint32(Object.keys(headers).length)];
  for (const text of Object.entries(headers).flat()) {
    const bytes = Buffer.from(text);
    pieces.push(uint32(bytes.length), bytes);
  }
  return Buffer.concat(pieces);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** @throws SpdyError `BadHeaders` */
export function parseHeaderBlock(block: Buffer): SpdyHeaders {
  let position = 0;
  const take = (size: number): Buffer => {
    const end = position + size;
    if (end > block.length) throw badHeaders('a length beyond its end');
    const bytes = block.subarray(position, end);
    position = end;
    return bytes;
  };
  const count = take(4).readUInt32BE();
  if (count > spdyHeadersMax) throw badHeaders(`${count} headers`);
  const entries: [string, string][] = [];
  for (let i = 0; i < count; i++) {
    const name = take(take(4).readUInt32BE()).toString('latin1').toLowerCase();
    entries.push([name, take(take(4).readUInt32BE()).toString('utf8')]);
  }
  return Object.fromEntries(entries);
}

/** The decompressor of one connection: its blocks must come in the order of the wire. */
export class HeaderInflater {
  readonly #inflate: Inflate;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #fail: (error: Error) => void = () => {};

  constructor() {
    const dictionary = spdyDictionary();
    this.#inflate = createInflate({ dictionary, finishFlush: zlib.Z_SYNC_FLUSH });
    this.#inflate.on('data', (piece: Buffer) => {
      this.#bytes += piece.length;
      // A few bytes can become gigabytes.
      if (this.#bytes > spdyHeaderBytesMax) this.#inflate.destroy(badHeaders('too many bytes'));
      else this.#pieces.push(piece);
    });
    this.#inflate.on('error', (error) => this.#fail(error));
  }

  /** @throws SpdyError `BadHeaders` */
  async read(compressed: Uint8Array): Promise<SpdyHeaders> {
    this.#pieces = [];
    this.#bytes = 0;
    if (this.#inflate.destroyed) throw badHeaders('more of a broken stream');
    try {
      await new Promise<void>((resolve, reject) => {
        this.#fail = reject;
        this.#inflate.write(compressed, () => this.#inflate.flush(() => resolve()));
      });
    } catch (error) {
      if (error instanceof SpdyError) throw error;
      throw badHeaders('what zlib cannot read', error);
    }
    return parseHeaderBlock(Buffer.concat(this.#pieces));
  }

  close(): void {
    this.#fail = () => {};
    this.#inflate.destroy();
  }
}

function badHeaders(found: string, cause?: unknown): SpdyError {
  const message = `Cannot read a SPDY header block: found ${found}, expected names and values`;
  return new SpdyError('BadHeaders', message, { cause });
}
