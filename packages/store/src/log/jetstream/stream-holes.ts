import { isJsonObject } from '@fnlet/base';
import { LogError } from '../log-error.ts';
import { type Amount, placeOf } from './chain-message.ts';

/** What was taken away from a chain of messages, which nobody can change. It never changes itself. */
export interface StreamHoles {
  /** Records before this sequence are gone. */
  readonly first: number;
  /** Everything that was appended before `first`. */
  readonly before: Amount;
  /** What was taken away singly from there on. */
  readonly removed: Amount;
  /** By message that still has other records: the places of those that are gone. */
  readonly places: ReadonlyMap<number, ReadonlySet<number>>;
}

const nothing: Amount = { records: 0, bytes: 0 };

export const noHoles: StreamHoles = {
  first: 0,
  before: nothing,
  removed: nothing,
  places: new Map(),
};

/** Whether a record is gone. */
export function isHole({ first, places }: StreamHoles, sequence: number): boolean {
  if (sequence < first) return true;
  const { seq, index } = placeOf(sequence);
  return places.get(seq)?.has(index) === true;
}

export function encodeHoles({ first, before, removed, places }: StreamHoles): Buffer {
  const gone = Array.from(places, ([seq, indexes]) => [seq, ...indexes]);
  return Buffer.from(JSON.stringify({ first, before, removed, places: gone }));
}

/** @throws LogError `Broken` */
export function decodeHoles(data: Uint8Array): StreamHoles {
  const text = Buffer.from(data).toString();
  const holes: unknown = JSON.parse(text);
  if (isJsonObject(holes)) {
    const { first, before, removed, places } = holes;
    if (typeof first === 'number' && isAmount(before) && isAmount(removed) && isTable(places)) {
      const gone = places.map(([seq = 0, ...indexes]) => [seq, new Set(indexes)] as const);
      return { first, before, removed, places: new Map(gone) };
    }
  }
  throw new LogError(
    'Broken',
    `Cannot read the log: found ${text.slice(0, 200)}, expected what was taken from a stream`,
  );
}

function isAmount(value: unknown): value is Amount {
  return (
    isJsonObject(value) && typeof value.records === 'number' && typeof value.bytes === 'number'
  );
}

function isTable(value: unknown): value is readonly (readonly number[])[] {
  return (
    Array.isArray(value) &&
    value.every((row) => Array.isArray(row) && row.every((cell) => typeof cell === 'number'))
  );
}
