/**
 * Tells whether many events go through this process, so that it can do for throughput what an idle
 * one must not pay for.
 *
 * I1. While no event comes or goes there is no timer.
 */
import type { Clock } from '@fnlet/base';
import { triggerLimits } from './limits.ts';

const secondMs = 1_000;

export class LoadMeter {
  readonly #clock: Clock;
  readonly #onChange: (isBusy: boolean) => void;
  #count = 0;
  #isBusy = false;
  /** Seconds with little to do, since there was much. */
  #quiet = 0;
  #isArmed = false;

  constructor(clock: Clock, onChange: (isBusy: boolean) => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** An event came, or goes out. */
  note(): void {
    this.#count++;
    if (!this.#isArmed) this.#arm();
  }

  #arm(): void {
    this.#isArmed = true;
    this.#clock.after(secondMs, () => this.#look());
  }

  #look(): void {
    const count = this.#count;
    this.#count = 0;
    this.#isArmed = false;
    this.#quiet = count >= triggerLimits.busyPerSecond ? 0 : this.#quiet + 1;
    const isBusy = this.#isBusy ? this.#quiet < triggerLimits.quietSeconds : this.#quiet === 0;
    if (isBusy !== this.#isBusy) {
      this.#isBusy = isBusy;
      this.#onChange(isBusy);
    }
    if (isBusy || count > 0) this.#arm();
  }
}
