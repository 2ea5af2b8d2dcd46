/**
 * How far a consumer is, in memory and in the log. What happens meanwhile is written together: one
 * write is under way at a time, the next one takes all that came up since.
 *
 * I1. The log never passes an event that is not settled without keeping it as outstanding.
 * I2. What is written later happened later: a state in the log is one that there was.
 * I3. Events that are settled in their order cost one number, however many they are.
 */
import { type Clock, errorMessage, hasCode, type Logger, sleep } from '@fnlet/base';
import type { ConsumerCommit, LogConsumer, LogStream } from '@fnlet/store/log';
import type { DeliveryLimits } from './limits.ts';
import { type OpenEvent, OpenEvents } from './open-events.ts';
import { decodeState, encodeState, type Tries } from './outstanding-state.ts';

export interface SettlementParts {
  readonly stream: LogStream;
  readonly consumer: LogConsumer;
  /** Whether what is settled goes from the stream. */
  readonly removes: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: Pick<DeliveryLimits, 'removeRecords' | 'writtenRecords' | 'storeRetryMs'>;
  /** There is less to be written than before. */
  readonly onWritten: () => void;
  /** A write failed and will not be tried again; nothing is written after it. */
  readonly onBroken: (error: unknown) => void;
}

/** An event that was outstanding when its consumer ended. */
export interface RestoredEvent extends OpenEvent {
  readonly tries: Tries | undefined;
}

export class Settlements {
  readonly #parts: SettlementParts;
  readonly #open = new OpenEvents();
  /** The cursor, as it is written or being written. */
  #passed: number;
  /** The last event that something is known of. */
  #last: number;
  #settled: number[] = [];
  #kept = new Map<number, Uint8Array>();
  /** Settled since the last write, outstanding before or not. */
  #gone: number[] = [];
  #removable: number[] = [];
  #unwritten = 0;
  #next = Promise.withResolvers<void>();
  #writing: Promise<void> | undefined;
  readonly #closed = new AbortController();

  constructor(parts: SettlementParts) {
    this.#parts = parts;
    this.#passed = parts.consumer.cursor;
    this.#last = this.#passed;
    ignoreRejection(this.#next.promise);
  }

  /** How many events were read and are not settled. */
  get open(): number {
    return this.#open.size;
  }

  /** How much is not written. */
  get unwritten(): number {
    return this.#unwritten;
  }

  /** What the log has as outstanding, in order. Comes before all else. */
  async *restore(): AsyncGenerator<RestoredEvent, void, undefined> {
    const { stream, consumer, removes } = this.#parts;
    for await (const { sequence, state } of consumer.outstanding()) {
      const { tries, key } = decodeState(state);
      this.#open.add(sequence, key);
      yield { sequence, key, tries };
    }
    // What was settled shortly before the end is still there.
    if (removes) await stream.trim(this.#open.first ?? this.#passed + 1);
  }

  /** It was read; events are read in order. */
  read(event: OpenEvent): void {
    this.#open.add(event.sequence, event.key);
  }

  /** It is none of the consumer's: after a crash it may be looked at again. */
  skip(sequence: number): void {
    this.#settle(sequence);
    if (this.#gone.length >= this.#parts.limits.removeRecords) void this.#written();
  }

  /** It is over. Resolves once that is durable. */
  settle(sequence: number): Promise<void> {
    this.#settle(sequence);
    return this.#written();
  }

  /** It was tried and is not over. Resolves once that is durable. */
  keep(sequence: number, tries: Tries, key: string | undefined): Promise<void> {
    this.#kept.set(sequence, encodeState({ tries, key }));
    this.#last = Math.max(this.#last, sequence);
    return this.#written();
  }

  /** Writes what is not written, and removes what is settled; what cannot be done is left. */
  async close(): Promise<void> {
    this.#closed.abort();
    if (this.#gone.length > 0 || this.#unwritten > 0) await this.#written();
    await this.#writing;
    if (this.#parts.removes && this.#removable.length > 0) await this.#remove(1);
  }

  #settle(sequence: number): void {
    this.#open.settle(sequence);
    this.#kept.delete(sequence);
    this.#last = Math.max(this.#last, sequence);
    if (sequence <= this.#passed) this.#settled.push(sequence);
    this.#gone.push(sequence);
  }

  #written(): Promise<void> {
    this.#unwritten++;
    const { promise } = this.#next;
    this.#writing ??= this.#write();
    return promise;
  }

  async #write(): Promise<void> {
    // What happens in the same turn is written together.
    await Promise.resolve();
    while (this.#unwritten > 0) {
      const written = this.#next;
      this.#next = Promise.withResolvers<void>();
      ignoreRejection(this.#next.promise);
      const count = this.#unwritten;
      const gone = this.#gone;
      this.#gone = [];
      try {
        for (const change of this.#takeChanges()) await this.#commit(change);
      } catch (error) {
        written.reject(error);
        this.#next.reject(error);
        this.#parts.onBroken(error);
        return;
      }
      this.#unwritten -= count;
      written.resolve();
      this.#parts.onWritten();
      if (!this.#parts.removes) continue;
      this.#removable.push(...gone);
      await this.#remove(this.#parts.limits.removeRecords);
    }
    this.#writing = undefined;
  }

  /** All that is not written, in steps that the log takes well: each is true by itself. */
  #takeChanges(): readonly ConsumerCommit[] {
    const { writtenRecords } = this.#parts.limits;
    const passing = [...this.#open.between(this.#passed, this.#last)].map(({ sequence, key }) => {
      const state = this.#kept.get(sequence) ?? encodeState({ tries: undefined, key });
      this.#kept.delete(sequence);
      return { sequence, state };
    });
    const again = [...this.#kept].map(([sequence, state]) => ({ sequence, state }));
    const first = [...again, ...passing.slice(0, writtenRecords)];
    const changes: ConsumerCommit[] = [{ outstanding: first, settled: this.#settled }];
    for (let start = writtenRecords; start < passing.length; start += writtenRecords) {
      changes.push({ outstanding: passing.slice(start, start + writtenRecords) });
    }
    const steps = changes.map((change, step) => {
      const isLast = step === changes.length - 1;
      const end = isLast ? undefined : passing[(step + 1) * writtenRecords - 1]?.sequence;
      return { ...change, cursor: end ?? this.#last };
    });
    this.#passed = this.#last;
    this.#kept = new Map();
    this.#settled = [];
    return steps;
  }

  /** Waits while there is no room, or no server. */
  async #commit(change: ConsumerCommit): Promise<void> {
    const { consumer, clock, logger, limits } = this.#parts;
    while (true) {
      try {
        return await consumer.commit(change);
      } catch (error) {
        if (!hasCode(error, 'Full') && !hasCode(error, 'Unavailable')) throw error;
        logger.warn('Cannot keep how far events are', { error: errorMessage(error) });
        if (!(await sleep(clock, limits.storeRetryMs, this.#closed.signal))) throw error;
      }
    }
  }

  /** What comes before all open events goes at once, the rest when there is much of it. */
  async #remove(countMin: number): Promise<void> {
    const { stream, logger } = this.#parts;
    if (this.#removable.length < countMin) return;
    // What is settled here and not in the log yet stays, too.
    const first = this.#gone.reduce(
      (least, sequence) => Math.min(least, sequence),
      this.#open.first ?? this.#passed + 1,
    );
    const beyond = this.#removable.filter((sequence) => sequence > first);
    const removesAll = beyond.length >= countMin;
    try {
      if (beyond.length < this.#removable.length) await stream.trim(first);
      if (removesAll) await stream.remove(beyond);
      this.#removable = removesAll ? [] : beyond;
    } catch (error) {
      // They go with the next ones, or at the next start.
      logger.warn('Cannot remove settled events', { error: errorMessage(error) });
    }
  }
}

/** Whoever waits is told; if nobody does, the next one is. */
function ignoreRejection(promise: Promise<void>): void {
  promise.catch(() => {});
}
