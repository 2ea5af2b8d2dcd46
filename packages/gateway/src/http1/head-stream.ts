import { fixedLimits } from '../limits.ts';
import { type Head, type HeadLimits, HeadReader, noBytes } from './head-reader.ts';
import type { Rejection } from './rejection.ts';

/**
 * The heads of one connection, one after the other, each parsed into a `T`.
 *
 * Who speaks on a kept connection mostly repeats itself: the same caller asks the same again, the
 * same Instance answers with the same fields. A head that equals the one before, octet for octet,
 * means the same, so it is compared instead of parsed; that is one seventh of what a call costs. A
 * first head is not remembered: on a stream of HTTP/2 it is the last one, too.
 */
export class HeadStream<T extends object> {
  /** After a complete head: where in the last chunk the message goes on. */
  end = 0;
  readonly #reader: HeadReader;
  readonly #parse: (head: Head) => T | Rejection;
  #last: T | Rejection | undefined;
  #lastBytes: Buffer = noBytes;
  #lastLength = 0;
  #isFirst = true;

  constructor(limits: HeadLimits, parse: (head: Head) => T | Rejection) {
    this.#reader = new HeadReader(limits);
    this.#parse = parse;
  }

  /** Whether part of a head is held. */
  get partial(): boolean {
    return this.#reader.partial;
  }

  /** Reads `chunk` from `from` on. `undefined`: more bytes are needed; what was read is kept. */
  read(chunk: Buffer, from: number): T | Rejection | undefined {
    if (!this.partial && this.#repeats(chunk, from)) {
      this.end = from + this.#lastLength;
      return this.#last;
    }
    const whole = !this.partial;
    const found = this.#reader.read(chunk, from);
    if (found === false) return undefined;
    if (found !== true) return found;
    this.end = this.#reader.end;
    const head = this.#parse(this.#reader);
    if (whole && !this.#isFirst) this.#remember(chunk, from, head);
    this.#isFirst = false;
    return head;
  }

  #repeats(chunk: Buffer, from: number): boolean {
    const length = this.#lastLength;
    if (length === 0 || chunk.length - from < length) return false;
    for (let i = 0; i < length; i++) {
      if (chunk[from + i] !== this.#lastBytes[i]) return false;
    }
    return true;
  }

  #remember(chunk: Buffer, from: number, head: T | Rejection): void {
    const length = this.end - from;
    this.#lastLength = 0;
    if (length > fixedLimits.rememberedHeadBytesMax) return;
    if (this.#lastBytes.length < length) this.#lastBytes = Buffer.allocUnsafeSlow(length);
    chunk.copy(this.#lastBytes, 0, from, this.end);
    this.#lastLength = length;
    this.#last = head;
  }
}
