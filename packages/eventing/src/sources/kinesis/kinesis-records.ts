/**
 * Records of a stream of Kinesis, of all of its shards.
 *
 * I1. A record is passed when its event is durable: a crash in between brings it once more, with
 *     the same id, by which the log knows it.
 * I2. Records with one partition key come in their order, also when shards are split or merged.
 * I3. Answers of at most `answersMax` reads are in memory, however many shards there are.
 * I4. Where it begins is written before anything is read: a start that is cut off loses nothing.
 *
 * Who reads is who owns the Trigger: its shards are not shared (decisions/047).
 */
import type { KinesisSource } from '@fnlet/api';
import { errorMessage, hasCode, sleep } from '@fnlet/base';
import type { EventPort } from '../../delivery/url-target.ts';
import { keepMissing, wasMissing } from '../missing-place.ts';
import type { Source, SourceContext } from '../source.ts';
import { SourceError } from '../source-error.ts';
import { triggerUri } from '../trigger-uri.ts';
import { KeptPlaces } from './kept-places.ts';
import type { StreamShard } from './kinesis-answers.ts';
import { KinesisClient } from './kinesis-client.ts';
import { kinesisEndpoint } from './kinesis-endpoint.ts';
import { kinesisEvent } from './kinesis-event.ts';
import { readAwsCredentials } from './kinesis-identity.ts';
import { kinesisLimits } from './limits.ts';
import { planFirstPlaces, planShards, type ShardPlan } from './plan-shards.ts';
import { readShard } from './read-shard.ts';
import { ReadSlots } from './read-slots.ts';
import { parsePlaces, type StreamPlaces } from './shard-place.ts';

export interface KinesisRecordsOptions {
  readonly spec: KinesisSource;
  readonly context: SourceContext;
  /** The way out. */
  readonly port: EventPort;
}

/** A stream that is being read. */
interface Reading {
  readonly client: KinesisClient;
  readonly places: KeptPlaces;
  /** Where shards begin that are read for the first time now. */
  readonly iterators: Map<string, string>;
  readonly slots: ReadSlots;
  /** Shards that are read now. */
  readonly running: Map<string, Promise<void>>;
  /** Shards that others read so often that we are refused. */
  readonly throttled: Set<string>;
  /** Called when a shard has ended. */
  wake: () => void;
  readonly failed: PromiseWithResolvers<never>;
}

export class KinesisRecords implements Source {
  readonly #options: KinesisRecordsOptions;

  constructor(options: KinesisRecordsOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const either = AbortSignal.any([signal, ended.signal]);
    let reading: Reading | undefined;
    try {
      reading = await this.#open(either);
      reading.places.keep(either).catch(reading.failed.reject);
      await Promise.race([this.#follow(reading, either), reading.failed.promise]);
    } catch (error) {
      if (!signal.aborted) throw toSourceError(error, this.#options.spec);
    } finally {
      ended.abort();
      await Promise.allSettled(reading?.running.values() ?? []);
      // What was taken since is known by its ids, should this fail.
      await reading?.places.save().catch(() => {});
    }
  }

  async #open(signal: AbortSignal): Promise<Reading> {
    const { spec, context, port } = this.#options;
    const { region, stream, endpoint = kinesisEndpoint(region), secret } = spec;
    const { clock, random } = context;
    const credentials = await readAwsCredentials(secret, context);
    const parts = { port, endpoint, region, stream, credentials, clock, random };
    const client = new KinesisClient(parts);
    const failed = Promise.withResolvers<never>();
    failed.promise.catch(() => {});
    return {
      client,
      ...(await this.#begin(client, signal)),
      slots: new ReadSlots(kinesisLimits.answersMax),
      running: new Map(),
      throttled: new Set(),
      wake: () => {},
      failed,
    };
  }

  /** Goes on where it was, or begins (I4). */
  async #begin(
    client: KinesisClient,
    signal: AbortSignal,
  ): Promise<Pick<Reading, 'places' | 'iterators'>> {
    const { spec, context } = this.#options;
    const { stream: name, from } = spec;
    const stream = streamKey(spec);
    const kept = parsePlaces(await context.checkpoint.load());
    const { createdMs } = await client.describe(signal).catch(async (error: unknown) => {
      const isNew = hasCode(error, 'NotFound') && kept?.stream !== stream;
      if (isNew) await keepMissing(context.checkpoint, stream);
      throw error;
    });
    if (kept !== undefined && isSameStream(kept, spec, createdMs)) {
      return {
        places: new KeptPlaces({ ...kept, stream }, context, kept.stream === stream),
        iterators: new Map(),
      };
    }
    // What was written before endpoints were told apart is taken for this one: that loses nothing.
    const isAnew = kept?.stream === stream || kept?.stream === nameOf(spec);
    if (isAnew) {
      const message = `Stream "${name}" was deleted and made anew: it is read from its beginning`;
      context.tell({ reason: 'StreamReplaced', message });
    }
    const isLate = from === 'newest' && (await wasMissing(context.checkpoint, stream));
    const start = isAnew || isLate ? 'oldest' : from;
    const nowMs = client.serverMs ?? context.clock.now();
    const shards = await client.shards(signal);
    const place = start === 'oldest' || start === 'newest' ? start : 'time';
    const begun: StreamPlaces = {
      ...{ stream, createdMs },
      startMs: place === 'time' ? Date.parse(start) : nowMs,
      shards: planFirstPlaces(shards, place),
    };
    const places = new KeptPlaces(begun, context, false);
    await places.save();
    const iterators = place === 'newest' ? await findNewest(client, shards, signal) : new Map();
    return { places, iterators };
  }

  /** Reads whatever shards there are, until `signal` aborts. */
  async #follow(reading: Reading, signal: AbortSignal): Promise<void> {
    const { client, places, running } = reading;
    const { context } = this.#options;
    while (!signal.aborted) {
      const looked = new AbortController();
      reading.wake = () => looked.abort();
      const shards = await client.shards(signal);
      const plan = planShards(shards, places.shards);
      this.#tellLost(plan);
      places.replace(plan.places);
      for (const id of plan.readable) {
        if (!running.has(id)) running.set(id, this.#read(id, reading, signal));
      }
      this.#report(reading);
      const { listMs, listSoonMs } = kinesisLimits;
      const waitMs = plan.awaitsChildren ? listSoonMs : listMs;
      await sleep(context.clock, waitMs, AbortSignal.any([signal, looked.signal]));
    }
  }

  async #read(shard: string, reading: Reading, signal: AbortSignal): Promise<void> {
    const { spec, context } = this.#options;
    const { client, places, iterators, slots, running, throttled, failed } = reading;
    const { clock, random } = context;
    const origin = { source: triggerUri(context), stream: spec.stream, shard };
    const iterator = iterators.get(shard);
    iterators.delete(shard);
    const place = places.shards.get(shard) ?? 'oldest';
    try {
      await readShard(
        {
          ...{ client, shard, place, iterator, slots, clock, random },
          startMs: places.startMs,
          accept: (records) => context.accept(records.map((each) => kinesisEvent(each, origin))),
          onPlace: (moved) => places.move(shard, moved),
          onThrottled: (refusals) => {
            if (refusals >= kinesisLimits.throttledTold) throttled.add(shard);
            else if (refusals > 0 || !throttled.delete(shard)) return;
            this.#report(reading);
          },
        },
        signal,
      );
    } catch (error) {
      failed.reject(error);
    } finally {
      running.delete(shard);
      reading.wake();
    }
  }

  #report({ throttled }: Reading): void {
    const { context } = this.#options;
    const trouble = `Others read ${throttled.size} shards as often as Kinesis allows; events are late`;
    context.report({ connected: true, ...(throttled.size === 0 ? {} : { trouble }) });
  }

  #tellLost({ lost }: ShardPlan): void {
    if (lost.length === 0) return;
    const { stream } = this.#options.spec;
    const which = `${lost.slice(0, 5).join(', ')}${lost.length > 5 ? ', …' : ''}`;
    const message =
      `${lost.length} shards of stream "${stream}" were dropped by Kinesis, after its retention, ` +
      `before they were read to their end: ${which}`;
    this.#options.context.tell({ reason: 'RecordsExpired', message });
  }
}

function nameOf({ region, stream }: KinesisSource): string {
  return `${region}/${stream}`;
}

/** Of one name there may be a stream at every endpoint. */
function streamKey(spec: KinesisSource): string {
  const { endpoint } = spec;
  return endpoint === undefined ? nameOf(spec) : `${nameOf(spec)}@${endpoint}`;
}

/** Also at another endpoint of the same service: no two streams of one name are made at once. */
function isSameStream(kept: StreamPlaces, spec: KinesisSource, createdMs: number): boolean {
  const name = nameOf(spec);
  const isNamed = kept.stream === name || kept.stream.startsWith(`${name}@`);
  return isNamed && kept.createdMs === createdMs;
}

/** The places behind which nothing is yet, of all shards that take records, found out now. */
async function findNewest(
  client: KinesisClient,
  shards: readonly StreamShard[],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const slots = new ReadSlots(kinesisLimits.answersMax);
  const found = shards
    .filter(({ isClosed }) => !isClosed)
    .map(({ id }) =>
      slots.run(async () => [id, await client.iterator(id, { type: 'LATEST' }, signal)] as const),
    );
  return new Map(await Promise.all(found));
}

function toSourceError(cause: unknown, { stream }: KinesisSource): unknown {
  if (cause instanceof SourceError) return cause;
  const message = `Cannot read stream "${stream}": ${errorMessage(cause)}`;
  const code = hasCode(cause, 'Forbidden') ? 'Forbidden' : 'Unreachable';
  return new SourceError(code, message, { cause });
}
