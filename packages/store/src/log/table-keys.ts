import { hash } from 'node:crypto';

// Numbers of streams and consumers take four bytes, sequences six: 2^48 records at 100 000 a second
// are 89 years.

/** What every row of this stream starts with, and of the next stream for its end. */
export function streamPrefix(stream: number): Buffer {
  const key = Buffer.allocUnsafe(4);
  key.writeUInt32BE(stream, 0);
  return key;
}

const sequenceMax = 2 ** 48 - 1;

/** Of the row of a record, and of the batch of ids that starts with it. */
export function sequenceKey(stream: number, sequence: number): Buffer {
  const key = Buffer.allocUnsafe(10);
  key.writeUInt32BE(stream, 0);
  key.writeUIntBE(Math.min(Math.max(sequence, 0), sequenceMax), 4, 6);
  return key;
}

export function outstandingKey(stream: number, consumer: number, sequence: number): Buffer {
  const key = Buffer.allocUnsafe(14);
  key.writeUInt32BE(stream, 0);
  key.writeUInt32BE(consumer, 4);
  key.writeUIntBE(sequence, 8, 6);
  return key;
}

/** The sequence at the end of a key. */
export function sequenceOf(key: Uint8Array): number {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).readUIntBE(key.length - 6, 6);
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

export function digestKeyOf(stream: number, text: string): Buffer {
  const key = Buffer.allocUnsafe(4 + digestBytes);
  key.writeUInt32BE(stream, 0);
  key.write(digestOf(text), 4, 'latin1');
  return key;
}

export function digestKey(stream: number, digest: Uint8Array): Buffer {
  return Buffer.concat([streamPrefix(stream), digest]);
}

/** The digest at the end of a key. */
export function digestIn(key: Buffer): Buffer {
  return key.subarray(4);
}

export function nameKey(stream: number, name: string): Buffer {
  return Buffer.concat([streamPrefix(stream), Buffer.from(name)]);
}
