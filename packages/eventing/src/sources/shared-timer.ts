/**
 * One timer of the clock for all who wait for a time of day.
 *
 * I1. While anybody waits one timer is set, for the earliest; while nobody does, none.
 * I2. The time of day is looked at every `lookMs` at least: timers stand still while a machine
 *     sleeps, and know nothing of a clock that is set.
 */
import type { Clock, Timer } from '@fnlet/base';
import { DueList } from '../due-list.ts';
import { cronLimits } from './cron/limits.ts';

/** No more than what a schedule forgives, so that nothing is missed that is due after a sleep. */
const lookMs = cronLimits.lateMs;

type Waiter = (isDue: boolean) => void;

export class SharedTimer {
  readonly #clock: Clock;
  readonly #waiting = new DueList<Waiter>();
  #timer: { readonly timer: Timer; readonly dueMs: number } | undefined;
  /** What the clock showed when it was last looked at. */
  #seenMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Resolves `true` when the time has come, or the clock was set back and the time may be another
   * one now; `false` as soon as `signal` aborts.
   */
  until(dueMs: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const waiter: Waiter = (isDue) => {
        signal.removeEventListener('abort', onAbort);
        resolve(isDue);
      };
      const onAbort = (): void => {
        this.#waiting.remove(waiter, dueMs);
        this.#set();
        waiter(false);
      };
      signal.addEventListener('abort', onAbort);
      this.#waiting.add(waiter, dueMs);
      this.#set();
    });
  }

  #set(): void {
    const dueMs = this.#waiting.nextMs;
    if (dueMs === this.#timer?.dueMs) return;
    this.#timer?.timer.cancel();
    this.#timer = undefined;
    if (dueMs === undefined) return;
    this.#seenMs = this.#clock.now();
    const waitMs = Math.min(dueMs - this.#seenMs, lookMs);
    const timer = this.#clock.after(waitMs, () => this.#ring());
    this.#timer = { timer, dueMs };
  }

  #ring(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.now();
    const untilMs = nowMs < this.#seenMs ? Number.POSITIVE_INFINITY : nowMs;
    for (const waiter of this.#waiting.take(untilMs)) waiter(true);
    this.#set();
  }
}
