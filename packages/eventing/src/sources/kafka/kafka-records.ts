/**
 * Records of topics of Kafka, as a member of a consumer group.
 *
 * I1. An offset is committed when the events of all records before it are durable.
 * I2. What comes again after partitions have moved has the same id, by which the log knows it.
 * I3. At most `batchMax` records are on their way to the log; meanwhile a bounded number waits.
 * I4. Whoever leads the group shares out the partitions that there were when it joined. So when
 *     there are others, or a topic is another one, the group is joined anew.
 */
import type { KafkaSource } from '@fnlet/api';
import { errorMessage, hasCode, sleep } from '@fnlet/base';
import type { Consumer, Message, MessagesStream } from '@platformatic/kafka';
import type { CloudEvent } from '../../event/cloud-event.ts';
import { makingMark, type PlaceMakings } from '../place-makings.ts';
import type { Source, SourceContext } from '../source.ts';
import { SourceError } from '../source-error.ts';
import { triggerUri } from '../trigger-uri.ts';
import { calmConnections } from './calm-connections.ts';
import { beginKafkaTopics } from './kafka-beginning.ts';
import { kafkaEvent } from './kafka-event.ts';
import { readKafkaIdentity } from './kafka-identity.ts';
import {
  findKafkaCluster,
  findKafkaTopics,
  isSameLayout,
  type KafkaTopics,
} from './kafka-topics.ts';
import { kafkaLimits } from './limits.ts';
import { readCommitted } from './read-committed.ts';
import { TopicShares } from './topic-shares.ts';

type KafkaModule = typeof import('@platformatic/kafka');
type Records = MessagesStream<Buffer, Buffer, Buffer, Buffer>;

interface TopicsRead {
  readonly records: Records;
  readonly makings: PlaceMakings;
  /** Aborts when it is not to be read any more. */
  readonly ending: AbortSignal;
}

interface TopicsWatched {
  readonly consumer: Consumer;
  readonly found: KafkaTopics;
  readonly shares: TopicShares;
  readonly records: Records;
}

export class KafkaRecords implements Source {
  readonly #spec: KafkaSource;
  readonly #context: SourceContext;
  /** Whether records are on their way to the log. */
  #isTaking = false;

  constructor(spec: KafkaSource, context: SourceContext) {
    this.#spec = spec;
    this.#context = context;
  }

  async run(signal: AbortSignal): Promise<void> {
    const library = await import('@platformatic/kafka');
    using _calm = calmConnections(library.instancesChannel);
    while (!signal.aborted) await this.#read(library, signal);
  }

  /** Reads until `signal` aborts, or the partitions are others. */
  async #read(library: KafkaModule, signal: AbortSignal): Promise<void> {
    const shares = new TopicShares();
    const consumer = await this.#open(library, shares);
    const ended = new AbortController();
    const either = AbortSignal.any([signal, ended.signal]);
    let watching: Promise<void> | undefined;
    this.#isTaking = false;
    try {
      const { topics, from } = this.#spec;
      const { checkpoint } = this.#context;
      const tell: SourceContext['tell'] = (happening) => this.#context.tell(happening);
      // Before the group is joined: what is shared out is no older.
      const found = await findKafkaTopics(consumer, topics);
      shares.own = found;
      const cluster = await findKafkaCluster(consumer);
      const parts = {
        consumer,
        cluster,
        found,
        group: this.#group,
        topics,
        from,
        checkpoint,
        tell,
      };
      const makings = await beginKafkaTopics(parts);
      const records = await consumer.consume({
        topics: [...topics],
        mode: 'committed',
        fallbackMode: 'earliest',
      });
      this.#context.report({ connected: true });
      watching = this.#watch({ consumer, found, shares, records }, either).then(() =>
        ended.abort(),
      );
      await this.#take({ records, makings, ending: signal }, either);
      if (!either.aborted) throw new Error('The broker has ended it');
    } catch (error) {
      if (either.aborted) return;
      throw toSourceError(error, this.#spec);
    } finally {
      ended.abort();
      await watching;
      // Partitions go to others at once; what is not committed comes again.
      await consumer.close(true).catch(() => {});
    }
  }

  async #open({ Consumer }: KafkaModule, { assign }: TopicShares): Promise<Consumer> {
    const { servers } = this.#spec;
    const { namespace, name } = this.#context;
    const consumer = new Consumer({
      clientId: `fnlet-${namespace}-${name}`,
      groupId: this.#group,
      partitionAssigner: assign,
      bootstrapBrokers: [...servers],
      ...(await readKafkaIdentity(this.#spec, this.#context)),
      autocommit: false,
      connectTimeout: kafkaLimits.connectMs,
      retries: kafkaLimits.retries,
      retryDelay: kafkaLimits.retryMs,
      sessionTimeout: kafkaLimits.sessionMs,
      heartbeatInterval: kafkaLimits.heartbeatMs,
      maxWaitTime: kafkaLimits.waitMs,
      maxBytes: kafkaLimits.answerBytesMax,
      maxBytesPerPartition: kafkaLimits.partitionBytesMax,
      highWaterMark: kafkaLimits.waitingMax,
    });
    return readCommitted(consumer);
  }

  get #group(): string {
    return this.#spec.consumerGroup ?? `fnlet-${this.#context.uid}`;
  }

  async #take({ records, makings, ending }: TopicsRead, signal: AbortSignal): Promise<void> {
    const source = triggerUri(this.#context);
    const stop = (): void => void records.destroy();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      for await (const first of records) {
        this.#isTaking = true;
        const batch = [first, ...takeReady(records, kafkaLimits.batchMax - 1)];
        await this.#context.accept(batch.map((record) => eventOf(record, { source, makings })));
        // What ends by itself may have been deleted; one that has its name now has none of this.
        if (!records.destroyed || ending.aborted) await commit(batch);
        this.#isTaking = false;
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Until `signal` aborts, or topics and partitions are others than these (I4). */
  async #watch(watched: TopicsWatched, signal: AbortSignal): Promise<void> {
    const { topics } = this.#spec;
    const { consumer, found, shares, records } = watched;
    while (await sleep(this.#context.clock, kafkaLimits.lagMs, signal)) {
      try {
        if (!isSameLayout(await findKafkaTopics(consumer, topics), found)) return;
        const others = await findKafkaTopics(consumer, shares.otherNames);
        if (shares.learn(others)) {
          await consumer.joinGroup({});
          shares.shared();
        }
        const lags = await consumer.getLag({ topics: [...topics] });
        // Partitions of other members count -1.
        const own = [...lags.values()].flat().filter((lag) => lag > 0n);
        const behind = own.reduce((a, b) => a + b, 0n);
        const lag = Number(behind) - (this.#isTaking ? 0 : passedCount(records));
        this.#context.report({ connected: true, lag: Math.max(0, lag) });
      } catch (error) {
        this.#context.report({ connected: false, trouble: errorMessage(error) });
      }
    }
  }
}

/** What is there already, behind the record that was waited for. */
function takeReady(records: Records, count: number): readonly Message[] {
  const batch: Message[] = [];
  while (batch.length < count) {
    const record: Message | null = records.read();
    if (record === null) break;
    batch.push(record);
  }
  return batch;
}

/**
 * At how many offsets there is nothing that comes: ends of transactions, and what these aborted.
 * Nobody commits them, but they do not wait.
 */
function passedCount({ readableLength, offsetsToFetch, offsetsCommitted }: Records): number {
  if (readableLength > 0) return 0;
  return [...offsetsCommitted]
    .map(([partition, committed]) => Number((offsetsToFetch.get(partition) ?? 0n) - committed))
    .filter((count) => count > 0)
    .reduce((sum, count) => sum + count, 0);
}

interface EventOrigin {
  readonly source: string;
  readonly makings: PlaceMakings;
}

function eventOf(record: Message, { source, makings }: EventOrigin): CloudEvent {
  const { topic, partition, offset, timestamp, key, value, headers } = record;
  const mark = makingMark(makings, topic);
  return kafkaEvent(
    { topic, partition, offset, timestampMs: Number(timestamp), key, value, headers, mark },
    source,
  );
}

/** Of each partition, the last record. */
async function commit(batch: readonly Message[]): Promise<void> {
  const last = new Map(batch.map((record) => [`${record.topic}/${record.partition}`, record]));
  await Promise.all([...last.values()].map((record) => record.commit()));
}

function toSourceError(cause: unknown, { servers }: KafkaSource): unknown {
  if (cause instanceof SourceError) return cause;
  const all = [...causesOf(cause)];
  const isForbidden = all.some((error) => hasCode(error, 'PLT_KFK_AUTHENTICATION'));
  const message = `Cannot read from Kafka at ${servers.join(', ')}: ${errorMessage(all.at(-1))}`;
  return new SourceError(isForbidden ? 'Forbidden' : 'Unreachable', message, { cause });
}

/** A failed request holds the failures of its tries, and each of these what it met; that is last. */
function* causesOf(error: unknown): Generator<unknown, void, undefined> {
  yield error;
  if (error instanceof AggregateError) for (const each of error.errors) yield* causesOf(each);
  else if (error instanceof Error && error.cause !== undefined) yield* causesOf(error.cause);
}
