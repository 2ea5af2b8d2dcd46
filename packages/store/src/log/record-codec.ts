import type { LogRecord } from './log.ts';

// Six bytes of time, two of the key's length, the key, the payload.
const headerBytes = 8;
const withoutKey = 0xff_ff;

/** What is appended of a record, besides its sequence. */
export type RecordContent = Omit<LogRecord, 'sequence'>;

export function encodeRecord({ timeMs, key, payload }: RecordContent): Buffer {
  const keyBytes = key === undefined ? 0 : Buffer.byteLength(key);
  const bytes = Buffer.allocUnsafe(headerBytes + keyBytes + payload.length);
  bytes.writeUIntBE(timeMs, 0, 6);
  bytes.writeUInt16BE(key === undefined ? withoutKey : keyBytes, 6);
  if (key !== undefined) bytes.write(key, headerBytes);
  bytes.set(payload, headerBytes + keyBytes);
  return bytes;
}

/** The payload shares the memory of `value`. */
export function decodeRecord(sequence: number, value: Uint8Array): LogRecord {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const start = headerBytes + keyBytesOf(bytes);
  const key = hasKey(bytes) ? bytes.toString('utf8', headerBytes, start) : undefined;
  return { sequence, timeMs: bytes.readUIntBE(0, 6), key, payload: bytes.subarray(start) };
}

function hasKey(bytes: Buffer): boolean {
  return bytes.readUInt16BE(6) !== withoutKey;
}

function keyBytesOf(bytes: Buffer): number {
  return hasKey(bytes) ? bytes.readUInt16BE(6) : 0;
}
