import { digestBytes } from './table-keys.ts';

const timeBytes = 6;

export function encodeTime(timeMs: number): Buffer {
  const bytes = Buffer.allocUnsafe(timeBytes);
  bytes.writeUIntBE(timeMs, 0, timeBytes);
  return bytes;
}

export function decodeTime(value: Uint8Array): number {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).readUIntBE(0, timeBytes);
}

/** Digests of ids that were appended at one time, which the value begins with. */
export function encodeIdBatch(timeMs: number, digests: readonly Buffer[]): Buffer {
  return Buffer.concat([encodeTime(timeMs), ...digests]);
}

export function digestsOf(batch: Uint8Array): readonly Uint8Array[] {
  const count = (batch.length - timeBytes) / digestBytes;
  return Array.from({ length: count }, (_, i) => {
    const start = timeBytes + i * digestBytes;
    return batch.subarray(start, start + digestBytes);
  });
}
