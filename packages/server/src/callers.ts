import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, sleep } from '@fnlet/base';

export interface CallersOptions {
  readonly clock: Clock;
  /** Who has done nothing for so long has his answer, or does not need us to go on. */
  readonly quietMs: number;
  /** So long, in all, what is to be started waits for callers. */
  readonly waitMsMax: number;
}

/**
 * Who asks the API while Fnlet starts. The start has more to do than a caller, and would have him
 * wait for the whole of it: between its steps it gives way, until he has his answer.
 */
export class Callers {
  readonly #options: CallersOptions;
  #seenMs = Number.NEGATIVE_INFINITY;
  #waitedMs = 0;

  constructor(options: CallersOptions) {
    this.#options = options;
  }

  /** Somebody has connected, asked, or been answered. */
  seen(): void {
    this.#seenMs = this.#options.clock.monotonicMs();
  }

  /** Resolves when nobody has been seen for a moment, or when the start has waited enough. */
  async giveWay(): Promise<void> {
    const { clock, quietMs, waitMsMax } = this.#options;
    // What has arrived meanwhile is seen by the next turn.
    await nextTurn();
    for (;;) {
      const restMs = Math.min(
        this.#seenMs + quietMs - clock.monotonicMs(),
        waitMsMax - this.#waitedMs,
      );
      if (restMs <= 0) return;
      this.#waitedMs += restMs;
      await sleep(clock, restMs);
    }
  }
}
