/**
 * How far a stream was read.
 *
 * I1. A place is behind no record whose event is not durable. So whoever writes it, and whichever
 *     of two writes comes last: what was read may come again, and nothing is left out.
 */
import { isJsonObject, type JsonObject } from '@fnlet/base';

/**
 * How far a shard was read: `start` where the stream is begun, `oldest` with the first record that
 * there is, `after` a sequence number; `done` when it has ended.
 */
export type ShardPlace = 'start' | 'oldest' | 'done' | `after ${string}`;

export interface StreamPlaces {
  /** Which stream: region and name, and its endpoint where the Trigger says one. */
  readonly stream: string;
  /** When it was created, milliseconds since 1970: one that was deleted and made anew is another. */
  readonly createdMs: number;
  /** What time `start` is, milliseconds since 1970. */
  readonly startMs: number;
  readonly shards: ReadonlyMap<string, ShardPlace>;
}

/** The place behind a record. */
export function placeAfter(sequence: string): ShardPlace {
  return `after ${sequence}`;
}

/** The sequence number that a place is behind. */
export function sequenceOf(place: ShardPlace): string | undefined {
  return place.startsWith('after ') ? place.slice('after '.length) : undefined;
}

export function formatPlaces({ stream, createdMs, startMs, shards }: StreamPlaces): JsonObject {
  return { stream, createdMs, startMs, shards: Object.fromEntries(shards) };
}

/** `undefined` for what was not written as places. */
export function parsePlaces(value: JsonObject | undefined): StreamPlaces | undefined {
  const { stream, createdMs, startMs, shards } = value ?? {};
  if (typeof stream !== 'string' || !isJsonObject(shards)) return undefined;
  if (typeof createdMs !== 'number' || typeof startMs !== 'number') return undefined;
  const places = Object.entries(shards).map(([id, place]) => [id, readPlace(place)] as const);
  return { stream, createdMs, startMs, shards: new Map(places) };
}

// What cannot be read is read again: that repeats, and loses nothing.
function readPlace(value: unknown): ShardPlace {
  if (value === 'start' || value === 'done') return value;
  const [, sequence] = typeof value === 'string' ? (/^after (\d+)$/.exec(value) ?? []) : [];
  return sequence === undefined ? 'oldest' : placeAfter(sequence);
}
