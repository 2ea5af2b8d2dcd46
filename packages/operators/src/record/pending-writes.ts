/**
 * What is to be kept, written together: nothing waits for it, and a crash loses the last moment of
 * it at most. So only what can be found out again is kept here.
 *
 * I1. Reads see what waits to be written.
 * I2. No timer while nothing waits; one write at a time.
 */
import { type Clock, errorMessage, type JsonObject, type Logger, type Timer } from '@fnlet/base';
import type { Store } from '@fnlet/store';
import { flushMs } from '../limits.ts';

export interface PendingWritesOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class PendingWrites {
  readonly #options: PendingWritesOptions;
  #waiting = new Map<string, JsonObject | undefined>();
  #writing: ReadonlyMap<string, JsonObject | undefined> = new Map();
  #timer: Timer | undefined;
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: PendingWritesOptions) {
    this.#options = options;
  }

  get(key: string): JsonObject | undefined {
    if (this.#waiting.has(key)) return this.#waiting.get(key);
    if (this.#writing.has(key)) return this.#writing.get(key);
    return this.#options.store.get(key)?.value;
  }

  /** The keys that there are under a prefix. */
  keys(prefix: string): string[] {
    const keys = new Set(this.#options.store.keys(prefix));
    for (const changes of [this.#writing, this.#waiting]) {
      for (const [key, value] of changes) {
        if (!key.startsWith(prefix)) continue;
        if (value === undefined) keys.delete(key);
        else keys.add(key);
      }
    }
    return [...keys].sort();
  }

  /** Has it written soon; `undefined` deletes. */
  set(key: string, value: JsonObject | undefined): void {
    this.#waiting.set(key, value);
    this.#timer ??= this.#options.clock.after(flushMs, () => {
      this.#timer = undefined;
      void this.flush();
    });
  }

  /** Has everything written that waits; never rejects. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#write());
    return this.#flushing;
  }

  /** Writes what waits, and no more. */
  async close(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    await this.flush();
  }

  async #write(): Promise<void> {
    if (this.#waiting.size === 0) return;
    const batch = this.#waiting;
    this.#waiting = new Map();
    this.#writing = batch;
    try {
      const { store } = this.#options;
      await store.write([...batch].map(([key, value]) => ({ key, value, expected: undefined })));
    } catch (error) {
      // It is found out again after a restart, by runs.
      const fields = { error: errorMessage(error), lost: batch.size };
      this.#options.logger.warn('Cannot keep what operators know', fields);
    } finally {
      this.#writing = new Map();
    }
  }
}
