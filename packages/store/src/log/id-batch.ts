import { digestBytes, keyText, writeKey } from './table-keys.ts';

const timeBytes = 6;

export function encodeTime(timeMs: number): Buffer {
  // All rows of a flush keep the same one, and nothing beside it.
  const bytes = Buffer.allocUnsafeSlow(timeBytes);
  bytes.writeUIntBE(timeMs, 0, timeBytes);
  return bytes;
}

export function decodeTime(value: Uint8Array): number {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).readUIntBE(0, timeBytes);
}

/** Digests of ids that were appended at one time, which the value begins with. */
export function encodeIdBatch(timeMs: number, digests: readonly string[]): Buffer {
  const bytes = Buffer.allocUnsafe(timeBytes + digestBytes * digests.length);
  bytes.writeUIntBE(timeMs, 0, timeBytes);
  let place = timeBytes;
  for (const digest of digests) place = writeKey(digest, bytes, place);
  return bytes;
}

export function digestsOf(batch: Uint8Array): readonly string[] {
  const count = (batch.length - timeBytes) / digestBytes;
  return Array.from({ length: count }, (_, i) => {
    const start = timeBytes + i * digestBytes;
    return keyText(batch.subarray(start, start + digestBytes));
  });
}
