/** What one commit writes, as one entry of the journal, which is kept in chunks. */
import { type TableName, type TableWrite, tableNames } from './tables.ts';

// The table, the length of the key, the length of the value or that there is none.
const headerBytes = 7;
const removed = 0xff_ff_ff_ff;

/** Of a chunk's key: six bytes of the entry's number, two of the chunk's. */
export function chunkKey(entry: number, chunk: number): Buffer {
  const key = Buffer.allocUnsafe(8);
  key.writeUIntBE(entry, 0, 6);
  key.writeUInt16BE(chunk, 6);
  return key;
}

export function entryOf(key: Uint8Array): number {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).readUIntBE(0, 6);
}

export function encodeEntry(writes: readonly TableWrite[]): Buffer {
  let length = 0;
  for (const { key, value } of writes) length += headerBytes + key.length + (value?.length ?? 0);
  const bytes = Buffer.allocUnsafeSlow(length);
  let place = 0;
  for (const { table, key, value } of writes) {
    bytes.writeUInt8(tableNames.indexOf(table), place);
    bytes.writeUInt16BE(key.length, place + 1);
    bytes.writeUInt32BE(value?.length ?? removed, place + 3);
    place += headerBytes;
    bytes.set(key, place);
    place += key.length;
    if (value === undefined) continue;
    bytes.set(value, place);
    place += value.length;
  }
  return bytes;
}

/** The keys and values share the memory of `bytes`. */
export function* decodeEntry(bytes: Buffer): Generator<TableWrite, void, undefined> {
  let place = 0;
  while (place < bytes.length) {
    const table = tableAt(bytes.readUInt8(place));
    const keyStart = place + headerBytes;
    const keyEnd = keyStart + bytes.readUInt16BE(place + 1);
    const length = bytes.readUInt32BE(place + 3);
    const key = bytes.subarray(keyStart, keyEnd);
    place = length === removed ? keyEnd : keyEnd + length;
    yield { table, key, value: length === removed ? undefined : bytes.subarray(keyEnd, place) };
  }
}

function tableAt(index: number): TableName {
  const table = tableNames[index];
  if (table === undefined) throw new RangeError(`found table ${index} in the journal`);
  return table;
}
