import type { LogEntry, LogRecord } from '../log.ts';
import { decodeRecord, encodeRecord } from '../record-codec.ts';
import { digestBytes, digestOf } from '../table-keys.ts';
import { decodeWhole } from './decode-whole.ts';
import { limits } from './limits.ts';

/** Records and their bytes. */
export interface Amount {
  readonly records: number;
  readonly bytes: number;
}

/** What is appended together is one message; so it is there as a whole, on every server. */
export interface ChainMessage {
  readonly timeMs: number;
  /** Everything that was appended to the stream before. */
  readonly before: Amount;
  /** The message before it, also when that is gone; 0 for the first. */
  readonly previous: number;
  readonly digests: readonly Uint8Array[];
  readonly rows: readonly Uint8Array[];
}

// Time, records and bytes before, the message before, numbers of ids and of rows.
const headBytes = 6 + 6 + 6 + 6 + 2 + 2;

export function sequenceAt(seq: number, index: number): number {
  return seq * limits.messageEntriesMax + index;
}

export function placeOf(sequence: number): { readonly seq: number; readonly index: number } {
  const { messageEntriesMax } = limits;
  return { seq: Math.floor(sequence / messageEntriesMax), index: sequence % messageEntriesMax };
}

export function idDigest(id: string): string {
  return digestOf(id);
}

export function encodeRow(timeMs: number, { key, payload }: LogEntry): Uint8Array {
  return encodeRecord({ timeMs, key, payload });
}

export function encodeMessage(message: ChainMessage): Uint8Array {
  const { timeMs, before, previous, digests, rows } = message;
  const head = Buffer.alloc(headBytes);
  head.writeUIntBE(timeMs, 0, 6);
  head.writeUIntBE(before.records, 6, 6);
  head.writeUIntBE(before.bytes, 12, 6);
  head.writeUIntBE(previous, 18, 6);
  head.writeUInt16BE(digests.length, 24);
  head.writeUInt16BE(rows.length, 26);
  const lengths = Buffer.alloc(4 * rows.length);
  for (const [i, row] of rows.entries()) lengths.writeUInt32BE(row.length, 4 * i);
  return Buffer.concat([head, ...digests, lengths, ...rows]);
}

/** @throws LogError `Broken` */
export function decodeMessage(data: Uint8Array): ChainMessage {
  return decodeWhole(data, 'what Fnlet wrote', decodeBytes);
}

function decodeBytes(bytes: Buffer): ChainMessage {
  const ids = bytes.readUInt16BE(24);
  const count = bytes.readUInt16BE(26);
  let at = headBytes;
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new RangeError('It ends too early');
    at += length;
    return bytes.subarray(at - length, at);
  };
  const digests = Array.from({ length: ids }, () => take(digestBytes));
  const lengths = take(4 * count);
  return {
    timeMs: bytes.readUIntBE(0, 6),
    before: { records: bytes.readUIntBE(6, 6), bytes: bytes.readUIntBE(12, 6) },
    previous: bytes.readUIntBE(18, 6),
    digests,
    rows: Array.from({ length: count }, (_, i) => take(lengths.readUInt32BE(4 * i))),
  };
}

/** The records of a message, those that are gone since, too. */
export function recordsOf(seq: number, { rows }: ChainMessage): readonly LogRecord[] {
  return rows.map((row, index) => decodeRecord(sequenceAt(seq, index), row));
}

export function amountOf(records: readonly LogRecord[]): Amount {
  const bytes = records.reduce((sum, { payload }) => sum + payload.length, 0);
  return { records: records.length, bytes };
}

export function addAmounts(a: Amount, b: Amount): Amount {
  return { records: a.records + b.records, bytes: a.bytes + b.bytes };
}

export function subtractAmounts(a: Amount, b: Amount): Amount {
  return { records: a.records - b.records, bytes: a.bytes - b.bytes };
}
