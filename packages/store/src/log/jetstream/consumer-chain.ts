import { assert, hasCode } from '@fnlet/base';
import { type Flush, FlushLoop } from '../flush-loop.ts';
import type { ConsumerCommit, LogConsumer, OutstandingRecord } from '../log.ts';
import { LogError } from '../log-error.ts';
import { goneError } from '../staging.ts';
import { type ConsumerChange, decodeChange, encodeChange } from './consumer-change.ts';
import { limits } from './limits.ts';
import type { NatsLink } from './nats-link.ts';

export interface ConsumerParts {
  readonly link: NatsLink;
  readonly subject: string;
}

interface Gathered {
  cursor: number | undefined;
  readonly outstanding: Map<number, Uint8Array>;
  readonly settled: Set<number>;
}

/**
 * A consumer as the messages of one subject: changes, each upon the one before it, and now and then
 * everything at once, after which the changes before it go.
 *
 * I1. A change that somebody else's came before is refused: who opens a consumer later has taken it.
 * I2. What is outstanding is in memory; its owner bounds it.
 * I3. Everything at once may need several messages. They count when the last of them is there, and
 *     nothing came between.
 */
export class ConsumerChain implements LogConsumer {
  readonly #parts: ConsumerParts;
  readonly #loop: FlushLoop<Gathered>;
  readonly #outstanding = new Map<number, Uint8Array>();
  #cursor = 0;
  #seq = 0;
  #changes = 0;
  #isLost = false;
  /** The id of the message of which is not known whether it arrived. */
  #unknown: string | undefined;

  private constructor(parts: ConsumerParts) {
    this.#parts = parts;
    const flush: Flush<Gathered> = {
      ready: () => (this.#unknown === undefined ? undefined : this.#recover(this.#unknown)),
      stage: () => ({ cursor: undefined, outstanding: new Map(), settled: new Set() }),
      commit: (gathered) => this.#commit(gathered),
      publish: (gathered) => this.#apply(gathered),
    };
    const bytesMax = this.#bytesMax;
    this.#loop = new FlushLoop(flush, { rowsMax: Number.POSITIVE_INFINITY, bytesMax });
  }

  /** The consumer as it was committed last; a first message makes it when it is not there. */
  static async open(parts: ConsumerParts): Promise<ConsumerChain> {
    const consumer = new ConsumerChain(parts);
    await consumer.#load();
    if (consumer.#seq === 0) await consumer.commit({ cursor: 0 });
    return consumer;
  }

  get #bytesMax(): number {
    return this.#parts.link.messageBytesMax - limits.frameBytesMax;
  }

  async #load(): Promise<void> {
    const { link, subject } = this.#parts;
    let parts: ConsumerChange[] = [];
    for (;;) {
      const message = await link.next(subject, this.#seq + 1);
      if (message === undefined) return;
      this.#seq = message.seq;
      const change = decodeChange(message.data);
      if (change.part === undefined) {
        parts = [];
        this.#changes++;
        this.#apply(change);
        continue;
      }
      parts = change.part.index === 0 ? [change] : [...parts, change];
      if (parts.length < change.part.count) continue;
      this.#outstanding.clear();
      for (const part of parts) this.#apply(part);
      parts = [];
      this.#changes = 0;
    }
  }

  get cursor(): number {
    return this.#cursor;
  }

  async *outstanding(): AsyncGenerator<OutstandingRecord, void, undefined> {
    const sequences = [...this.#outstanding.keys()].sort((a, b) => a - b);
    for (const sequence of sequences) {
      const state = this.#outstanding.get(sequence);
      if (state !== undefined) yield { sequence, state };
    }
  }

  async commit(change: ConsumerCommit): Promise<void> {
    const { outstanding = [], settled = [] } = change;
    const states = outstanding.reduce((sum, { state }) => sum + state.length + 16, 0);
    await this.#loop.run({
      apply: (gathered) => this.#gather(gathered, change),
      rows: 1,
      bytes: states + 8 * settled.length,
    });
  }

  #gather(gathered: Gathered, { cursor, outstanding = [], settled = [] }: ConsumerCommit): void {
    for (const sequence of [cursor ?? 0, ...settled, ...outstanding.map((one) => one.sequence)]) {
      assert(Number.isSafeInteger(sequence) && sequence >= 0, 'a sequence is a whole number');
    }
    if (this.#isLost) throw takenError(this.#parts.subject);
    gathered.cursor = cursor ?? gathered.cursor;
    for (const { sequence, state } of outstanding) {
      gathered.settled.delete(sequence);
      gathered.outstanding.set(sequence, state);
    }
    for (const sequence of settled) {
      gathered.outstanding.delete(sequence);
      gathered.settled.add(sequence);
    }
  }

  async #commit(gathered: Gathered): Promise<undefined> {
    try {
      if (this.#changes >= limits.consumerChangesMax) await this.#writeWhole();
      const { cursor, outstanding, settled } = gathered;
      if (cursor === undefined && outstanding.size + settled.size === 0) return;
      await this.#write({ part: undefined, cursor, outstanding, settled });
      this.#changes++;
    } catch (error) {
      if (!hasCode(error, 'Conflict')) throw error;
      this.#isLost = true;
      const { link, subject } = this.#parts;
      throw (await link.last(subject)) === undefined ? goneError(subject) : takenError(subject);
    }
  }

  /** Finds out whether the message arrived after all. */
  async #recover(id: string): Promise<void> {
    const { link, subject } = this.#parts;
    const message = await link.next(subject, this.#seq + 1);
    this.#unknown = undefined;
    if (message === undefined) return;
    this.#seq = message.seq;
    this.#isLost = message.id !== id;
    const change = decodeChange(message.data);
    // A part of everything changes nothing.
    if (!this.#isLost && change.part === undefined) this.#apply(change);
  }

  async #writeWhole(): Promise<void> {
    const pages = pagesOf([...this.#outstanding], this.#bytesMax);
    let first = 0;
    for (const [index, page] of pages.entries()) {
      const part = { index, count: pages.length };
      const cursor = this.#cursor;
      await this.#write({ part, cursor, outstanding: new Map(page), settled: new Set() });
      if (index === 0) first = this.#seq;
    }
    this.#changes = 0;
    await this.#parts.link.purge(this.#parts.subject, first);
  }

  async #write(change: ConsumerChange): Promise<void> {
    const { link, subject } = this.#parts;
    const id = link.newId();
    try {
      const options = { expectedLast: this.#seq, id };
      this.#seq = await link.publish(subject, encodeChange(change), options);
    } catch (error) {
      if (hasCode(error, 'Unavailable')) this.#unknown = id;
      throw error;
    }
  }

  #apply({ cursor, outstanding, settled }: Gathered | ConsumerChange): void {
    this.#cursor = cursor ?? this.#cursor;
    for (const [sequence, state] of outstanding) this.#outstanding.set(sequence, state);
    for (const sequence of settled) this.#outstanding.delete(sequence);
  }

  /** Refuses what comes from now on, and waits for what has come. */
  close(refusal: LogError): Promise<void> {
    return this.#loop.close(refusal);
  }
}

type State = readonly [sequence: number, state: Uint8Array];

/** What fits into one message each; at least one page. */
function pagesOf(states: readonly State[], bytesMax: number): readonly (readonly State[])[] {
  const pages: State[][] = [[]];
  let bytes = 0;
  for (const entry of states) {
    const size = entry[1].length + 16;
    if (bytes + size > bytesMax) {
      pages.push([]);
      bytes = 0;
    }
    bytes += size;
    pages.at(-1)?.push(entry);
  }
  return pages;
}

function takenError(subject: string): LogError {
  return new LogError(
    'Conflict',
    `Cannot commit to "${subject}": another process has, expected to be its only owner`,
    { remedy: 'Open the consumer again' },
  );
}
