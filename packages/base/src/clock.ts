/** A pending timer; `cancel` is idempotent. */
export interface Timer {
  cancel(): void;
}

/**
 * The only source of time. Rooms take it as a parameter, so that tests and the simulator can run
 * them on a {@link VirtualClock}.
 */
export interface Clock {
  /** Wall-clock time in milliseconds since the Unix epoch; may jump. */
  now(): number;
  /** Milliseconds since an arbitrary origin; never goes back. Use it to measure durations. */
  monotonicMs(): number;
  /**
   * Calls `callback` once after `delayMs`, or as soon as it can when that is over already. A pending
   * timer does not keep the process alive.
   */
  after(delayMs: number, callback: () => void): Timer;
}

/** The longest delay of a timer of Node, 24.8 days; it fires a longer one after a millisecond. */
const timerMaxMs = 2 ** 31 - 1;

/** The machine's clock. Delays may be of any length; of years too, as between runs of a CronJob. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, callback) {
    let handle: NodeJS.Timeout | undefined;
    const wait = (leftMs: number): void => {
      const isLast = leftMs <= timerMaxMs;
      const next = isLast ? callback : () => wait(leftMs - timerMaxMs);
      handle = setTimeout(next, isLast ? leftMs : timerMaxMs);
      handle.unref();
    };
    // Node warns of what is negative.
    wait(Math.max(0, delayMs));
    return { cancel: () => clearTimeout(handle) };
  },
};

/**
 * Waits `delayMs` on `clock`. Resolves `true` when the time is up and `false` at once when `signal`
 * aborts; it never rejects, so a loop can use it as its condition.
 */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted === true) return Promise.resolve(false);
  return new Promise((resolve) => {
    const onAbort = (): void => {
      timer.cancel();
      resolve(false);
    };
    const timer = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve(true);
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
