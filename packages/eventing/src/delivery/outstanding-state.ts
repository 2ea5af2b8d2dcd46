/**
 * What the log keeps of an event that was passed and is not settled, in few bytes: a million of
 * them are read at a start.
 *
 *     0   flags: 1 it was tried, 2 it has a key
 *     1   tries, 2 bytes         only of what was tried
 *     3   last status, 2 bytes
 *     5   first try, 6 bytes     milliseconds since 1970
 *    11   next try, 6 bytes
 *     …   the key, UTF-8         to the end
 */
import { assert } from '@fnlet/base';

/** The tries of an event so far. */
export interface Tries {
  readonly attempts: number;
  /** Of the last answer. */
  readonly status: number;
  readonly firstMs: number;
  /** When the next one is due. */
  readonly dueMs: number;
}

export interface OutstandingState {
  /** `undefined`: it was never tried. */
  readonly tries: Tries | undefined;
  /** Which lane it is in. */
  readonly key: string | undefined;
}

const triedBytes = 16;

export function encodeState({ tries, key }: OutstandingState): Uint8Array {
  const start = tries === undefined ? 1 : 1 + triedBytes;
  const bytes = Buffer.alloc(start + Buffer.byteLength(key ?? ''));
  bytes[0] = (tries === undefined ? 0 : 1) | (key === undefined ? 0 : 2);
  if (tries !== undefined) {
    bytes.writeUInt16BE(Math.min(tries.attempts, 0xffff), 1);
    bytes.writeUInt16BE(Math.min(tries.status, 0xffff), 3);
    bytes.writeUIntBE(Math.floor(tries.firstMs), 5, 6);
    bytes.writeUIntBE(Math.floor(tries.dueMs), 11, 6);
  }
  if (key !== undefined) bytes.write(key, start);
  return bytes;
}

export function decodeState(state: Uint8Array): OutstandingState {
  const bytes = Buffer.from(state.buffer, state.byteOffset, state.length);
  const flags = bytes[0] ?? 0;
  const isTried = (flags & 1) !== 0;
  assert(bytes.length >= (isTried ? 1 + triedBytes : 1), 'the state of an event is whole');
  const start = isTried ? 1 + triedBytes : 1;
  const key = (flags & 2) === 0 ? undefined : bytes.toString('utf8', start);
  if (!isTried) return { tries: undefined, key };
  const tries = {
    attempts: bytes.readUInt16BE(1),
    status: bytes.readUInt16BE(3),
    firstMs: bytes.readUIntBE(5, 6),
    dueMs: bytes.readUIntBE(11, 6),
  };
  return { tries, key };
}
