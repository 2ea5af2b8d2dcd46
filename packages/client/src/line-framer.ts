import { type ByteFrame, bufferOf, FrameBuffer, type Framer } from './byte-frame.ts';

/** The lines of a stream, each without its end, blank ones left out. */
export class LineFramer implements Framer {
  readonly #gathered: FrameBuffer;
  #chunk: Buffer = Buffer.alloc(0);
  #at = 0;

  /** @param lineBytesMax how long a line may be */
  constructor(lineBytesMax: number) {
    this.#gathered = new FrameBuffer(lineBytesMax);
  }

  push(chunk: Uint8Array): void {
    this.#chunk = bufferOf(chunk);
    this.#at = 0;
  }

  next(): ByteFrame | undefined {
    for (;;) {
      const start = this.#at;
      const end = this.#chunk.indexOf(newline, start);
      if (end < 0) {
        this.#gathered.append(this.#chunk, start, this.#chunk.length);
        this.#at = this.#chunk.length;
        return undefined;
      }
      this.#at = end + 1;
      const frame = this.#gathered.finish(this.#chunk, start, end);
      if (!isBlank(frame)) return frame;
    }
  }

  /** What came after the last newline, once the stream has ended. */
  rest(): ByteFrame | undefined {
    const { gathered } = this.#gathered;
    return isBlank(gathered) ? undefined : gathered;
  }
}

const newline = 0x0a;

function isBlank({ bytes, start, end }: ByteFrame): boolean {
  for (let at = start; at < end; at++) if ((bytes[at] ?? 0) > 0x20) return false;
  return true;
}
