import type { Clock, Timer } from './clock.ts';

interface Pending {
  readonly dueMs: number;
  readonly order: number;
  readonly callback: () => void;
}

/**
 * A clock that moves only when told to. Timers fire in order of due time, then of creation, and
 * see `now()` equal to their own due time.
 */
export class VirtualClock implements Clock {
  #nowMs: number;
  #order = 0;
  readonly #pending = new Set<Pending>();

  constructor(startMs: number = Date.UTC(2026, 0, 1)) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): Timer {
    const pending = { dueMs: this.#nowMs + Math.max(0, delayMs), order: this.#order++, callback };
    this.#pending.add(pending);
    return { cancel: () => this.#pending.delete(pending) };
  }

  /** How many timers wait. */
  get timers(): number {
    return this.#pending.size;
  }

  /** When the next timer fires, as `now()` will tell it; `undefined` while none waits. */
  get nextDueMs(): number | undefined {
    return this.#next(Number.POSITIVE_INFINITY)?.dueMs;
  }

  /**
   * Moves time forward, firing every timer that becomes due, and lets promise continuations run
   * between two timers so that chained waits behave as on a real clock.
   */
  async advance(durationMs: number): Promise<void> {
    const untilMs = this.#nowMs + durationMs;
    await settle();
    for (let next = this.#next(untilMs); next !== undefined; next = this.#next(untilMs)) {
      this.#pending.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.callback();
      await settle();
    }
    this.#nowMs = untilMs;
  }

  #next(untilMs: number): Pending | undefined {
    let first: Pending | undefined;
    for (const pending of this.#pending) {
      if (pending.dueMs > untilMs) continue;
      if (first === undefined || isBefore(pending, first)) first = pending;
    }
    return first;
  }
}

function isBefore(a: Pending, b: Pending): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order);
}

/** One turn of the event loop: every promise continuation that is ready has run after it. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
