import { type ByteFrame, bufferOf, FrameBuffer, type Framer } from './byte-frame.ts';
import { limits } from './limits.ts';

/**
 * The items of a list, as they arrive. What is around them (kind, metadata) is gathered as
 * `envelope`: the list without its items.
 */
export class ListFramer implements Framer {
  readonly #item = new FrameBuffer(limits.lineBytesMax);
  readonly #envelope = new FrameBuffer(limits.envelopeBytesMax);
  #chunk: Buffer = Buffer.alloc(0);
  #at = 0;
  #place: 'around' | 'between' | 'inside' = 'around';
  /** Objects and lists that are open, counted within the item or around the items. */
  #depth = 0;
  #inText = false;
  /** The chunk before ended with a backslash. */
  #escaped = false;

  push(chunk: Uint8Array): void {
    this.#chunk = bufferOf(chunk);
    this.#at = 0;
  }

  next(): ByteFrame | undefined {
    for (;;) {
      switch (this.#place) {
        case 'around':
          if (!this.#scanAround()) return undefined;
          break;
        case 'between':
          if (!this.#scanBetween()) return undefined;
          break;
        default:
          return this.#scanInside();
      }
    }
  }

  /** The text around the items, once the stream has ended. */
  get envelope(): string {
    const { bytes, end } = this.#envelope.gathered;
    return bytes.toString('utf8', 0, end);
  }

  /** Whether the items begin; otherwise the chunk is used up. */
  #scanAround(): boolean {
    const chunk = this.#chunk;
    let gatheredTo = this.#at;
    while (this.#at < chunk.length) {
      const byte = this.#step(chunk);
      if (byte !== openList || this.#depth !== 2) continue;
      this.#envelope.append(chunk, gatheredTo, this.#at);
      gatheredTo = this.#at;
      if (!this.#isAtItems()) continue;
      this.#place = 'between';
      return true;
    }
    this.#envelope.append(chunk, gatheredTo, chunk.length);
    return false;
  }

  /** Whether the list that has begun is the value of `items`. */
  #isAtItems(): boolean {
    const { bytes, end } = this.#envelope.gathered;
    const tail = bytes.toString('latin1', Math.max(0, end - itemsTailMax), end);
    return itemsPattern.test(tail);
  }

  /** Whether an item begins, or the items have ended; otherwise the chunk is used up. */
  #scanBetween(): boolean {
    const chunk = this.#chunk;
    while (this.#at < chunk.length) {
      const byte = chunk[this.#at] ?? 0;
      if (byte === openObject) {
        this.#place = 'inside';
        this.#depth = 0;
        return true;
      }
      if (byte === closeList) {
        this.#place = 'around';
        this.#depth = 2;
        return true;
      }
      if (byte > 0x20 && byte !== comma) {
        throw new SyntaxError(`found byte ${byte} among the items, expected an object`);
      }
      this.#at += 1;
    }
    return false;
  }

  #scanInside(): ByteFrame | undefined {
    const chunk = this.#chunk;
    const start = this.#at;
    while (this.#at < chunk.length) {
      const byte = this.#step(chunk);
      if (byte !== closeObject || this.#depth !== 0) continue;
      this.#place = 'between';
      return this.#item.finish(chunk, start, this.#at);
    }
    this.#item.append(chunk, start, chunk.length);
    return undefined;
  }

  /** Goes on behind the next byte that opens or closes something and returns it; 0 at the end. */
  #step(chunk: Buffer): number {
    let at = this.#at;
    while (at < chunk.length) {
      if (this.#inText) {
        at = this.#stepText(chunk, at);
        continue;
      }
      const byte = chunk[at] ?? 0;
      at += 1;
      if (byte === quote) {
        this.#inText = true;
        continue;
      }
      if (byte === openObject || byte === openList) this.#depth += 1;
      else if (byte === closeObject || byte === closeList) this.#depth -= 1;
      else continue;
      this.#at = at;
      return byte;
    }
    this.#at = at;
    return 0;
  }

  #stepText(chunk: Buffer, from: number): number {
    let at = from;
    if (this.#escaped) at += 1;
    this.#escaped = false;
    for (; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === quote) {
        this.#inText = false;
        return at + 1;
      }
      if (byte === backslash) at += 1;
    }
    this.#escaped = at > chunk.length;
    return chunk.length;
  }
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openObject = 0x7b;
const closeObject = 0x7d;
const openList = 0x5b;
const closeList = 0x5d;

/** A name that ends with `items"` is another one: the quote within it is escaped. */
const itemsPattern = /(?<!\\)"items"\s*:\s*\[$/;
/** White space between the name and its value is as long as a human writes it. */
const itemsTailMax = 256;
