import type { Clock, Timer } from '@fnlet/base';

/** Something that waits for at most so long. */
export interface Expirable {
  /** When (monotonic) its wait is over; `Infinity` for never. It may change at any time. */
  readonly deadlineMs: number;
  onDeadline(): void;
}

/**
 * Watches over many deadlines with one timer. Setting a deadline is one assignment, which is what
 * a busy connection does twice per request; the price is that a deadline may be noticed up to one
 * interval late. While nothing is watched there is no timer.
 */
export class DeadlineSweep {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #watched = new Set<Expirable>();
  #timer: Timer | undefined;

  constructor(clock: Clock, intervalMs: number) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
  }

  watch(expirable: Expirable): void {
    this.#watched.add(expirable);
    this.#arm();
  }

  unwatch(expirable: Expirable): void {
    this.#watched.delete(expirable);
    if (this.#watched.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    this.#timer ??= this.#clock.after(this.#intervalMs, () => this.#sweep());
  }

  #sweep(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.monotonicMs();
    for (const expirable of this.#watched) {
      if (expirable.deadlineMs <= nowMs) expirable.onDeadline();
    }
    if (this.#watched.size > 0) this.#arm();
  }
}
