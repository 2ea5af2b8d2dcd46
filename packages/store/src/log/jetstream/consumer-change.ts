import { decodeWhole } from './decode-whole.ts';

/** What changed for a consumer, or a part of everything there is of it. */
export interface ConsumerChange {
  readonly part: { readonly index: number; readonly count: number } | undefined;
  readonly cursor: number | undefined;
  readonly outstanding: ReadonlyMap<number, Uint8Array>;
  readonly settled: ReadonlySet<number>;
}

// Index and count of the part (0: none), whether there is a cursor, the cursor, two counts.
const headBytes = 4 + 4 + 1 + 6 + 4 + 4;

export function encodeChange({ part, cursor, outstanding, settled }: ConsumerChange): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(part?.index ?? 0, 0);
  head.writeUInt32BE(part?.count ?? 0, 4);
  head.writeUInt8(cursor === undefined ? 0 : 1, 8);
  head.writeUIntBE(cursor ?? 0, 9, 6);
  head.writeUInt32BE(outstanding.size, 15);
  head.writeUInt32BE(settled.size, 19);
  const rows = Array.from(outstanding, ([sequence, state]) => {
    const row = Buffer.alloc(10);
    row.writeUIntBE(sequence, 0, 6);
    row.writeUInt32BE(state.length, 6);
    return [row, state];
  });
  const done = Buffer.alloc(6 * settled.size);
  for (const [i, sequence] of [...settled].entries()) done.writeUIntBE(sequence, 6 * i, 6);
  return Buffer.concat([head, ...rows.flat(), done]);
}

/** @throws LogError `Broken` */
export function decodeChange(data: Uint8Array): ConsumerChange {
  return decodeWhole(data, 'a change of a consumer', decodeBytes);
}

function decodeBytes(bytes: Buffer): ConsumerChange {
  const count = bytes.readUInt32BE(4);
  const outstanding = new Map<number, Uint8Array>();
  let at = headBytes;
  for (let left = bytes.readUInt32BE(15); left > 0; left--) {
    const end = at + 10 + bytes.readUInt32BE(at + 6);
    if (end > bytes.length) throw new RangeError('It ends too early');
    outstanding.set(bytes.readUIntBE(at, 6), bytes.subarray(at + 10, end));
    at = end;
  }
  const settled = new Set<number>();
  for (let left = bytes.readUInt32BE(19); left > 0; left--, at += 6) {
    settled.add(bytes.readUIntBE(at, 6));
  }
  return {
    part: count === 0 ? undefined : { index: bytes.readUInt32BE(0), count },
    cursor: bytes.readUInt8(8) === 0 ? undefined : bytes.readUIntBE(9, 6),
    outstanding,
    settled,
  };
}
