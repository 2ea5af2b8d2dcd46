import type { StreamShard } from './kinesis-answers.ts';
import type { ShardPlace } from './shard-place.ts';

/** What is to be done about the shards of a stream. */
export interface ShardPlan {
  /** The places of all shards that are worth remembering. */
  readonly places: ReadonlyMap<string, ShardPlace>;
  /** Those that can be read now. */
  readonly readable: readonly string[];
  /** Those that went before all of their records were read. */
  readonly lost: readonly string[];
  /** Whether a shard was read to its end whose children are not known yet. */
  readonly awaitsChildren: boolean;
}

/**
 * Where each shard is begun of a stream that was not read before.
 *
 * @param from with which records: all, those that come from now on, or those since a time
 */
export function planFirstPlaces(
  shards: readonly StreamShard[],
  from: 'oldest' | 'newest' | 'time',
): ReadonlyMap<string, ShardPlace> {
  return new Map(
    shards.map(({ id, isClosed }) => {
      if (from === 'oldest') return [id, 'oldest'];
      // Nothing comes any more where a shard is closed.
      return [id, from === 'newest' && isClosed ? 'done' : 'start'];
    }),
  );
}

/**
 * Which shards are read: those whose parents were read to their end, so that what has one key keeps
 * its order when shards are split and merged. What is not known yet came out of others, and is read
 * from its first record on.
 */
export function planShards(
  shards: readonly StreamShard[],
  known: ReadonlyMap<string, ShardPlace>,
): ShardPlan {
  const listed = new Set(shards.map(({ id }) => id));
  const places = new Map<string, ShardPlace>(
    shards.map(({ id }) => [id, known.get(id) ?? 'oldest']),
  );
  // A parent that is not listed has no records any more.
  const isDone = (id: string): boolean => (places.get(id) ?? 'done') === 'done';
  const readable = shards.filter(({ id, parents }) => !isDone(id) && parents.every(isDone));
  const gone = [...known].filter(([id, place]) => !listed.has(id) && place !== 'done');
  const withChildren = new Set(shards.flatMap(({ parents }) => parents));
  return {
    places,
    readable: readable.map(({ id }) => id),
    lost: gone.map(([id]) => id),
    awaitsChildren: shards.some(
      ({ id, isClosed }) => isDone(id) && !(isClosed && withChildren.has(id)),
    ),
  };
}
