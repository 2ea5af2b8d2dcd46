/** What one commit writes, as one entry of the journal, which is kept in chunks. */
import { sequenceOf, wideOctets, writeKey } from './table-keys.ts';
import { type RowKey, type TableName, type TableWrite, tableNames } from './tables.ts';

// The table, the length of the key, the length of the value or that there is none.
const headerBytes = 7;
const removed = 0xff_ff_ff_ff;

/** Of a chunk's key: six bytes of the entry's number, two of the chunk's. */
export function chunkKey(entry: number, chunk: number): RowKey {
  return wideOctets(entry) + String.fromCharCode(chunk >>> 8, chunk & 255);
}

export function entryOf(key: RowKey): number {
  return sequenceOf(key.slice(0, 6));
}

export interface EncodedEntry {
  readonly bytes: Buffer;
  /**
   * Of each write, in the memory of `bytes` where it was a part of other memory: so that who keeps
   * it keeps nothing else.
   */
  readonly values: readonly (Uint8Array | undefined)[];
}

export function encodeEntry(writes: readonly TableWrite[]): EncodedEntry {
  let length = 0;
  for (const { key, value } of writes) length += headerBytes + key.length + (value?.length ?? 0);
  const bytes = Buffer.allocUnsafeSlow(length);
  let place = 0;
  const values = writes.map(({ table, key, value }) => {
    bytes[place] = tableNames.indexOf(table);
    bytes.writeUInt16BE(key.length, place + 1);
    bytes.writeUInt32BE(value?.length ?? removed, place + 3);
    place = writeKey(key, bytes, place + headerBytes);
    if (value === undefined) return undefined;
    bytes.set(value, place);
    place += value.length;
    return isWhole(value) ? value : bytes.subarray(place - value.length, place);
  });
  return { bytes, values };
}

/** Whether nothing else is in the memory of these bytes. */
function isWhole({ length, buffer }: Uint8Array): boolean {
  return length === buffer.byteLength;
}

/** The values share the memory of `bytes`. */
export function* decodeEntry(bytes: Buffer): Generator<TableWrite, void, undefined> {
  let place = 0;
  while (place < bytes.length) {
    const table = tableAt(bytes.readUInt8(place));
    const keyStart = place + headerBytes;
    const keyEnd = keyStart + bytes.readUInt16BE(place + 1);
    const length = bytes.readUInt32BE(place + 3);
    const key = bytes.toString('latin1', keyStart, keyEnd);
    place = length === removed ? keyEnd : keyEnd + length;
    yield { table, key, value: length === removed ? undefined : bytes.subarray(keyEnd, place) };
  }
}

function tableAt(index: number): TableName {
  const table = tableNames[index];
  if (table === undefined) throw new RangeError(`found table ${index} in the journal`);
  return table;
}
