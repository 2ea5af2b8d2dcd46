import { backoffDelayMs, errorMessage, hasCode, type JsonObject, sleep } from '@fnlet/base';
import type { Change, StoredObject } from '@fnlet/store';
import type { ApiContext } from '../api-context.ts';
import { retryBaseMs, retryCapMs } from '../limits.ts';
import { inTurns } from '../object/in-turns.ts';

/**
 * What became of one key of the store; an object that was there at the start is a new one. The text
 * is there, the objects are parsed when somebody looks at them.
 */
export type Observed = Pick<Change, 'key' | 'value' | 'text' | 'previous'>;

/** What one of the server's own controllers does. */
export interface ControllerOptions {
  /** For the log. */
  readonly name: string;
  /** The part of the store that it watches. */
  readonly prefix: string;
  /** Which keys of work a change makes; at start every stored object counts as created. */
  readonly observe: (change: Observed) => Iterable<string>;
  /** Called before everything is read again, so that what was remembered can be dropped. */
  readonly reset?: () => void;
  /** Brings one key in order; says when to look at it again, if it must. */
  readonly reconcile: (key: string) => Promise<{ readonly againAfterMs: number } | undefined>;
}

/**
 * A controller inside the server: reads the state, follows the changes, and works off keys one by
 * one. It belongs to whoever calls `run`.
 *
 * I1. `observe` sees every change in order; what it was told is never older than the work it makes.
 * I2. A key waits at most once, so that no more wait than there are objects; a key that fails comes
 *     again later and holds up no other.
 * I3. No work begins while the state is being read: what was not read yet would seem not to exist.
 */
export class ControllerLoop {
  readonly #context: ApiContext;
  readonly #options: ControllerOptions;
  readonly #waiting = new Set<string>();
  readonly #failures = new Map<string, number>();
  // I3
  #isReading = true;
  #wake: (() => void) | undefined;
  #synced: (() => void) | undefined;
  /** Resolves when the state at the start has been worked off once. */
  readonly synced: Promise<void>;

  constructor(context: ApiContext, options: ControllerOptions) {
    this.#context = context;
    this.#options = options;
    this.synced = new Promise((resolve) => {
      this.#synced = resolve;
    });
  }

  enqueue(key: string): void {
    this.#waiting.add(key);
    this.#wakeUp();
  }

  #wakeUp(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#wake?.(), { once: true });
    await Promise.all([this.#follow(signal), this.#work(signal)]);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#context;
    const { prefix, observe, reset, name } = this.#options;
    while (!signal.aborted) {
      try {
        this.#isReading = true;
        reset?.();
        const revision = await this.#readAll(signal);
        this.#isReading = false;
        this.#wakeUp();
        if (this.#waiting.size === 0) this.#synced?.();
        for await (const change of store.watch(prefix, revision, signal)) {
          this.#enqueueAll(observe(change));
        }
      } catch (error) {
        if (signal.aborted || hasCode(error, 'Closed')) return;
        this.#context.logger.warn(`The ${name} starts again: ${errorMessage(error)}`);
        await sleep(clock, retryBaseMs, signal);
      }
    }
  }

  /** Observes one state of the store and returns its revision; requests are answered meanwhile. */
  async #readAll(signal: AbortSignal): Promise<number> {
    const { store } = this.#context;
    const { prefix, observe } = this.#options;
    const { revision: current } = store;
    for await (const stored of inTurns(store.scan(prefix))) {
      if (signal.aborted) break;
      this.#enqueueAll(observe(new ObservedAtStart(stored)));
    }
    return current;
  }

  #enqueueAll(keys: Iterable<string>): void {
    for (const key of keys) this.enqueue(key);
  }

  async #work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const [key] = this.#isReading ? [] : this.#waiting;
      if (key === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      this.#waiting.delete(key);
      await this.#reconcile(key, signal);
      if (this.#waiting.size === 0) this.#synced?.();
    }
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<void> {
    const { logger } = this.#context;
    const { name, reconcile } = this.#options;
    try {
      const result = await reconcile(key);
      this.#failures.delete(key);
      if (result !== undefined) this.#later(key, result.againAfterMs);
    } catch (error) {
      if (signal.aborted || hasCode(error, 'Closed')) return;
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      this.#later(key, backoffDelayMs(failures, { baseMs: retryBaseMs, capMs: retryCapMs }));
      logger.warn(`The ${name} will try "${key}" again: ${errorMessage(error)}`);
    }
  }

  #later(key: string, delayMs: number): void {
    this.#context.clock.after(delayMs, () => this.enqueue(key));
  }
}

class ObservedAtStart implements Observed {
  readonly #stored: StoredObject;

  constructor(stored: StoredObject) {
    this.#stored = stored;
  }

  get key(): string {
    return this.#stored.key;
  }

  get value(): JsonObject {
    return this.#stored.value;
  }

  get text(): string {
    return this.#stored.text;
  }

  get previous(): undefined {
    return undefined;
  }
}
