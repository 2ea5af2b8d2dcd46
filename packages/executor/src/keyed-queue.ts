/**
 * Owns keys that wait to be worked on, by a bounded number of workers.
 *
 * I1. A key waits at most once, and is worked on by at most one worker at a time; one that is added
 *     meanwhile comes again afterwards.
 * I2. Keys wait until nothing was added for a while, and no longer than `delayMaxMs`: who adds many
 *     is not disturbed by the work that they make.
 * I3. Who hurries for a key waits for one work on it, which began after that and went well or not.
 * I4. A key whose work failed comes again after a growing delay; being added makes it come sooner.
 */
import type { Clock, Timer } from '@fnlet/base';

export interface KeyedQueueOptions {
  readonly workersMax: number;
  /** How long it has to be quiet from now on, so that changes after each other are worked on once. */
  delayMs(): number;
  /** How long a key waits at most until it may be worked on. */
  readonly delayMaxMs: number;
  readonly clock: Clock;
  /** The delay after so many failures in a row. */
  retryMs(failures: number): number;
  work(key: string, signal: AbortSignal): Promise<void>;
  onFailure(key: string, error: unknown): void;
}

export class KeyedQueue {
  readonly #options: KeyedQueueOptions;
  readonly #waiting = new Set<string>();
  /** Those that have waited, and are to be worked on. */
  readonly #due = new Set<string>();
  readonly #working = new Set<string>();
  readonly #failed = new Map<string, { readonly count: number; readonly timer: Timer }>();
  /** Those that wait for the next work on a key to be over. */
  readonly #hurried = new Map<string, (() => void)[]>();
  #signal: AbortSignal | undefined;
  #delay: Timer | undefined;
  /** When (monotonic) the first of those that wait has to be worked on. */
  #latestMs: number | undefined;

  constructor(options: KeyedQueueOptions) {
    this.#options = options;
  }

  add(key: string): void {
    this.#failed.get(key)?.timer.cancel();
    if (!this.#due.has(key)) this.#waiting.add(key);
    this.#dispatchSoon();
  }

  /**
   * Works on this key as soon as a worker is free, however quiet it is. Resolves when that is over,
   * and when nothing is worked on any more.
   */
  hurry(key: string): Promise<void> {
    if (this.#signal?.aborted === true) return Promise.resolve();
    this.#waiting.delete(key);
    this.#due.add(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#hurried.set(key, [...(this.#hurried.get(key) ?? []), resolve]);
    this.#dispatch();
    return promise;
  }

  /** Works until `signal` aborts. What waits then is dropped. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    this.#dispatchSoon();
    if (!signal.aborted) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    }
    this.#delay?.cancel();
    for (const { timer } of this.#failed.values()) timer.cancel();
    for (const key of [...this.#hurried.keys()]) for (const end of this.#takeHurried(key)) end();
  }

  #takeHurried(key: string): readonly (() => void)[] {
    const taken = this.#hurried.get(key) ?? [];
    this.#hurried.delete(key);
    return taken;
  }

  #dispatchSoon(): void {
    if (this.#signal === undefined || this.#signal.aborted) return;
    const { clock, delayMs, delayMaxMs } = this.#options;
    const nowMs = clock.monotonicMs();
    this.#latestMs ??= nowMs + delayMaxMs;
    const leftMs = Math.max(0, this.#latestMs - nowMs);
    this.#delay?.cancel();
    this.#delay = clock.after(Math.min(delayMs(), leftMs), () => {
      this.#delay = undefined;
      this.#latestMs = undefined;
      for (const key of this.#waiting) this.#due.add(key);
      this.#waiting.clear();
      this.#dispatch();
    });
  }

  #dispatch(): void {
    if (this.#signal === undefined || this.#signal.aborted) return;
    for (const key of this.#due) {
      if (this.#working.size >= this.#options.workersMax) return;
      if (this.#working.has(key)) continue;
      this.#due.delete(key);
      this.#working.add(key);
      void this.#work(key, this.#signal);
    }
  }

  async #work(key: string, signal: AbortSignal): Promise<void> {
    const hurried = this.#takeHurried(key);
    try {
      await this.#options.work(key, signal);
      this.#failed.delete(key);
    } catch (error) {
      if (!signal.aborted) this.#retry(key, error);
    }
    this.#working.delete(key);
    for (const end of hurried) end();
    this.#dispatch();
  }

  #retry(key: string, error: unknown): void {
    const { clock, retryMs, onFailure } = this.#options;
    onFailure(key, error);
    const count = (this.#failed.get(key)?.count ?? 0) + 1;
    const timer = clock.after(retryMs(count), () => this.add(key));
    this.#failed.set(key, { count, timer });
  }
}
