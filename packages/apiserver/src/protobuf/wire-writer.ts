import { Buffer } from 'node:buffer';

/** The end of a message that is being written: bytes, and where nested messages go. */
export type WireField = Uint8Array;

const none: WireField = new Uint8Array();

/** A field with text; nothing for an absent or empty one, as proto3 has it. */
export function textField(number: number, value: unknown): WireField {
  return typeof value !== 'string' || value === '' ? none : bytesField(number, Buffer.from(value));
}

/** A field with the one value that is not the default. */
export function flagField(number: number, value: unknown): WireField {
  return value === true ? Buffer.from([...varint(number << 3), 1]) : none;
}

/** A whole number that is not negative. */
export function countField(number: number, value: unknown): WireField {
  if (typeof value !== 'number' || !Number.isInteger(value) || value <= 0) return none;
  return Buffer.from([...varint(number << 3), ...varint(value)]);
}

/** A floating-point number. */
export function doubleField(number: number, value: unknown): WireField {
  if (typeof value !== 'number' || value === 0) return none;
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([Buffer.from(varint((number << 3) | 1)), bytes]);
}

/** A nested message, which may be empty. */
export function messageField(number: number, fields: readonly WireField[]): WireField {
  return bytesField(number, Buffer.concat(fields));
}

function bytesField(number: number, bytes: Uint8Array): WireField {
  const head = Buffer.from([...varint((number << 3) | 2), ...varint(bytes.byteLength)]);
  return Buffer.concat([head, bytes]);
}

function varint(value: number): readonly number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return [...bytes, rest];
}
