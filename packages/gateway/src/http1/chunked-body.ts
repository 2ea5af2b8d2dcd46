/**
 * Follows a chunked body (RFC 9112 §7.1) while it passes through, so that its end is known and
 * nothing but a well-formed body ever passes.
 *
 * I1. How the bytes are cut changes nothing.
 * I2. Sizes, extensions and trailers are bounded; a broken body stays broken.
 */
import {
  BACKSLASH,
  COLON,
  CR,
  EQUALS,
  hexValues,
  LF,
  QUOTE,
  SEMICOLON,
  textOctets,
  tokenOctets,
} from './octets.ts';

type State =
  | 'size'
  | 'extensionStart'
  | 'extensionName'
  | 'extensionValueStart'
  | 'extensionValue'
  | 'extensionQuoted'
  | 'extensionEnd'
  | 'sizeLf'
  | 'data'
  | 'dataCr'
  | 'dataLf'
  | 'trailer'
  | 'trailerName'
  | 'trailerValue'
  | 'trailerLf'
  | 'lastLf'
  | 'done'
  | 'broken';

/** A size of 12 hexadecimal digits, 256 TiB, stays within the safe integers. */
const sizeDigitsMax = 12;
/** Nobody sends extensions; more than this is an attack (CVE-2023-39326, CVE-2024-22019). */
const extensionBytesMax = 256;
const trailerBytesMax = 8 * 1024;

export class ChunkedBody {
  /** Bytes of content seen so far, without the framing. */
  contentBytes = 0;
  /** The lines of the trailer section, as far as they came. */
  trailers = '';
  #state: State = 'size';
  #digits = 0;
  #remaining = 0;
  #extensionBytes = 0;

  get done(): boolean {
    return this.#state === 'done';
  }

  /** Whether it could be ended here, by a last chunk. */
  get betweenChunks(): boolean {
    return this.#state === 'size' && this.#digits === 0;
  }

  /**
   * Follows the body through `bytes` from `from` on and returns the offset just past its part of
   * them, or -1 when it is broken. `onContent` hears where content stands.
   */
  advance(bytes: Buffer, from: number, onContent?: (from: number, to: number) => void): number {
    let i = from;
    while (i < bytes.length && this.#state !== 'done') {
      if (this.#state === 'data') {
        const to = Math.min(bytes.length, i + this.#remaining);
        onContent?.(i, to);
        this.#remaining -= to - i;
        this.contentBytes += to - i;
        i = to;
        if (this.#remaining === 0) this.#state = 'dataCr';
        continue;
      }
      this.#state = this.#next(bytes[i] ?? 0);
      if (this.#state === 'broken') return -1;
      i++;
    }
    return i;
  }

  #next(octet: number): State {
    switch (this.#state) {
      case 'size':
        return this.#size(octet);
      case 'sizeLf':
        this.#digits = 0;
        this.#extensionBytes = 0;
        if (octet !== LF) return 'broken';
        return this.#remaining === 0 ? 'trailer' : 'data';
      case 'dataCr':
        return octet === CR ? 'dataLf' : 'broken';
      case 'dataLf':
        return octet === LF ? 'size' : 'broken';
      case 'trailer':
      case 'trailerName':
      case 'trailerValue':
      case 'trailerLf':
      case 'lastLf':
        return this.#trailer(octet);
      default:
        return this.#extension(octet);
    }
  }

  #size(octet: number): State {
    const digit = hexValues[octet] ?? 255;
    if (digit !== 255 && this.#digits < sizeDigitsMax) {
      this.#digits++;
      this.#remaining = this.#remaining * 16 + digit;
      return 'size';
    }
    if (this.#digits === 0) return 'broken';
    if (octet === CR) return 'sizeLf';
    return octet === SEMICOLON ? 'extensionStart' : 'broken';
  }

  // RFC 9112 §7.1.1, without the white space that it calls bad, and without escapes in quotes: the
  // parsers behind us take neither.
  #extension(octet: number): State {
    this.#extensionBytes++;
    if (this.#extensionBytes > extensionBytesMax) return 'broken';
    const isToken = tokenOctets[octet] === 1;
    switch (this.#state) {
      case 'extensionStart':
        return isToken ? 'extensionName' : 'broken';
      case 'extensionName':
        if (isToken) return 'extensionName';
        return octet === EQUALS ? 'extensionValueStart' : afterExtension(octet);
      case 'extensionValueStart':
        if (octet === QUOTE) return 'extensionQuoted';
        return isToken ? 'extensionValue' : 'broken';
      case 'extensionValue':
        return isToken ? 'extensionValue' : afterExtension(octet);
      case 'extensionQuoted':
        if (octet === QUOTE) return 'extensionEnd';
        return textOctets[octet] === 1 && octet !== BACKSLASH ? 'extensionQuoted' : 'broken';
      default:
        return afterExtension(octet);
    }
  }

  /** Name of the trailer that comes, in lower case. */
  get #trailerName(): string {
    return this.trailers.slice(this.trailers.lastIndexOf('\n') + 1).toLowerCase();
  }

  #trailer(octet: number): State {
    const next = this.#trailerState(octet);
    if (next === 'lastLf' || next === 'done') return next;
    if (this.trailers.length === trailerBytesMax) return 'broken';
    this.trailers += String.fromCharCode(octet);
    return next;
  }

  #trailerState(octet: number): State {
    switch (this.#state) {
      case 'trailer':
        if (octet === CR) return 'lastLf';
        return tokenOctets[octet] === 1 ? 'trailerName' : 'broken';
      case 'trailerName':
        if (octet === COLON) return headOnly.has(this.#trailerName) ? 'broken' : 'trailerValue';
        return tokenOctets[octet] === 1 ? 'trailerName' : 'broken';
      case 'trailerValue':
        if (octet === CR) return 'trailerLf';
        return textOctets[octet] === 1 ? 'trailerValue' : 'broken';
      case 'trailerLf':
        return octet === LF ? 'trailer' : 'broken';
      case 'lastLf':
        return octet === LF ? 'done' : 'broken';
      default:
        return 'broken';
    }
  }
}

// RFC 9110 §6.5.1: what says where a message goes and where it ends comes too late in a trailer; a
// reader who takes it nevertheless reads another message than we do.
const headOnly: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'host',
  'transfer-encoding',
  'upgrade',
]);

function afterExtension(octet: number): State {
  if (octet === SEMICOLON) return 'extensionStart';
  return octet === CR ? 'sizeLf' : 'broken';
}
