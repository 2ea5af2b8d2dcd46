import { type Clock, hasCode } from '@fnlet/base';
import { entryBytes } from '../append-parts.ts';
import { type Flush, FlushLoop } from '../flush-loop.ts';
import type { Appended, AppendOptions, LogEntry, StreamOptions } from '../log.ts';
import { LogError } from '../log-error.ts';
import {
  type Amount,
  addAmounts,
  amountOf,
  type ChainMessage,
  decodeMessage,
  encodeMessage,
  encodeRow,
  idDigest,
  recordsOf,
  sequenceAt,
} from './chain-message.ts';
import { limits } from './limits.ts';
import type { NatsLink } from './nats-link.ts';

/** The last message of a chain. */
export interface Tail {
  /** 0 while there was none. */
  readonly seq: number;
  /** Of the last record; 0 while there was none. */
  readonly last: number;
  /** Everything that was appended. */
  readonly total: Amount;
}

export interface ChainParts {
  readonly link: Pick<NatsLink, 'publish' | 'last' | 'next' | 'messageBytesMax'>;
  readonly clock: Clock;
  /** Where the messages are. */
  readonly subject: string;
  readonly options: () => StreamOptions;
  /** Called after something was appended here. */
  readonly onAppended: (message: { readonly seq: number; readonly content: ChainMessage }) => void;
}

interface Batch {
  readonly timeMs: number;
  readonly entries: LogEntry[];
  readonly digests: Set<string>;
  /** Filled in by the commit: where it was appended, and what. */
  seq: number;
  content?: ChainMessage;
}

const nothing: Amount = { records: 0, bytes: 0 };

/**
 * The messages of one stream, each appended upon the last one, whoever wrote that.
 *
 * I1. What is decided about an append (its expectation, known ids) is decided about the message
 *     that it follows: the server refuses it when another came first, and then it is decided anew.
 * I2. Everything that waits while a message is under way is the next message.
 * I3. Each message is followed once, whoever hears of it first: who asks for the last one may be
 *     told of a message of our own before its acknowledgement comes.
 */
export class RecordChain {
  readonly #parts: ChainParts;
  readonly #loop: FlushLoop<Batch>;
  /** Digests of ids that must not come again, in order of time. */
  readonly #ids = new Map<string, number>();
  /** Messages of the window in which ids are known: first in time, first in order. */
  readonly #recent: { readonly seq: number; readonly timeMs: number }[] = [];
  #tail: Tail = { seq: 0, last: 0, total: nothing };
  #refreshing: Promise<void> | undefined;
  #isStale = true;
  #conflicts = 0;

  constructor(parts: ChainParts) {
    this.#parts = parts;
    const flush: Flush<Batch> = {
      ready: () => (this.#isStale ? this.refresh().then(() => undefined) : undefined),
      stage: () => ({ timeMs: parts.clock.now(), entries: [], digests: new Set(), seq: 0 }),
      commit: (batch) => this.#commit(batch),
      publish: (batch) => this.#publish(batch),
    };
    const bytesMax = this.appendBytesMax;
    this.#loop = new FlushLoop(flush, { rowsMax: limits.messageEntriesMax, bytesMax });
  }

  /** Bytes that one message has for entries, as `entryBytes` counts them. */
  get appendBytesMax(): number {
    return this.#parts.link.messageBytesMax - limits.frameBytesMax;
  }

  /** @throws LogError */
  async append(entries: readonly LogEntry[], options: AppendOptions): Promise<Appended> {
    const bytes = entries.reduce((sum, entry) => sum + entryBytes(entry), 0);
    const bytesMax = this.appendBytesMax;
    if (bytes > bytesMax) {
      throw new LogError(
        'TooLarge',
        `Cannot append to "${this.#parts.subject}": found ${bytes} bytes, ` +
          `expected at most ${bytesMax}, of which the server makes one message`,
      );
    }
    const apply = (batch: Batch): (() => Appended) => this.#stage(batch, entries, options);
    const appended = await this.#loop.run({ apply, rows: entries.length, bytes });
    return appended();
  }

  #stage(
    batch: Batch,
    entries: readonly LogEntry[],
    { expectedLast }: AppendOptions,
  ): () => Appended {
    if (expectedLast !== undefined) {
      // What is before it in the same message is before it in the stream.
      const last = batch.entries.length > 0 ? Number.NaN : this.#tail.last;
      if (last !== expectedLast) throw this.#conflict(expectedLast, last);
    }
    const indexes = entries.map((entry) =>
      this.#isNew(batch, entry) ? batch.entries.push(entry) - 1 : -1,
    );
    const count = batch.entries.length;
    const lastBefore = this.#tail.last;
    return () => ({
      sequences: indexes.map((index) => (index < 0 ? undefined : sequenceAt(batch.seq, index))),
      last: count === 0 ? lastBefore : sequenceAt(batch.seq, count - 1),
    });
  }

  #isNew(batch: Batch, { id }: LogEntry): boolean {
    const { dedupeMs } = this.#parts.options();
    if (id === undefined || dedupeMs === undefined) return true;
    const digest = idDigest(id);
    const knownMs = this.#ids.get(digest);
    if (batch.digests.has(digest)) return false;
    if (knownMs !== undefined && knownMs > batch.timeMs - dedupeMs) return false;
    batch.digests.add(digest);
    return true;
  }

  async #commit(batch: Batch): Promise<'again' | undefined> {
    if (batch.entries.length === 0) return undefined;
    const { link, subject } = this.#parts;
    try {
      const content = this.#message(batch);
      const { previous: expectedLast } = content;
      batch.seq = await link.publish(subject, encodeMessage(content), { expectedLast });
      batch.content = content;
      this.#conflicts = 0;
      return undefined;
    } catch (error) {
      // Somebody else appended, or what became of it is not known: the server tells.
      this.#isStale = true;
      if (!hasCode(error, 'Conflict')) throw error;
      this.#conflicts++;
      if (this.#conflicts < limits.conflictsMax) return 'again';
      this.#conflicts = 0;
      throw new LogError(
        'Unavailable',
        `Cannot append to "${subject}": ${limits.conflictsMax} times another process was faster, ` +
          'expected a turn',
        { cause: error, retry: 'later' },
      );
    }
  }

  #message({ timeMs, entries, digests }: Batch): ChainMessage {
    return {
      timeMs,
      before: this.#tail.total,
      previous: this.#tail.seq,
      digests: Array.from(digests, (digest) => Buffer.from(digest, 'latin1')),
      rows: entries.map((entry) => encodeRow(timeMs, entry)),
    };
  }

  #publish({ seq, content }: Batch): void {
    if (content === undefined) return;
    this.#follow(seq, content);
    this.#parts.onAppended({ seq, content });
  }

  /** The last message as it is now. */
  async refresh(): Promise<Tail> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    await this.#refreshing;
    return this.#tail;
  }

  async #refresh(): Promise<void> {
    const { link, subject } = this.#parts;
    const last = await link.last(subject);
    if (last !== undefined && last.seq > this.#tail.seq) {
      const content = decodeMessage(last.data);
      for (const missed of await this.#missed(content)) this.#follow(missed.seq, missed.content);
      this.#follow(last.seq, content);
    }
    this.#isStale = false;
  }

  /** Messages with ids that were appended elsewhere before this one, oldest first. */
  async #missed(
    last: ChainMessage,
  ): Promise<readonly { readonly seq: number; readonly content: ChainMessage }[]> {
    const { dedupeMs } = this.#parts.options();
    const missed: { seq: number; content: ChainMessage }[] = [];
    if (dedupeMs === undefined) return missed;
    const sinceMs = this.#parts.clock.now() - dedupeMs;
    for (let { previous } = last; previous > this.#tail.seq; ) {
      const message = await this.#parts.link.next(this.#parts.subject, previous);
      if (message?.seq !== previous) return missed.reverse();
      const content = decodeMessage(message.data);
      if (content.timeMs <= sinceMs) return missed.reverse();
      missed.push({ seq: previous, content });
      previous = content.previous;
    }
    return missed.reverse();
  }

  #follow(seq: number, content: ChainMessage): void {
    // I3
    if (seq <= this.#tail.seq) return;
    const amount = amountOf(recordsOf(seq, content));
    this.#tail = {
      seq,
      last: sequenceAt(seq, content.rows.length - 1),
      total: addAmounts(content.before, amount),
    };
    if (content.digests.length === 0) return;
    this.#recent.push({ seq, timeMs: content.timeMs });
    for (const bytes of content.digests) {
      const digest = Buffer.from(bytes).toString('latin1');
      this.#ids.delete(digest);
      this.#ids.set(digest, content.timeMs);
    }
  }

  /** The first message that must stay: the last, and those whose ids must be known after a start. */
  keptFrom(): number {
    const { dedupeMs = 0 } = this.#parts.options();
    const sinceMs = this.#parts.clock.now() - dedupeMs;
    for (const [digest, timeMs] of this.#ids) {
      if (timeMs > sinceMs) break;
      this.#ids.delete(digest);
    }
    const young = this.#recent.findIndex(({ timeMs }) => timeMs > sinceMs);
    this.#recent.splice(0, young < 0 ? this.#recent.length : young);
    return Math.min(this.#tail.seq, this.#recent[0]?.seq ?? this.#tail.seq);
  }

  #conflict(expected: number, found: number): LogError {
    const last = Number.isNaN(found) ? 'another append before it' : `${found} as last sequence`;
    return new LogError(
      'Conflict',
      `Cannot append to "${this.#parts.subject}": found ${last}, expected ${expected}`,
    );
  }

  /** Refuses what comes from now on, and waits for what has come. */
  close(refusal: LogError): Promise<void> {
    return this.#loop.close(refusal);
  }
}
