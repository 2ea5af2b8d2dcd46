import type { Clock } from '@fnlet/base';

/** How long something may take. */
export interface Bound {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Ends it earlier. */
  readonly signal?: AbortSignal | undefined;
}

/** Does some work with a signal that aborts when its time is up. */
export async function within<T>(
  { clock, timeoutMs, signal }: Bound,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const bounded = new AbortController();
  const abort = (): void => bounded.abort(signal?.reason);
  const timer = clock.after(timeoutMs, abort);
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted === true) abort();
  try {
    return await work(bounded.signal);
  } finally {
    timer.cancel();
    signal?.removeEventListener('abort', abort);
  }
}
