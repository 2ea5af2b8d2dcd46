/** A piece of a stream that belongs together. It is valid until the next one is asked for. */
export interface ByteFrame {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Cuts a stream into frames: after each `push`, `next` gives those that have become whole. */
export interface Framer {
  push(chunk: Uint8Array): void;
  /** @throws RangeError when a frame is too long, SyntaxError when the stream is not what it should */
  next(): ByteFrame | undefined;
}

/**
 * Gathers the bytes of a frame that comes in several chunks, in one buffer that is used again and
 * again and grows to the longest of them.
 */
export class FrameBuffer {
  readonly #bytesMax: number;
  #bytes = Buffer.alloc(0);
  #size = 0;

  /** @param bytesMax how long a frame may be */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** What has been gathered. */
  get gathered(): ByteFrame {
    return { bytes: this.#bytes, start: 0, end: this.#size };
  }

  append(chunk: Buffer, start: number, end: number): void {
    const size = this.#size + end - start;
    if (size > this.#bytesMax) {
      throw new RangeError(`found more than ${this.#bytesMax} bytes, expected less`);
    }
    if (size > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.min(2 * size, this.#bytesMax));
      this.#bytes.copy(grown, 0, 0, this.#size);
      this.#bytes = grown;
    }
    chunk.copy(this.#bytes, this.#size, start, end);
    this.#size = size;
  }

  /** The frame that ends with these bytes; if nothing was gathered before, they are not copied. */
  finish(chunk: Buffer, start: number, end: number): ByteFrame {
    if (this.#size === 0) return { bytes: chunk, start, end };
    this.append(chunk, start, end);
    const frame = this.gathered;
    this.#size = 0;
    return frame;
  }
}

/** The same bytes as a Buffer. */
export function bufferOf(chunk: Uint8Array): Buffer {
  return Buffer.isBuffer(chunk)
    ? chunk
    : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
