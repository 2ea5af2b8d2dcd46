/** A token bucket as one number, the time at which it will be full again (GCRA, ITU-T I.371). */
export class RateGate {
  readonly #tokenMs: number;
  readonly #burst: number;
  #fullMs = Number.NEGATIVE_INFINITY;

  constructor({ perSecond, burst }: { readonly perSecond: number; readonly burst: number }) {
    this.#tokenMs = 1000 / perSecond;
    this.#burst = burst;
  }

  /** When the next one may pass; in the past or now when it may already. */
  get opensMs(): number {
    return this.#fullMs - (this.#burst - 1) * this.#tokenMs;
  }

  /** One passes. */
  pass(nowMs: number): void {
    this.#fullMs = Math.max(this.#fullMs, nowMs) + this.#tokenMs;
  }
}
