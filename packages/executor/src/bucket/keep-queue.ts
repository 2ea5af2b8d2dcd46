import { bucketLimits } from './limits.ts';

/** Puts one thing where it is kept. */
export type Keep = (signal: AbortSignal) => Promise<void>;

/**
 * What is to be kept, beside what wakes and serves: a few at once, each once.
 *
 * I1. What waits, and what is remembered, is bounded: what falls out is kept when it is used again.
 */
export class KeepQueue {
  readonly #signal: AbortSignal;
  readonly #onFailure: (name: string, error: unknown) => void;
  readonly #waiting = new Map<string, Keep>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #kept = new Set<string>();

  constructor(signal: AbortSignal, onFailure: (name: string, error: unknown) => void) {
    this.#signal = signal;
    this.#onFailure = onFailure;
  }

  /** Has it kept, unless it is, or is about to be. */
  add(name: string, keep: Keep): void {
    if (this.#signal.aborted || this.#kept.has(name)) return;
    if (this.#running.has(name) || this.#waiting.size >= bucketLimits.keepsWaitingMax) return;
    this.#waiting.set(name, keep);
    this.#begin();
  }

  /** It is kept already. */
  know(name: string): void {
    if (this.#kept.size >= bucketLimits.keptNamesMax) this.#kept.clear();
    this.#kept.add(name);
  }

  /** It is kept no more. */
  forget(name: string): void {
    this.#kept.delete(name);
  }

  /** Resolves when nothing waits or runs. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  #begin(): void {
    if (this.#signal.aborted) this.#waiting.clear();
    while (this.#running.size < bucketLimits.keepsAtOnce) {
      const [next] = this.#waiting;
      if (next === undefined) return;
      const [name, keep] = next;
      this.#waiting.delete(name);
      this.#running.set(name, this.#run(name, keep));
    }
  }

  async #run(name: string, keep: Keep): Promise<void> {
    try {
      await keep(this.#signal);
      this.know(name);
    } catch (error) {
      if (!this.#signal.aborted) this.#onFailure(name, error);
    } finally {
      this.#running.delete(name);
      this.#begin();
    }
  }
}
