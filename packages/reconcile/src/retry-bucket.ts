/** How many retries a whole queue may make. */
export interface RetryBucketOptions {
  /** Retries a second in the long run. */
  readonly perSecond: number;
  /** Retries that may come at once. */
  readonly burst: number;
}

/**
 * A token bucket as one number, the time at which it will be full again (the generic cell rate
 * algorithm): each retry pushes it on by what one token takes to grow.
 */
export class RetryBucket {
  readonly #tokenMs: number;
  readonly #burst: number;
  #fullMs = Number.NEGATIVE_INFINITY;

  constructor({ perSecond, burst }: RetryBucketOptions) {
    this.#tokenMs = 1000 / perSecond;
    this.#burst = burst;
  }

  /** Takes the next token, which may not have grown yet; returns how long until it has. */
  reserve(nowMs: number): number {
    this.#fullMs = Math.max(this.#fullMs, nowMs) + this.#tokenMs;
    return Math.max(0, this.#fullMs - this.#burst * this.#tokenMs - nowMs);
  }
}
