import type { Clock, Timer } from '@fnlet/base';

/**
 * Aborts a request that has been silent for too long, or whose caller aborts. One timer, however
 * many messages: it looks at when the last one came, and sets itself anew.
 */
export class SilenceAlarm implements Disposable {
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #onCallerAbort = (): void => this.#controller.abort(this.#caller.reason);
  #heardMs: number;
  #silenceMaxMs: number;
  #timer: Timer;
  #rang = false;

  constructor(clock: Clock, caller: AbortSignal, silenceMaxMs: number) {
    this.#clock = clock;
    this.#caller = caller;
    this.#silenceMaxMs = silenceMaxMs;
    this.#heardMs = clock.monotonicMs();
    this.#timer = clock.after(silenceMaxMs, () => this.#look());
    if (caller.aborted) this.#onCallerAbort();
    else caller.addEventListener('abort', this.#onCallerAbort, { once: true });
  }

  /** For the request. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether it was the silence that aborted the request. */
  get rang(): boolean {
    return this.#rang;
  }

  heard(): void {
    this.#heardMs = this.#clock.monotonicMs();
  }

  /** Something was heard, and from now on silence may last so long. */
  expectWithin(silenceMaxMs: number): void {
    this.heard();
    this.#silenceMaxMs = silenceMaxMs;
    this.#timer.cancel();
    this.#timer = this.#clock.after(silenceMaxMs, () => this.#look());
  }

  #look(): void {
    const leftMs = this.#heardMs + this.#silenceMaxMs - this.#clock.monotonicMs();
    if (leftMs > 0) {
      this.#timer = this.#clock.after(leftMs, () => this.#look());
      return;
    }
    this.#rang = true;
    this.#controller.abort();
  }

  [Symbol.dispose](): void {
    this.#timer.cancel();
    this.#caller.removeEventListener('abort', this.#onCallerAbort);
  }
}
