/**
 * What is asked of Kinesis, and how its answers are read: four questions by who reads a stream, two
 * by who makes one or writes to it.
 *
 * I1. A request is signed when it leaves, by the clock of the server where that is known to differ.
 */
import {
  backoffDelayMs,
  type Clock,
  errorMessage,
  isJsonObject,
  type Random,
  sleep,
} from '@fnlet/base';
import type { DeliveryAnswer } from '../../delivery/event-target.ts';
import type { EventPort } from '../../delivery/url-target.ts';
import { type AwsCredentials, signAwsRequest } from './aws-signature.ts';
import {
  readRecords,
  readShardPage,
  readStreamSummary,
  type ShardRecords,
  type StreamShard,
  type StreamSummary,
} from './kinesis-answers.ts';
import { KinesisError, kinesisErrorCode } from './kinesis-error.ts';
import { kinesisLimits } from './limits.ts';

export interface KinesisClientOptions {
  readonly port: EventPort;
  /** `http` or `https`, and a host; without a path. */
  readonly endpoint: string;
  readonly region: string;
  readonly stream: string;
  readonly credentials: AwsCredentials;
  readonly clock: Clock;
  readonly random: Random;
}

/** Where to begin in a shard. */
export type IteratorStart =
  | { readonly type: 'TRIM_HORIZON' | 'LATEST' }
  | { readonly type: 'AFTER_SEQUENCE_NUMBER'; readonly sequence: string }
  | { readonly type: 'AT_TIMESTAMP'; readonly timeMs: number };

export interface NewRecord {
  readonly partitionKey: string;
  readonly data: Uint8Array;
}

/** Where a record is. */
export interface RecordPlace {
  readonly shard: string;
  readonly sequence: string;
}

export class KinesisClient {
  readonly #options: KinesisClientOptions;
  /** What the clock of the server is ahead of ours. */
  #skewMs = 0;
  #serverMs: number | undefined;

  constructor(options: KinesisClientOptions) {
    this.#options = options;
  }

  /** What time the server said that it is, to the second, with its last answer. */
  get serverMs(): number | undefined {
    return this.#serverMs;
  }

  /** @throws KinesisError, as all others */
  async describe(signal: AbortSignal): Promise<StreamSummary> {
    return readStreamSummary(await this.#ask('DescribeStreamSummary', this.#named({}), signal));
  }

  /** All shards that hold records, and those that can take some. */
  async shards(signal: AbortSignal): Promise<readonly StreamShard[]> {
    const { pageMax, shardsMax } = kinesisLimits;
    const shards: StreamShard[] = [];
    let asked: object = this.#named({ MaxResults: pageMax });
    while (true) {
      const page = readShardPage(await this.#ask('ListShards', asked, signal));
      shards.push(...page.shards);
      if (shards.length > shardsMax) {
        throw new KinesisError(
          'Invalid',
          `Cannot read stream "${this.#options.stream}": it has more than ${shardsMax} shards`,
        );
      }
      if (page.next === undefined) return shards;
      asked = { NextToken: page.next };
    }
  }

  /** A place in a shard, to be used within five minutes. */
  async iterator(shard: string, start: IteratorStart, signal: AbortSignal): Promise<string> {
    const body = this.#named({
      ShardId: shard,
      ShardIteratorType: start.type,
      ...(start.type === 'AFTER_SEQUENCE_NUMBER' ? { StartingSequenceNumber: start.sequence } : {}),
      ...(start.type === 'AT_TIMESTAMP' ? { Timestamp: start.timeMs / 1_000 } : {}),
    });
    const { ShardIterator: iterator } = await this.#ask('GetShardIterator', body, signal);
    if (typeof iterator === 'string') return iterator;
    throw unreadable('GetShardIterator', 'no ShardIterator');
  }

  async records(iterator: string, signal: AbortSignal): Promise<ShardRecords> {
    const body = { ShardIterator: iterator, Limit: kinesisLimits.recordsMax };
    return readRecords(await this.#ask('GetRecords', body, signal));
  }

  /** Makes the stream; it takes records some time later. */
  async create(shards: number, signal: AbortSignal): Promise<void> {
    await this.#ask('CreateStream', this.#named({ ShardCount: shards }), signal);
  }

  /** Writes a record. Where an answer is lost on the way it may be there twice. */
  async put({ partitionKey, data }: NewRecord, signal: AbortSignal): Promise<RecordPlace> {
    const body = { PartitionKey: partitionKey, Data: Buffer.from(data).toString('base64') };
    const answer = await this.#ask('PutRecord', this.#named(body), signal);
    const { ShardId: shard, SequenceNumber: sequence } = answer;
    if (typeof shard === 'string' && typeof sequence === 'string') return { shard, sequence };
    throw unreadable('PutRecord', 'no ShardId and SequenceNumber');
  }

  #named(fields: object): object {
    return { StreamName: this.#options.stream, ...fields };
  }

  /** Asks again where nobody answers: a connection that was kept may have been closed meanwhile. */
  async #ask(
    operation: string,
    body: object,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { clock, random } = this.#options;
    const { triesMax, retryBaseMs: baseMs } = kinesisLimits;
    for (let tries = 1; ; tries++) {
      try {
        return await this.#try(operation, body, signal);
      } catch (error) {
        const isFinal = !(error instanceof KinesisError) || error.code !== 'Unavailable';
        if (isFinal || tries === triesMax) throw error;
        const delayMs = backoffDelayMs(tries, { baseMs, capMs: baseMs * 8, jitter: 0.5 }, random);
        if (!(await sleep(clock, delayMs, signal))) throw error;
      }
    }
  }

  async #try(
    operation: string,
    body: object,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    const answer = await this.#post(operation, body, signal);
    const found = readFailure(answer);
    if (found === undefined) return readBody(operation, answer);
    const aheadMs = this.#minds(found.exception);
    if (aheadMs === undefined) throw failure(operation, answer, found);
    this.#skewMs = aheadMs;
    const again = await this.#post(operation, body, signal);
    const left = readFailure(again);
    if (left !== undefined) throw failure(operation, again, left);
    return readBody(operation, again);
  }

  /** I1: how far the server is ahead, where that may be why it refused a signature. */
  #minds(exception: string): number | undefined {
    if (exception !== 'InvalidSignatureException' || this.#serverMs === undefined) return undefined;
    const aheadMs = this.#serverMs - this.#options.clock.now();
    const isOff = Math.abs(aheadMs - this.#skewMs) > kinesisLimits.skewMs;
    return isOff ? aheadMs : undefined;
  }

  async #post(operation: string, body: object, signal: AbortSignal): Promise<DeliveryAnswer> {
    const { port, endpoint, region, credentials, clock } = this.#options;
    const { requestMs, answerBytesMax } = kinesisLimits;
    const bytes = Buffer.from(JSON.stringify(body));
    const headers = signAwsRequest(
      {
        host: new URL(endpoint).host,
        headers: {
          'content-type': 'application/x-amz-json-1.1',
          'x-amz-target': `Kinesis_20131202.${operation}`,
        },
        body: bytes,
      },
      { credentials, scope: { region, service: 'kinesis' } },
      clock.now() + this.#skewMs,
    );
    const late = new AbortController();
    const timer = clock.after(requestMs, () => late.abort());
    const request = { url: new URL('/', endpoint).href, headers, body: bytes, answerBytesMax };
    try {
      const answer = await port.post(request, AbortSignal.any([signal, late.signal]));
      const serverMs = Date.parse(answer.headers.date ?? '');
      if (!Number.isNaN(serverMs)) this.#serverMs = serverMs;
      return answer;
    } catch (cause) {
      signal.throwIfAborted();
      const trouble = late.signal.aborted
        ? `no answer within ${requestMs} ms`
        : errorMessage(cause);
      const message = `Cannot ask ${endpoint} for ${operation}: ${trouble}`;
      throw new KinesisError('Unavailable', message, { cause });
    } finally {
      timer.cancel();
    }
  }
}

interface Failure {
  /** Its name, without what it is a part of. */
  readonly exception: string;
  readonly message: string;
}

function readFailure({ status, headers, body }: DeliveryAnswer): Failure | undefined {
  if (status >= 200 && status < 300) return undefined;
  const said = tryParse(body) ?? {};
  const { __type: type = headers['x-amzn-errortype'], message = said.Message } = said;
  const [name = ''] = String(type ?? '').split(':');
  const exception = name.slice(name.lastIndexOf('#') + 1);
  return { exception, message: typeof message === 'string' ? message : `status ${status}` };
}

function failure(operation: string, { status }: DeliveryAnswer, found: Failure): KinesisError {
  const { exception, message } = found;
  const name = exception === '' ? '' : `${exception}: `;
  return new KinesisError(
    kinesisErrorCode(exception, status),
    `Kinesis refused ${operation}: ${name}${message}`,
  );
}

function readBody(operation: string, { body }: DeliveryAnswer): Readonly<Record<string, unknown>> {
  if (body.length === 0 && answeredEmpty.has(operation)) return {};
  const value = tryParse(body);
  if (value !== undefined) return value;
  throw unreadable(operation, `${body.length} bytes that are no JSON object`);
}

/** What has no outcome besides that it was taken. */
const answeredEmpty: ReadonlySet<string> = new Set(['CreateStream']);

function tryParse(body: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(
      Buffer.from(body.buffer, body.byteOffset, body.length).toString(),
    );
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function unreadable(operation: string, found: string): KinesisError {
  return new KinesisError('Unavailable', `Cannot read the answer to ${operation}: found ${found}`);
}
