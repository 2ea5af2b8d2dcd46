import type { Clock, Timer } from '@fnlet/base';

const soon = Promise.resolve();

/** Has something looked at: soon after it rings, once for all that rang meanwhile, or at a time. */
export class Alarm {
  readonly #clock: Clock;
  readonly #onRing: () => void;
  #isRung = false;
  #isStopped = false;
  #timer: { readonly timer: Timer; readonly dueMs: number } | undefined;

  constructor(clock: Clock, onRing: () => void) {
    this.#clock = clock;
    this.#onRing = onRing;
  }

  /** There is something to do. */
  ring(): void {
    if (this.#isRung || this.#isStopped) return;
    this.#isRung = true;
    // Cheaper than queueMicrotask, which notes who asked.
    void soon.then(this.#answer);
  }

  readonly #answer = (): void => {
    this.#isRung = false;
    if (!this.#isStopped) this.#onRing();
  };

  /** It rings at this time, instead of the one before; `undefined`: at none. */
  ringAt(dueMs: number | undefined): void {
    if (dueMs === this.#timer?.dueMs) return;
    this.#timer?.timer.cancel();
    this.#timer = undefined;
    if (dueMs === undefined || this.#isStopped) return;
    const timer = this.#clock.after(dueMs - this.#clock.now(), () => {
      this.#timer = undefined;
      this.ring();
    });
    this.#timer = { timer, dueMs };
  }

  /** It does not ring any more. */
  stop(): void {
    this.#isStopped = true;
    this.ringAt(undefined);
  }
}
