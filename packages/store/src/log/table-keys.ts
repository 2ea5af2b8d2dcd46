import { hash } from 'node:crypto';
import type { RowKey } from './tables.ts';

// Numbers of streams and consumers take four octets, sequences six: 2^48 records at 100 000 a second
// are 89 years.

const { fromCharCode } = String;

function numberOctets(number: number): string {
  return fromCharCode(number >>> 24, (number >>> 16) & 255, (number >>> 8) & 255, number & 255);
}

/** A number of 48 bits in six octets. */
export function wideOctets(number: number): string {
  // Shifts would cut it to 32 bits.
  const high = Math.floor(number / 2 ** 32);
  const low = number % 2 ** 32;
  const first = high >>> 8;
  return fromCharCode(
    first,
    high & 255,
    low >>> 24,
    (low >>> 16) & 255,
    (low >>> 8) & 255,
    low & 255,
  );
}

/** What every row of this stream starts with, and of the next stream for its end. */
export function streamPrefix(stream: number): RowKey {
  return numberOctets(stream);
}

const sequenceMax = 2 ** 48 - 1;

/** Of the row of a record, and of the batch of ids that starts with it. */
export function sequenceKey(stream: number, sequence: number): RowKey {
  return numberOctets(stream) + wideOctets(Math.min(Math.max(sequence, 0), sequenceMax));
}

/** Of the record after the one with this key. */
export function keyAfter(key: RowKey): RowKey {
  return sequenceKey(streamOf(key), sequenceOf(key) + 1);
}

export function outstandingKey(stream: number, consumer: number, sequence: number): RowKey {
  return numberOctets(stream) + numberOctets(consumer) + wideOctets(sequence);
}

/**
 * The number of the stream at the beginning of a key. Of other keys, too, it is less than that of
 * another only where the key is: what is missing of a short one counts as zeros.
 */
export function streamOf(key: RowKey): number {
  // The first octet by a product: a shift would make a large one negative.
  const low = (key.charCodeAt(1) << 16) | (key.charCodeAt(2) << 8) | key.charCodeAt(3);
  return key.charCodeAt(0) * 2 ** 24 + low;
}

/** The sequence at the end of a key. */
export function sequenceOf(key: RowKey): number {
  let sequence = 0;
  for (let i = key.length - 6; i < key.length; i++) sequence = sequence * 256 + key.charCodeAt(i);
  return sequence;
}

export const digestBytes = 16;

/**
 * Keys and ids of any length as 128 bits of their SHA-256: even if a million a second came for a
 * century, two that are equal by chance would be less likely than a disk that lies.
 */
export function digestOf(text: string): string {
  // A text, octet by octet, is made and kept for less than a Buffer.
  return hash('sha256', text, 'binary').slice(0, digestBytes);
}

export function digestKeyOf(stream: number, text: string): RowKey {
  return numberOctets(stream) + digestOf(text);
}

export function digestKey(stream: number, digest: string): RowKey {
  return numberOctets(stream) + digest;
}

/** The digest at the end of a key. */
export function digestIn(key: RowKey): string {
  return key.slice(4);
}

export function nameKey(stream: number, name: string): RowKey {
  return numberOctets(stream) + textKey(name);
}

/** The name at the end of a key. */
export function nameIn(key: RowKey): string {
  return keyName(key.slice(4));
}

/** Any text as a key, in UTF-8. */
export function textKey(text: string): RowKey {
  return keyText(Buffer.from(text));
}

export function keyName(key: RowKey): string {
  return keyBytes(key).toString();
}

/** A key as text, octet by octet. */
export function keyText(key: Uint8Array): RowKey {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1');
}

export function keyBytes(key: RowKey): Buffer {
  return Buffer.from(key, 'latin1');
}

/** Writes a key where there is room for it; returns where it ends. */
export function writeKey(key: RowKey, target: Buffer, start: number): number {
  const end = start + key.length;
  if (end > target.length) throw new RangeError('found no room for the key of a row');
  // Not octet by octet: those that LMDB reads keys from are of many shapes, and of more than four
  // V8 asks its runtime for each octet, which takes ten times as long as this call.
  target.write(key, start, 'latin1');
  return end;
}
