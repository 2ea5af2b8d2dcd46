/**
 * Reads a shard, from its place to its end.
 *
 * I1. The place is moved when the events of all records before it are durable, and not before.
 * I2. It is read at most four times a second, and less while it is refused or has nothing.
 */
import { backoffDelayMs, type Clock, hasCode, type Random, sleep } from '@fnlet/base';
import type { ShardRecord } from './kinesis-answers.ts';
import type { IteratorStart, KinesisClient } from './kinesis-client.ts';
import { kinesisLimits } from './limits.ts';
import type { ReadSlots } from './read-slots.ts';
import { placeAfter, type ShardPlace, sequenceOf } from './shard-place.ts';

export interface ShardReading {
  readonly client: KinesisClient;
  readonly shard: string;
  readonly place: ShardPlace;
  /** What time the place `start` is. */
  readonly startMs: number;
  /** Where it begins, where that was found out already. */
  readonly iterator: string | undefined;
  /** Shared by all shards that are read. */
  readonly slots: ReadSlots;
  /** Resolves when the records are durable. */
  readonly accept: (records: readonly ShardRecord[]) => Promise<void>;
  readonly onPlace: (place: ShardPlace) => void;
  /** Told how many reads in a row were refused for there being too many; 0 when one was not. */
  readonly onThrottled: (refusals: number) => void;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Resolves at the end of the shard, when it is done, or when `signal` aborts.
 *
 * @throws KinesisError, and what `accept` throws
 */
export async function readShard(reading: ShardReading, signal: AbortSignal): Promise<void> {
  const { client, shard, clock, random, slots, onPlace, onThrottled } = reading;
  let { place, iterator } = reading;
  let refusals = 0;
  while (!signal.aborted) {
    const beganMs = clock.monotonicMs();
    let pauseMs: number = kinesisLimits.readMs;
    try {
      iterator ??= await client.iterator(shard, startOf(place, reading.startMs), signal);
      const step = await slots.run(() => takeStep(reading, iterator ?? '', signal));
      if (refusals > 0) onThrottled(0);
      refusals = 0;
      if (step.place !== undefined) onPlace(step.place);
      place = step.place ?? place;
      if (step.next === undefined) {
        onPlace('done');
        return;
      }
      iterator = step.next;
      if (!step.hasMore) pauseMs = kinesisLimits.idleMs;
    } catch (error) {
      if (signal.aborted) return;
      if (hasCode(error, 'Throttled')) {
        onThrottled(++refusals);
        pauseMs = throttledMs(refusals, random);
      } else if (hasCode(error, 'Expired')) iterator = undefined;
      else throw error;
    }
    await sleep(clock, Math.max(0, pauseMs - (clock.monotonicMs() - beganMs)), signal);
  }
}

interface Step {
  /** Where it is now; `undefined` when there were no records. */
  readonly place: ShardPlace | undefined;
  readonly next: string | undefined;
  readonly hasMore: boolean;
}

/** I1 */
async function takeStep(
  { client, accept }: ShardReading,
  iterator: string,
  signal: AbortSignal,
): Promise<Step> {
  const { records, next, behindMs } = await client.records(iterator, signal);
  const last = records.at(-1);
  if (last !== undefined) await accept(records);
  return {
    place: last === undefined ? undefined : placeAfter(last.sequence),
    next,
    hasMore: last !== undefined || behindMs > 0,
  };
}

function startOf(place: ShardPlace, startMs: number): IteratorStart {
  const sequence = sequenceOf(place);
  if (sequence !== undefined) return { type: 'AFTER_SEQUENCE_NUMBER', sequence };
  return place === 'start' ? { type: 'AT_TIMESTAMP', timeMs: startMs } : { type: 'TRIM_HORIZON' };
}

function throttledMs(refusals: number, random: Random): number {
  const { throttledBaseMs: baseMs, throttledCapMs: capMs } = kinesisLimits;
  return backoffDelayMs(refusals, { baseMs, capMs, jitter: 0.5 }, random);
}
