/**
 * Finds the head of an HTTP/1.1 message (start line and fields) in a stream of bytes.
 *
 * I1. How the bytes are cut into chunks changes nothing: every check happens at a fixed octet.
 * I2. A line ends with CRLF and nothing else; no control character but HTAB passes (RFC 9112 §2.2
 *     allows to accept a bare LF; two parsers that differ there are how requests are smuggled).
 * I3. At most `headBytesMax` bytes are held, copied only when a head arrives in pieces.
 */
import { CR, LF, textOctets } from './octets.ts';
import { Rejection } from './rejection.ts';

/** A complete head: `bytes` from `start` on, cut into lines. */
export interface Head {
  readonly bytes: Buffer;
  readonly start: number;
  /** Offsets in `bytes` just past the CRLF of each line; the empty last line is left out. */
  readonly lineEnds: readonly number[];
}

export interface HeadLimits {
  readonly headBytesMax: number;
  readonly fieldsMax: number;
  /** Longest start line in bytes. */
  readonly startLineBytesMax: number;
}

/** What is there before anything came: one for all, as buffers are dear to make and to collect. */
export const noBytes: Buffer = Buffer.alloc(0);

export class HeadReader implements Head {
  bytes: Buffer = noBytes;
  start = 0;
  lineEnds: number[] = [];
  /** After a complete head: where in the last chunk the message goes on. */
  end = 0;

  readonly #limits: HeadLimits;
  /** Bytes of an unfinished head, and how many of them are used. */
  #held: Buffer | undefined;
  #length = 0;
  /** Where in the bytes the search goes on, and whether one empty line was already skipped. */
  #scanned = 0;
  #skippedLine = false;

  constructor(limits: HeadLimits) {
    this.#limits = limits;
  }

  /** Whether part of a head is held. */
  get partial(): boolean {
    return this.#held !== undefined;
  }

  /**
   * Reads `chunk` from `from` on. `true`: the head is complete and stands in this object until the
   * next call. `false`: more bytes are needed; what was read is kept.
   */
  read(chunk: Buffer, from: number): boolean | Rejection {
    const heldBefore = this.#length;
    if (this.#held === undefined) {
      this.bytes = chunk;
      this.start = from;
      this.#scanned = from;
      this.#skippedLine = false;
      this.lineEnds = [];
      const found = this.#scan(chunk.length);
      if (found === false) this.#hold(chunk);
      else this.end = this.#scanned;
      return found;
    }
    this.#append(chunk, from);
    const found = this.#scan(this.#length);
    if (found !== false) {
      this.end = from + this.#scanned - heldBefore;
      this.#held = undefined;
      this.#length = 0;
    }
    return found;
  }

  #scan(length: number): boolean | Rejection {
    const { bytes, lineEnds } = this;
    const { headBytesMax, startLineBytesMax, fieldsMax } = this.#limits;
    let lineStart = lineEnds.at(-1) ?? this.start;
    let i = this.#scanned;
    let limit = this.start + (lineEnds.length === 0 ? startLineBytesMax : headBytesMax);
    for (; i < length; i++) {
      if (i >= limit) return tooLong(lineEnds.length === 0);
      const octet = bytes[i] ?? 0;
      if (textOctets[octet] === 1) continue;
      if (octet !== CR) return controlCharacter(octet);
      if (i + 1 === length) break;
      if (bytes[i + 1] !== LF) return new Rejection(400, 'a CR stands without LF');
      i++;
      if (i === lineStart + 1) {
        if (lineEnds.length > 0) {
          this.#scanned = i + 1;
          return true;
        }
        // RFC 9112 §2.2: one empty line before a request is forgiven.
        if (this.#skippedLine) return new Rejection(400, 'a request starts with empty lines');
        this.#skippedLine = true;
        this.start = i + 1;
      } else {
        if (lineEnds.length > fieldsMax) {
          return new Rejection(431, `there are more than ${fieldsMax} header fields`);
        }
        lineEnds.push(i + 1);
      }
      lineStart = i + 1;
      limit = this.start + (lineEnds.length === 0 ? startLineBytesMax : headBytesMax);
    }
    this.#scanned = i;
    return false;
  }

  #hold(chunk: Buffer): void {
    const length = chunk.length - this.start;
    const held = Buffer.allocUnsafeSlow(Math.max(1024, 2 * length));
    chunk.copy(held, 0, this.start);
    this.lineEnds = this.lineEnds.map((end) => end - this.start);
    this.#scanned -= this.start;
    this.start = 0;
    this.#held = held;
    this.#length = length;
    this.bytes = held;
  }

  #append(chunk: Buffer, from: number): void {
    // One byte past the limit is enough to see that it is passed.
    const room = this.start + this.#limits.headBytesMax + 1 - this.#length;
    const to = Math.min(chunk.length, from + room);
    const length = this.#length + to - from;
    let held = this.bytes;
    if (length > held.length) {
      held = Buffer.allocUnsafeSlow(2 * length);
      this.bytes.copy(held, 0, 0, this.#length);
      this.#held = held;
      this.bytes = held;
    }
    chunk.copy(held, this.#length, from, to);
    this.#length = length;
  }
}

function tooLong(inStartLine: boolean): Rejection {
  return inStartLine
    ? new Rejection(414, 'the request target is too long')
    : new Rejection(431, 'the header is too large');
}

function controlCharacter(octet: number): Rejection {
  return octet === LF
    ? new Rejection(400, 'a line ends with LF without CR')
    : new Rejection(400, `the header holds control character ${octet}`);
}
