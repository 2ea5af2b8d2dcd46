import { assert, type Clock, type Timer } from '@fnlet/base';
import { limits as logLimits } from '../limits.ts';
import type {
  Appended,
  AppendOptions,
  LogConsumer,
  LogEntry,
  LogRecord,
  LogStream,
  ReadOptions,
  StreamOptions,
  StreamSize,
} from '../log.ts';
import type { LogError } from '../log-error.ts';
import { checkEntries } from '../stage-append.ts';
import { type ChainMessage, decodeMessage, placeOf, recordsOf } from './chain-message.ts';
import { ConsumerChain } from './consumer-chain.ts';
import { HoleKeeper } from './hole-keeper.ts';
import { limits } from './limits.ts';
import type { NatsLink } from './nats-link.ts';
import { RecordChain } from './record-chain.ts';
import { isHole } from './stream-holes.ts';

export interface JetStreamStreamParts {
  readonly link: NatsLink;
  readonly clock: Clock;
  readonly name: string;
  /** What the subjects of this stream begin with; another one of its name has another. */
  readonly subject: string;
  /** Where those who listen to this stream are told, in every process. */
  readonly wakes: string;
  readonly options: StreamOptions;
  /** Why nothing can be asked any more, if so. */
  readonly refusal: () => LogError | undefined;
}

/**
 * A stream as subjects of JetStream: `r` for its records, `h` for what was taken from them, and
 * `c.<name>` for each consumer.
 *
 * Bounds are kept by whoever appends: what exceeds them is taken away after an append, and, when it
 * grows old, while somebody has the stream open.
 */
export class JetStreamStream implements LogStream {
  readonly name: string;
  readonly #parts: JetStreamStreamParts;
  readonly #chain: RecordChain;
  readonly #keeper: HoleKeeper;
  readonly #listeners = new Set<() => void>();
  readonly #consumers = new Set<ConsumerChain>();
  /** Sequences of the newest records of each key; only in a stream that keeps only those. */
  #newest: Map<string, number> | undefined;
  readonly #superseded: number[] = [];
  #options: StreamOptions;
  #unlisten: (() => void) | undefined;
  #retaining: Promise<void> | undefined;
  #retainsAgain = false;
  #sweep: Timer | undefined;

  constructor(parts: JetStreamStreamParts) {
    this.name = parts.name;
    this.#parts = parts;
    this.#options = parts.options;
    const { link, clock, subject } = parts;
    this.#chain = new RecordChain({
      link,
      clock,
      subject: `${subject}.r`,
      options: () => this.#options,
      onAppended: (message) => this.#appended(message),
    });
    this.#keeper = new HoleKeeper({
      link,
      chain: this.#chain,
      records: `${subject}.r`,
      subject: `${subject}.h`,
    });
  }

  /** The options hold from now on. */
  setOptions(options: StreamOptions): void {
    this.#options = options;
    this.#newest = undefined;
    if (options.maxRecords !== undefined || options.maxBytes !== undefined) this.#retain();
    this.#watchAge();
  }

  get appendBytesMax(): number {
    return this.#chain.appendBytesMax;
  }

  async append(entries: readonly LogEntry[], options: AppendOptions = {}): Promise<Appended> {
    this.#assertUsable();
    checkEntries(this.name, entries);
    if (this.#options.newestOfKey === true) this.#newest ??= await this.#newestByKey();
    return this.#chain.append(entries, options);
  }

  async read(from: number, options: ReadOptions): Promise<readonly LogRecord[]> {
    this.#assertUsable();
    const bytesMax = Math.min(options.maxBytes ?? logLimits.readBytesMax, logLimits.readBytesMax);
    const limit = Math.min(options.limit, logLimits.readRecordsMax);
    const holes = await this.#keeper.holes();
    const start = Math.max(from, holes.first);
    const records: LogRecord[] = [];
    let bytes = 0;
    for (let { seq } = placeOf(start); records.length < limit && bytes <= bytesMax; seq++) {
      const message = await this.#parts.link.next(`${this.#parts.subject}.r`, seq);
      if (message === undefined) break;
      ({ seq } = message);
      for (const record of recordsOf(seq, decodeMessage(message.data))) {
        if (record.sequence < start || isHole(holes, record.sequence)) continue;
        if (records.length >= limit || bytes > bytesMax) break;
        records.push(record);
        bytes += record.payload.length;
      }
    }
    return records;
  }

  subscribe(listener: () => void): () => void {
    this.#assertUsable();
    // Each subscription is its own, also when two give the same function.
    const own = (): void => listener();
    this.#listeners.add(own);
    this.#unlisten ??= this.#parts.link.listen(this.#parts.wakes, () => this.wake());
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size > 0) return;
      this.#unlisten?.();
      this.#unlisten = undefined;
    };
  }

  /** Calls everybody who listens. */
  wake(): void {
    for (const listener of this.#listeners) queueMicrotask(listener);
  }

  async size(): Promise<StreamSize> {
    this.#assertUsable();
    const { last, total } = await this.#chain.refresh();
    const { before, removed } = await this.#keeper.holes();
    const [oldest] = await this.read(0, { limit: 1 });
    return {
      records: total.records - before.records - removed.records,
      bytes: total.bytes - before.bytes - removed.bytes,
      first: oldest?.sequence ?? last + 1,
      last,
      oldestMs: oldest?.timeMs,
    };
  }

  async remove(sequences: readonly number[]): Promise<void> {
    this.#assertUsable();
    await this.#keeper.remove(sequences);
  }

  async trim(before: number): Promise<void> {
    this.#assertUsable();
    await this.#keeper.trim(before);
  }

  async consumer(name: string): Promise<LogConsumer> {
    this.#assertUsable();
    assert(name !== '', 'a consumer has a name');
    const subject = this.#consumerSubject(name);
    const consumer = await ConsumerChain.open({ link: this.#parts.link, subject });
    this.#assertUsable();
    this.#consumers.add(consumer);
    return consumer;
  }

  async consumers(): Promise<readonly string[]> {
    this.#assertUsable();
    const subjects = await this.#parts.link.subjects(`${this.#parts.subject}.c.*`);
    return subjects.map((subject) =>
      Buffer.from(subject.slice(subject.lastIndexOf('.') + 1), 'base64url').toString(),
    );
  }

  async removeConsumer(name: string): Promise<void> {
    this.#assertUsable();
    await this.#parts.link.purge(this.#consumerSubject(name));
  }

  #consumerSubject(name: string): string {
    return `${this.#parts.subject}.c.${Buffer.from(name).toString('base64url')}`;
  }

  #assertUsable(): void {
    const refusal = this.#parts.refusal();
    if (refusal !== undefined) throw refusal;
  }

  #appended({ seq, content }: { readonly seq: number; readonly content: ChainMessage }): void {
    this.wake();
    this.#parts.link.tell(this.#parts.wakes);
    if (this.#newest !== undefined) {
      for (const record of recordsOf(seq, content)) this.#noteKey(this.#newest, record);
    }
    const { maxRecords, maxBytes } = this.#options;
    const hasBound = maxRecords !== undefined || maxBytes !== undefined;
    if (hasBound || this.#superseded.length > 0) this.#retain();
    this.#watchAge();
  }

  /** Of the records there are; those that should be gone, as a crash may have left them, go next. */
  async #newestByKey(): Promise<Map<string, number>> {
    const newest = new Map<string, number>();
    for (let from = 0; ; ) {
      const records = await this.read(from, { limit: limits.stepRecordsMax });
      const last = records.at(-1);
      if (last === undefined) return newest;
      for (const record of records) this.#noteKey(newest, record);
      from = last.sequence + 1;
    }
  }

  #noteKey(newest: Map<string, number>, { key, sequence }: LogRecord): void {
    if (key === undefined) return;
    const previous = newest.get(key);
    if (previous !== undefined) this.#superseded.push(previous);
    newest.set(key, sequence);
  }

  #watchAge(): void {
    if (this.#options.maxAgeMs === undefined && this.#options.dedupeMs === undefined) return;
    this.#sweep ??= this.#parts.clock.after(logLimits.sweepMs, () => {
      this.#sweep = undefined;
      this.#retain();
    });
  }

  /** One look at a time, and one more when something changed meanwhile. */
  #retain(): void {
    if (this.#parts.refusal() !== undefined) return;
    this.#retainsAgain = this.#retaining !== undefined;
    // A step that fails is made again after the next append or sweep.
    this.#retaining ??= this.#retainAll()
      .catch(() => undefined)
      .finally(() => {
        this.#retaining = undefined;
        if (this.#retainsAgain) this.#retain();
      });
  }

  async #retainAll(): Promise<void> {
    await this.#keeper.remove(this.#superseded.splice(0));
    const { maxRecords = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } =
      this.#options;
    const sinceMs = this.#parts.clock.now() - (this.#options.maxAgeMs ?? Number.POSITIVE_INFINITY);
    for (;;) {
      let { records, bytes } = await this.size();
      const oldest = await this.read(0, { limit: limits.stepRecordsMax });
      const kept = oldest.find(({ timeMs, payload }) => {
        if (records <= maxRecords && bytes <= maxBytes && timeMs >= sinceMs) return true;
        records--;
        bytes -= payload.length;
        return false;
      });
      const last = oldest.at(-1);
      if (last === undefined) return;
      if (kept !== oldest[0]) await this.#keeper.trim(kept?.sequence ?? last.sequence + 1);
      if (kept !== undefined) break;
    }
    if (this.#options.maxAgeMs !== undefined) this.#watchAge();
  }

  /** Lets go of what it has; the subjects stay. */
  async close(refusal: LogError): Promise<void> {
    this.#sweep?.cancel();
    this.#unlisten?.();
    this.#listeners.clear();
    await Promise.all([
      this.#chain.close(refusal),
      ...Array.from(this.#consumers, (consumer) => consumer.close(refusal)),
    ]);
    await this.#retaining;
  }
}
