import { type Clock, sleep } from '@fnlet/base';

export interface RateLimit {
  /** Requests a second, over time. */
  readonly qps: number;
  /** How many may go at once after a pause. */
  readonly burst: number;
}

/** Lets through so many a second. Who waits is served in order. */
export class TokenBucket {
  readonly #limit: RateLimit;
  readonly #clock: Clock;
  #tokens: number;
  #countedMs: number;

  constructor(limit: RateLimit, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
    this.#tokens = limit.burst;
    this.#countedMs = clock.monotonicMs();
  }

  /** Waits for its turn; `false` when `signal` aborts before. */
  async take(signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted === true) return false;
    const nowMs = this.#clock.monotonicMs();
    const { qps, burst } = this.#limit;
    const earned = ((nowMs - this.#countedMs) * qps) / 1000;
    this.#countedMs = nowMs;
    // Below zero stand those who wait, each a token further.
    this.#tokens = Math.min(burst, this.#tokens + earned) - 1;
    if (this.#tokens >= 0) return true;
    const isTurn = await sleep(this.#clock, (-this.#tokens * 1000) / qps, signal);
    if (!isTurn) this.#tokens += 1;
    return isTurn;
  }
}
