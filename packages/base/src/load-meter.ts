/**
 * Tells whether much goes through this process, so that it can do for throughput what an idle one
 * must not pay for.
 *
 * I1. While nothing comes or goes there is no timer.
 */
import type { Clock } from './clock.ts';

export interface LoadMeterOptions {
  readonly clock: Clock;
  /** So many notes in a second are much; it becomes so with the last of them. */
  readonly busyPerSecond: number;
  /** So many seconds it has to be less until it is not much any more. */
  readonly quietSeconds: number;
  /** Told when it becomes much, and when it is no more. */
  readonly onChange: (isBusy: boolean) => void;
}

const secondMs = 1_000;

export class LoadMeter {
  readonly #options: LoadMeterOptions;
  #count = 0;
  #isBusy = false;
  /** Seconds with little to do, since there was much. */
  #quiet = 0;
  #isArmed = false;

  constructor(options: LoadMeterOptions) {
    this.#options = options;
  }

  /** Something came, or goes out: one thing, or several at once. */
  note(count = 1): void {
    this.#count += count;
    if (!this.#isArmed) this.#arm();
    // A burst is over when its second is.
    if (!this.#isBusy && this.#count >= this.#options.busyPerSecond) this.#become(true);
  }

  #arm(): void {
    this.#isArmed = true;
    this.#options.clock.after(secondMs, () => this.#look());
  }

  #look(): void {
    const { busyPerSecond, quietSeconds } = this.#options;
    const count = this.#count;
    this.#count = 0;
    this.#isArmed = false;
    this.#quiet = count >= busyPerSecond ? 0 : this.#quiet + 1;
    const isBusy = this.#isBusy ? this.#quiet < quietSeconds : this.#quiet === 0;
    if (isBusy !== this.#isBusy) this.#become(isBusy);
    if (isBusy || count > 0) this.#arm();
  }

  #become(isBusy: boolean): void {
    this.#isBusy = isBusy;
    this.#options.onChange(isBusy);
  }
}
