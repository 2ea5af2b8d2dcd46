/** Kinesis in memory and on a virtual clock: as it answers, with its limits, and with its moods. */
import { createHash } from 'node:crypto';
import type { VirtualClock } from '@fnlet/base';
import type { DeliveryAnswer } from '../src/delivery/event-target.ts';
import type { EventPort, EventPost } from '../src/delivery/url-target.ts';

interface CloudRecord {
  readonly SequenceNumber: string;
  readonly PartitionKey: string;
  readonly Data: string;
  readonly ApproximateArrivalTimestamp: number;
}

interface CloudShard {
  readonly id: string;
  readonly parents: readonly string[];
  /** Keys by the first byte of their hash, from `low` to below `high`. */
  readonly low: number;
  readonly high: number;
  readonly records: CloudRecord[];
  /** How many records are gone, from the first on. */
  trimmed: number;
  isClosed: boolean;
}

interface Asked {
  readonly operation: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What goes wrong with a question: an exception, or that its answer never comes. */
export type CloudTrouble = string | 'no answer' | undefined;

const iteratorMs = 300_000;
const readsPerSecond = 5;

class Refusal extends Error {
  readonly exception: string;

  constructor(exception: string, message: string) {
    super(message);
    this.exception = exception;
  }
}

export class KinesisCloud implements EventPort {
  readonly asked: Asked[] = [];
  trouble: (operation: string) => CloudTrouble = () => undefined;
  /** What its clock is ahead. */
  skewMs = 0;
  #createdMs: number;
  readonly #clock: VirtualClock;
  #shards: CloudShard[] = [];
  #sequence = 0n;
  #number = 0;
  /** When each shard was read within the last second. */
  readonly #reads = new Map<string, readonly number[]>();

  constructor(clock: VirtualClock, shards = 1) {
    this.#clock = clock;
    this.#createdMs = clock.now();
    this.#open(shards);
  }

  get shards(): readonly Readonly<Pick<CloudShard, 'id' | 'isClosed' | 'low' | 'high'>>[] {
    return this.#shards;
  }

  /** Writes a record; returns the id of its event. */
  put(key: string, data: string | Uint8Array): string {
    const [hash = 0] = createHash('md5').update(key).digest();
    const shard = this.#shards.find(
      ({ low, high, isClosed }) => !isClosed && low <= hash && hash < high,
    );
    if (shard === undefined) throw new Error('Some key has no shard');
    this.#sequence += 1n;
    const SequenceNumber = String(4_959_000_000_000_000_000_000n + this.#sequence);
    shard.records.push({
      SequenceNumber,
      PartitionKey: key,
      Data: Buffer.from(data).toString('base64'),
      ApproximateArrivalTimestamp: this.#nowMs / 1_000,
    });
    return `${shard.id}:${SequenceNumber}`;
  }

  split(id: string): void {
    const { low, high } = this.#close(id);
    const middle = (low + high) >> 1;
    this.#add({ parents: [id], low, high: middle });
    this.#add({ parents: [id], low: middle, high });
  }

  merge(id: string, other: string): void {
    const [first, second] = [this.#close(id), this.#close(other)];
    this.#add({
      parents: [id, other],
      low: Math.min(first.low, second.low),
      high: Math.max(first.high, second.high),
    });
  }

  /** Drops all records that there are, and closed shards with them, as the end of retention does. */
  trim(): void {
    for (const shard of this.#shards) shard.trimmed = shard.records.length;
    this.#shards = this.#shards.filter(({ isClosed }) => !isClosed);
  }

  /** Deletes the stream and makes it anew. */
  replace(shards: number): void {
    this.#createdMs = this.#nowMs;
    this.#shards = [];
    this.#open(shards);
  }

  async post({ headers, body: bytes }: EventPost, signal: AbortSignal): Promise<DeliveryAnswer> {
    const operation = (headers['x-amz-target'] ?? '').replace('Kinesis_20131202.', '');
    const body: Record<string, unknown> = JSON.parse(Buffer.from(bytes ?? []).toString());
    this.asked.push({ operation, body });
    const trouble = this.trouble(operation);
    if (trouble === 'no answer') return hang(signal);
    try {
      if (trouble !== undefined) throw new Refusal(trouble, 'as it pleases');
      this.#judge(headers['x-amz-date'] ?? '');
      return this.#answered(200, this.#answer(operation, body));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { exception, message } = error;
      const status = exception === 'InternalFailure' ? 500 : 400;
      return this.#answered(status, { __type: `com.amazonaws.kinesis#${exception}`, message });
    }
  }

  get #nowMs(): number {
    return this.#clock.now() + this.skewMs;
  }

  #answered(status: number, value: object): DeliveryAnswer {
    const headers = { date: new Date(this.#nowMs).toUTCString() };
    return { status, headers, body: Buffer.from(JSON.stringify(value)) };
  }

  #judge(time: string): void {
    const signedMs = Date.parse(time.replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5'));
    if (Math.abs(signedMs - this.#nowMs) < 300_000) return;
    throw new Refusal('InvalidSignatureException', 'Signature expired');
  }

  #answer(operation: string, body: Readonly<Record<string, unknown>>): object {
    switch (operation) {
      case 'DescribeStreamSummary':
        return {
          StreamDescriptionSummary: { StreamCreationTimestamp: this.#createdMs / 1_000 },
        };
      case 'ListShards':
        return this.#list(body);
      case 'GetShardIterator':
        return { ShardIterator: this.#iterator(body) };
      case 'GetRecords':
        return this.#read(String(body.ShardIterator), Number(body.Limit));
      default:
        throw new Refusal('UnknownOperationException', operation);
    }
  }

  // Pages of two, so that there are some.
  #list({ NextToken: token }: Readonly<Record<string, unknown>>): object {
    const begin = Number(token ?? 0);
    const Shards = this.#shards.slice(begin, begin + 2).map(({ id, parents, isClosed }) => ({
      ShardId: id,
      ...(parents[0] === undefined ? {} : { ParentShardId: parents[0] }),
      ...(parents[1] === undefined ? {} : { AdjacentParentShardId: parents[1] }),
      SequenceNumberRange: {
        StartingSequenceNumber: '1',
        ...(isClosed ? { EndingSequenceNumber: '2' } : {}),
      },
    }));
    const isLast = begin + 2 >= this.#shards.length;
    return { Shards, ...(isLast ? {} : { NextToken: String(begin + 2) }) };
  }

  #iterator({
    ShardId: id,
    ShardIteratorType: type,
    StartingSequenceNumber: sequence,
    Timestamp: seconds,
  }: Readonly<Record<string, unknown>>): string {
    const { records } = this.#find(String(id));
    const indexes: Readonly<Record<string, () => number>> = {
      TRIM_HORIZON: () => 0,
      LATEST: () => records.length,
      AFTER_SEQUENCE_NUMBER: () =>
        records.findIndex(({ SequenceNumber }) => SequenceNumber === sequence) + 1,
      AT_TIMESTAMP: () => {
        const found = records.findIndex(
          ({ ApproximateArrivalTimestamp: at }) => at >= Number(seconds),
        );
        return found === -1 ? records.length : found;
      },
    };
    const index = indexes[String(type)]?.();
    if (index === undefined) throw new Refusal('InvalidArgumentException', String(type));
    return this.#token(String(id), index);
  }

  #read(token: string, limit: number): object {
    const [id = '', index = '', issuedMs = ''] = Buffer.from(token, 'base64').toString().split('|');
    if (this.#nowMs - Number(issuedMs) > iteratorMs) {
      throw new Refusal('ExpiredIteratorException', 'Iterator expired');
    }
    const { records, trimmed, isClosed } = this.#find(id);
    this.#count(id);
    const begin = Math.max(trimmed, Number(index));
    const end = Math.min(begin + limit, records.length);
    const isOver = isClosed && end === records.length;
    return {
      Records: records.slice(begin, end),
      ...(isOver ? {} : { NextShardIterator: this.#token(id, end) }),
      MillisBehindLatest: end < records.length ? 1 : 0,
    };
  }

  /** Each shard answers five reads a second. */
  #count(id: string): void {
    const nowMs = this.#clock.now();
    const recent = (this.#reads.get(id) ?? []).filter((atMs) => atMs > nowMs - 1_000);
    const reads = [...recent, nowMs];
    this.#reads.set(id, reads);
    if (reads.length <= readsPerSecond) return;
    throw new Refusal('ProvisionedThroughputExceededException', `Rate exceeded for shard ${id}`);
  }

  #token(id: string, index: number): string {
    return Buffer.from(`${id}|${index}|${this.#nowMs}`).toString('base64');
  }

  #find(id: string): CloudShard {
    const found = this.#shards.find((shard) => shard.id === id);
    if (found === undefined) throw new Refusal('ResourceNotFoundException', `No shard ${id}`);
    return found;
  }

  #close(id: string): CloudShard {
    const shard = this.#find(id);
    if (shard.isClosed) throw new Error('A shard is closed once');
    shard.isClosed = true;
    return shard;
  }

  #open(count: number): void {
    for (let index = 0; index < count; index++) {
      const [low, high] = [index, index + 1].map((bound) => Math.floor((bound * 256) / count));
      this.#add({ parents: [], low: low ?? 0, high: high ?? 256 });
    }
  }

  #add(shard: Pick<CloudShard, 'parents' | 'low' | 'high'>): void {
    const number = this.#number++;
    const id = `shardId-${String(number).padStart(12, '0')}`;
    this.#shards.push({ ...shard, id, records: [], trimmed: 0, isClosed: false });
  }
}

function hang(signal: AbortSignal): Promise<DeliveryAnswer> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
