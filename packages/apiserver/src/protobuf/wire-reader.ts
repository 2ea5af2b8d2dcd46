import { WireError } from './wire-error.ts';

/** How a value is laid out on the wire (protobuf, Encoding). */
export const wireTypes = {
  varint: 0,
  fixed64: 1,
  bytes: 2,
  startGroup: 3,
  endGroup: 4,
  fixed32: 5,
} as const;

/** The number of a field, and how its value is laid out. */
export interface WireTag {
  readonly field: number;
  readonly wireType: number;
}

const text = new TextDecoder();

/**
 * Reads protobuf from bytes. Nothing is copied until it is asked for.
 *
 * I1. `#at` never passes `#end`; whatever the bytes say, reading ends with a value or a WireError.
 */
export class WireReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #end: number;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#end = bytes.byteLength;
  }

  get isDone(): boolean {
    return this.#at >= this.#end;
  }

  tag(): WireTag {
    const value = this.varint();
    const field = Number(value >> 3n);
    const wireType = Number(value & 7n);
    if (wireType === wireTypes.endGroup)
      throw new WireError('proto: wiretype end group for non-group');
    if (field <= 0 || field > 2 ** 29 - 1) {
      throw new WireError(`proto: illegal tag ${field} (wire type ${Number(value)})`);
    }
    return { field, wireType };
  }

  /** An unsigned number of 64 bits. */
  varint(): bigint {
    let low = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#byte();
      low |= (byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt(low);
    }
    let value = BigInt(low);
    for (let shift = 28n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new WireError('proto: integer overflow');
  }

  double(): number {
    const at = this.#advance(8);
    return this.#view.getFloat64(at, true);
  }

  /** The bytes of a length-delimited value; they share memory with the whole. */
  bytes(): Uint8Array {
    const length = this.varint();
    if (length > 0x7fff_ffffn)
      throw new WireError('proto: negative length found during unmarshaling');
    const at = this.#advance(Number(length));
    return this.#bytes.subarray(at, this.#at);
  }

  text(): string {
    return text.decode(this.bytes());
  }

  /** Passes over a value that nobody asked for; groups are not in use and are refused. */
  skip(wireType: number): void {
    switch (wireType) {
      case wireTypes.varint:
        this.varint();
        return;
      case wireTypes.fixed64:
        this.#advance(8);
        return;
      case wireTypes.bytes:
        this.bytes();
        return;
      case wireTypes.fixed32:
        this.#advance(4);
        return;
      default:
        throw new WireError(`proto: illegal wireType ${wireType}`);
    }
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new WireError('unexpected EOF');
    this.#at++;
    return byte;
  }

  /** The place before the next `count` bytes, which are passed. */
  #advance(count: number): number {
    const at = this.#at;
    if (count > this.#end - at) throw new WireError('unexpected EOF');
    this.#at = at + count;
    return at;
  }
}
