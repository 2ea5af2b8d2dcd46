/**
 * Waits for work, but only for so long; each by the same measure.
 *
 * I1. One timer serves all who wait: the first of them is the first whose time is up.
 */
import type { Clock, Timer } from '@fnlet/base';

interface Waiting {
  readonly dueMs: number;
  readonly giveUp: () => void;
}

export class Patience {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #late: () => Error;
  /** In the order in which their time is up. */
  readonly #waiting = new Set<Waiting>();
  #timer: Timer | undefined;

  /** @param late what is thrown when it took too long */
  constructor(clock: Clock, limitMs: number, late: () => Error) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#late = late;
  }

  /** What becomes of the work, unless that takes too long; then nobody hears of it. */
  bound(work: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        dueMs: this.#clock.monotonicMs() + this.#limitMs,
        giveUp: () => reject(this.#late()),
      };
      this.#waiting.add(waiting);
      this.#timer ??= this.#clock.after(this.#limitMs, () => this.#look());
      work.then(
        () => {
          this.#end(waiting);
          resolve();
        },
        (error: unknown) => {
          this.#end(waiting);
          reject(error);
        },
      );
    });
  }

  #end(waiting: Waiting): void {
    this.#waiting.delete(waiting);
  }

  #look(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.monotonicMs();
    for (const waiting of this.#waiting) {
      if (waiting.dueMs > nowMs) {
        this.#timer = this.#clock.after(waiting.dueMs - nowMs, () => this.#look());
        return;
      }
      this.#waiting.delete(waiting);
      waiting.giveUp();
    }
  }
}
