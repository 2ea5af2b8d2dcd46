/**
 * How many calls of all functions are under way: beyond a bound others wait, whosever they are, so
 * that what all operators do at once after a start does not take longer than any of it may.
 *
 * I1. Who waits longest goes first. At most as many wait as operators run objects at once.
 */
import { type Clock, LoadMeter } from '@fnlet/base';
import { busyPerSecond, callsAtOnceMax, quietSeconds, roomRetryMs } from '../limits.ts';
import { busy } from './call-gate.ts';

export class CallRoom {
  readonly #clock: Clock;
  readonly #load: LoadMeter | undefined;
  readonly #waiting = new Set<(hasPlace: boolean) => void>();
  #inFlight = 0;

  /** @param onLoad told when there are many calls, and when no more */
  constructor(clock: Clock, onLoad?: (isBusy: boolean) => void) {
    this.#clock = clock;
    const bounds = { busyPerSecond, quietSeconds };
    this.#load = onLoad && new LoadMeter({ clock, ...bounds, onChange: onLoad });
  }

  /**
   * Does a call once there is room.
   *
   * @throws HubError `FunctionBusy` when there is none for `waitMs`, or `signal` aborts
   */
  async use<T>(
    call: () => Promise<T>,
    { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
  ): Promise<T> {
    this.#load?.note();
    if (this.#inFlight >= callsAtOnceMax) await this.#wait(waitMs, signal);
    else this.#inFlight += 1;
    try {
      return await call();
    } finally {
      this.#leave();
    }
  }

  async #wait(waitMs: number, signal: AbortSignal): Promise<void> {
    const place = Promise.withResolvers<boolean>();
    this.#waiting.add(place.resolve);
    const giveUp = (): void => {
      if (this.#waiting.delete(place.resolve)) place.resolve(false);
    };
    const timer = this.#clock.after(waitMs, giveUp);
    signal.addEventListener('abort', giveUp, { once: true });
    const hasPlace = await place.promise;
    timer.cancel();
    signal.removeEventListener('abort', giveUp);
    if (!hasPlace) throw busy('all operators together call as much as they may', roomRetryMs);
  }

  /** The place is whose turn it is, or nobody's. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#inFlight -= 1;
      return;
    }
    this.#waiting.delete(next);
    next(true);
  }
}
