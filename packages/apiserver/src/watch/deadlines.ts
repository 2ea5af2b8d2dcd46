import type { Clock, Timer } from '@fnlet/base';

/** What waits for a time. */
export interface Waiter {
  /** The time has come. It must neither throw nor wait; it may ask for a later time. */
  due(): void;
}

/** A time that somebody waits for. */
interface Deadline {
  readonly atMs: number;
  readonly waiter: Waiter;
}

/**
 * The times that all watches wait for, on one timer: a timer for each is some 400 bytes of Node's
 * and of closures, and a watch would have three of them.
 *
 * I1. `#deadlines` are in order of their times, and of those at the same time in order of coming.
 * I2. While anything waits one timer is pending, for the first or earlier; else none.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #deadlines: Deadline[] = [];
  #timer: Timer | undefined;
  #timerMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `waiter` once when the monotonic time is `atMs`. */
  add(atMs: number, waiter: Waiter): void {
    this.#deadlines.splice(this.#firstAfter(atMs), 0, { atMs, waiter });
    this.#plan();
  }

  /** What was added so is not called any more; nothing when it has been. */
  delete(atMs: number, waiter: Waiter): void {
    for (let at = this.#firstAfter(atMs) - 1; this.#deadlines[at]?.atMs === atMs; at--) {
      if (this.#deadlines[at]?.waiter !== waiter) continue;
      this.#deadlines.splice(at, 1);
      break;
    }
    // The timer of one that was deleted stays for those behind it: it finds nothing, and goes on.
    if (this.#deadlines.length === 0) this.#stop();
  }

  #plan(): void {
    const [first] = this.#deadlines;
    if (first === undefined || first.atMs >= this.#timerMs) return;
    this.#stop();
    this.#timerMs = first.atMs;
    this.#timer = this.#clock.after(first.atMs - this.#clock.monotonicMs(), this.#fire);
  }

  readonly #fire = (): void => {
    this.#stop();
    const nowMs = this.#clock.monotonicMs();
    for (let left = this.#firstAfter(nowMs); left > 0; left = this.#firstAfter(nowMs)) {
      this.#deadlines.shift()?.waiter.due();
    }
    this.#plan();
  };

  #stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerMs = Number.POSITIVE_INFINITY;
  }

  /** The first position whose time is later. */
  #firstAfter(atMs: number): number {
    let low = 0;
    let high = this.#deadlines.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#deadlines[middle]?.atMs ?? 0) > atMs) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
