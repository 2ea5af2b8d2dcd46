import type { Clock } from '@fnlet/base';

/** What a loop rests on until there is something to do. */
export class Alarm {
  readonly #clock: Clock;
  #isRung = false;
  #end: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** There is something to do: ends the rest, or the next one before it begins. */
  ring(): void {
    this.#isRung = true;
    this.#end?.();
  }

  /** Until it rings, it is `untilMs`, or `signal` aborts. */
  async rest(untilMs: number | undefined, signal: AbortSignal): Promise<void> {
    if (!this.#isRung && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const end = (): void => resolve();
      const timer =
        untilMs === undefined ? undefined : this.#clock.after(untilMs - this.#clock.now(), end);
      this.#end = end;
      signal.addEventListener('abort', end);
      await promise;
      this.#end = undefined;
      timer?.cancel();
      signal.removeEventListener('abort', end);
    }
    this.#isRung = false;
  }
}
