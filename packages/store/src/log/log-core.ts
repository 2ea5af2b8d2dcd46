import { assert, type Clock, type Timer } from '@fnlet/base';
import { type Flush, FlushLoop } from './flush-loop.ts';
import { limits } from './limits.ts';
import { LogError } from './log-error.ts';
import { type Kept, stagePurge, stageRetention } from './stage-drop.ts';
import { goneError, Staging } from './staging.ts';
import { decodeHead, exceedsBounds, type StreamHead } from './stream-head.ts';
import { keyName, streamOf, streamPrefix } from './table-keys.ts';
import type { LogTables } from './tables.ts';

/** What tells a stream from one that had its name before. */
export type StreamIdentity = Pick<StreamHead, 'name' | 'number'>;

/** What a change costs the flush that takes it. Default: one row without bytes. */
export interface Weight {
  readonly rows?: number;
  readonly bytes?: number;
}

const soon = Promise.resolve();

// Names are keys, of which LMDB takes 1 978 bytes.
const nameBytesMax = 512;
const everything = { from: '', until: '\xff'.repeat(nameBytesMax + 1) };

/**
 * The heads of all streams, in memory, and the one order of their changes.
 *
 * I1. `heads` are exactly what is committed.
 * I2. Numbers of streams only grow, so that rows of a removed stream are never another's.
 * I3. While nothing waits to be dropped no timer runs.
 */
export class LogCore {
  readonly #tables: LogTables;
  readonly #clock: Clock;
  readonly #heads = new Map<string, StreamHead>();
  readonly #listeners = new Map<number, Set<() => void>>();
  readonly #loop: FlushLoop<Staging>;
  /** Streams that have had records or ids since they were last found without any that age. */
  readonly #ageing = new Set<string>();
  readonly #dropping = new Set<string>();
  #lastNumber = 0;
  #sweep: Timer | undefined;
  #closing: Promise<void> | undefined;

  constructor(tables: LogTables, clock: Clock) {
    this.#tables = tables;
    this.#clock = clock;
    const bounds = { rowsMax: limits.flushRowsMax, bytesMax: limits.flushBytesMax };
    const flush: Flush<Staging> = {
      ready: () => tables.ready(),
      stage: () => new Staging(tables, this.#heads, clock.now()),
      commit: (staging) => tables.commit(staging.writes()).then(() => undefined),
      publish: (staging) => this.#publish(staging),
    };
    this.#loop = new FlushLoop(flush, bounds);
    this.#load();
  }

  #load(): void {
    const limit = Number.POSITIVE_INFINITY;
    for (const { key, value } of this.#tables.range('streams', { ...everything, limit })) {
      const head = decodeHead(keyName(key), value);
      this.#heads.set(head.name, head);
      this.#lastNumber = Math.max(this.#lastNumber, head.number);
      this.#watchAge(head);
    }
    for (const { key } of this.#tables.range('removed', { ...everything, limit })) {
      const number = streamOf(key);
      this.#lastNumber = Math.max(this.#lastNumber, number);
      this.#purge(number);
    }
  }

  get heads(): ReadonlyMap<string, StreamHead> {
    return this.#heads;
  }

  nextNumber(): number {
    this.#lastNumber++;
    return this.#lastNumber;
  }

  /** @throws LogError `Closed`, `Gone` */
  head({ name, number }: StreamIdentity): StreamHead {
    this.assertOpen();
    const head = this.#heads.get(name);
    if (head?.number === number) return head;
    throw goneError(name);
  }

  assertOpen(): void {
    if (this.#closing !== undefined) throw closedError();
  }

  /**
   * What `read` finds in the tables; it must be done with them when it returns.
   *
   * @throws LogError `Closed`, `Gone`
   */
  async read<Result>(
    stream: StreamIdentity,
    read: (tables: LogTables, head: StreamHead) => Result,
  ): Promise<Result> {
    for (let wait = this.#tables.ready(); wait !== undefined; wait = this.#tables.ready()) {
      await wait;
    }
    return read(this.#tables, this.head(stream));
  }

  /** Changes the log within a flush. */
  run<Result>(apply: (staging: Staging) => Result, weight: Weight = {}): Promise<Result> {
    const { rows = 1, bytes = 0 } = weight;
    return this.#loop.run({ apply, rows, bytes });
  }

  subscribe({ number }: StreamIdentity, listener: () => void): () => void {
    this.assertOpen();
    const listeners = this.#listeners.get(number) ?? new Set();
    this.#listeners.set(number, listeners);
    // Each subscription is its own, also when two give the same function.
    const own = (): void => listener();
    listeners.add(own);
    return () => {
      listeners.delete(own);
      if (listeners.size === 0 && this.#listeners.get(number) === listeners) {
        this.#listeners.delete(number);
      }
    };
  }

  /** Removes the stream, and then, step by step, its rows. */
  async remove(name: string): Promise<void> {
    const number = await this.run((staging) => {
      const head = staging.find(name);
      if (head === undefined) return undefined;
      staging.removeHead(name);
      staging.put('removed', streamPrefix(head.number), Buffer.alloc(0));
      return head.number;
    });
    if (number !== undefined) this.#purge(number);
  }

  #publish(staging: Staging): void {
    for (const [name, head] of staging.heads) {
      if (head === undefined) this.#heads.delete(name);
      else {
        const isBoundAnew = this.#heads.get(name)?.options !== head.options;
        this.#heads.set(name, head);
        if (exceedsBounds(head)) this.#retain(name);
        if (isBoundAnew || staging.appended.has(name)) this.#watchAge(head);
      }
    }
    for (const name of staging.appended) {
      const number = this.#heads.get(name)?.number ?? 0;
      // Cheaper than queueMicrotask, which notes who asked.
      for (const listener of this.#listeners.get(number) ?? []) void soon.then(listener);
    }
  }

  #watchAge({ name, options }: StreamHead): void {
    if (options.maxAgeMs === undefined && options.dedupeMs === undefined) return;
    this.#ageing.add(name);
    this.#sweep ??= this.#clock.after(limits.sweepMs, () => {
      this.#sweep = undefined;
      for (const ageing of this.#ageing) this.#retain(ageing);
    });
  }

  /** One look at a stream at a time. */
  #retain(name: string): void {
    if (this.#dropping.has(name)) return;
    this.#dropping.add(name);
    const retain = (staging: Staging): Kept => {
      const head = staging.find(name);
      return head === undefined ? 'nothing' : stageRetention(staging, head);
    };
    this.run(retain, { rows: limits.dropRowsMax }).then(
      (kept) => {
        this.#dropping.delete(name);
        const head = this.#heads.get(name);
        this.#ageing.delete(name);
        if (head === undefined) return;
        if (kept === 'excess' || exceedsBounds(head)) this.#retain(name);
        else if (kept === 'ageing') this.#watchAge(head);
      },
      // The next append or sweep tries again; a log that is closed or broken keeps what it has.
      () => this.#dropping.delete(name),
    );
  }

  #purge(number: number): void {
    this.run((staging) => stagePurge(staging, number), { rows: limits.dropRowsMax }).then(
      (more) => {
        if (more) this.#purge(number);
      },
      // What is left is dropped when the log is opened next.
      () => undefined,
    );
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#sweep?.cancel();
    await this.#loop.close(closedError());
    this.#listeners.clear();
    await this.#tables.close();
  }
}

export function assertName(name: string): void {
  const bytes = Buffer.byteLength(name);
  assert(bytes > 0 && bytes <= nameBytesMax, `a name has 1 to ${nameBytesMax} bytes: "${name}"`);
}

function closedError(): LogError {
  return new LogError('Closed', 'Cannot use the log: found it closed, expected an open one');
}
