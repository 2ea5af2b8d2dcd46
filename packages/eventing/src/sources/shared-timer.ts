/**
 * One timer of the clock for all who wait for a time of day.
 *
 * I1. While anybody waits one timer is set, for the earliest; while nobody does, none.
 */
import type { Clock, Timer } from '@fnlet/base';
import { DueList } from '../due-list.ts';

type Waiter = (isDue: boolean) => void;

export class SharedTimer {
  readonly #clock: Clock;
  readonly #waiting = new DueList<Waiter>();
  #timer: { readonly timer: Timer; readonly dueMs: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves `true` when the time has come, `false` as soon as `signal` aborts. */
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
    const timer = this.#clock.after(dueMs - this.#clock.now(), () => this.#ring());
    this.#timer = { timer, dueMs };
  }

  // The clock may have been set back meanwhile: then nobody is due yet.
  #ring(): void {
    this.#timer = undefined;
    for (const waiter of this.#waiting.take(this.#clock.now())) waiter(true);
    this.#set();
  }
}
