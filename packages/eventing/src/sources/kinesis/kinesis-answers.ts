/** What Kinesis answers, as far as it is used; everything else in it is ignored. */
import { isJsonObject } from '@fnlet/base';
import { KinesisError } from './kinesis-error.ts';

export interface StreamSummary {
  /** Tells a stream from another one that had its name before. */
  readonly createdMs: number;
}

/** A part of a stream, which keeps its records in their order. */
export interface StreamShard {
  readonly id: string;
  /** The shards whose keys it took over: one after a split, two after a merge. */
  readonly parents: readonly string[];
  /** Whether it takes no more records. */
  readonly isClosed: boolean;
}

export interface ShardRecord {
  /** Decimal digits; unique in the shard, and greater for later records. */
  readonly sequence: string;
  readonly partitionKey: string;
  /** When it came, milliseconds since 1970. */
  readonly arrivedMs: number | undefined;
  readonly data: Uint8Array;
}

export interface ShardRecords {
  readonly records: readonly ShardRecord[];
  /** Where the next read begins; `undefined` at the end of a shard that is closed. */
  readonly next: string | undefined;
  /** How long ago the newest of these records came, when it is not the newest of all. */
  readonly behindMs: number;
}

type Answer = Readonly<Record<string, unknown>>;

/** @throws KinesisError `Unavailable` for what it cannot be */
export function readStreamSummary({ StreamDescriptionSummary: summary }: Answer): StreamSummary {
  const seconds = isJsonObject(summary) ? summary.StreamCreationTimestamp : undefined;
  if (typeof seconds !== 'number') throw unreadable('a stream without StreamCreationTimestamp');
  return { createdMs: Math.round(seconds * 1_000) };
}

/** @throws KinesisError `Unavailable` for what it cannot be */
export function readShardPage({ Shards: shards, NextToken: next }: Answer): {
  readonly shards: readonly StreamShard[];
  readonly next: string | undefined;
} {
  if (!Array.isArray(shards)) throw unreadable('a list without Shards');
  return { shards: shards.map(readShard), next: textOf(next) };
}

function readShard(shard: unknown): StreamShard {
  const known = isJsonObject(shard) ? shard : {};
  const id = textOf(known.ShardId);
  if (id === undefined) throw unreadable('a shard without ShardId');
  const range = isJsonObject(known.SequenceNumberRange) ? known.SequenceNumberRange : {};
  const parents = [known.ParentShardId, known.AdjacentParentShardId].map(textOf);
  return {
    id,
    parents: parents.filter((parent) => parent !== undefined),
    isClosed: textOf(range.EndingSequenceNumber) !== undefined,
  };
}

/** @throws KinesisError `Unavailable` for what it cannot be */
export function readRecords(answer: Answer): ShardRecords {
  const { Records: records, NextShardIterator: next, MillisBehindLatest: behindMs } = answer;
  if (!Array.isArray(records)) throw unreadable('an answer without Records');
  return {
    records: records.map(readRecord),
    next: textOf(next),
    behindMs: typeof behindMs === 'number' ? behindMs : 0,
  };
}

function readRecord(record: unknown): ShardRecord {
  const known = isJsonObject(record) ? record : {};
  const sequence = textOf(known.SequenceNumber);
  const data = known.Data;
  if (sequence === undefined || typeof data !== 'string') {
    throw unreadable('a record without SequenceNumber or Data');
  }
  const seconds = known.ApproximateArrivalTimestamp;
  return {
    sequence,
    partitionKey: textOf(known.PartitionKey) ?? '',
    arrivedMs: typeof seconds === 'number' ? Math.round(seconds * 1_000) : undefined,
    data: Buffer.from(data, 'base64'),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function unreadable(found: string): KinesisError {
  return new KinesisError('Unavailable', `Cannot read what Kinesis answers: found ${found}`);
}
