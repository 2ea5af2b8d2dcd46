import type { Random } from './random.ts';

export interface BackoffOptions {
  /** The delay after the first failure, in milliseconds. */
  readonly baseMs: number;
  /** No delay is longer than this, jitter included. */
  readonly capMs: number;
  /** What each further failure multiplies the delay by. Default 2. */
  readonly factor?: number;
  /** The share of the delay that chance may take away, 0 … 1. Default 0 (none). */
  readonly jitter?: number;
}

/**
 * The delay before the next try after `failures` failures in a row (1 is the first failure).
 * Exponential, capped; jitter only shortens, so that the cap holds.
 */
export function backoffDelayMs(failures: number, options: BackoffOptions, random?: Random): number {
  const { baseMs, capMs, factor = 2, jitter = 0 } = options;
  // Caps are reached long before; an infinite power would make NaN of a base of 0.
  const exponent = Math.min(Math.max(failures, 1) - 1, 60);
  const delayMs = Math.min(baseMs * factor ** exponent, capMs);
  return random === undefined ? delayMs : delayMs * (1 - jitter * random.next());
}
