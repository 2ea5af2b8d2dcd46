/**
 * How much each client of one rate limit has used: a token bucket for each, kept as one number, the
 * time when it will be full again (the generic cell rate algorithm, ITU-T I.371).
 *
 * I1. A bucket that is full again is nothing that has to be remembered.
 * I2. At most `clientsMax` are remembered. Where more are in use at once, the one that was used
 *     longest ago is forgotten, and so gets a full bucket: no client is refused for many others.
 */
export interface RateRule {
  /** How many requests in `periodMs`, over time. */
  readonly requests: number;
  readonly periodMs: number;
  /** How many at once after a pause; at least 1. */
  readonly burst: number;
}

/** What is left after a request was counted, or refused. */
export interface RateDecision {
  readonly admitted: boolean;
  /** Requests that would be let through now. */
  readonly remaining: number;
  /** Until there is one more: for a refused client until it may come again. */
  readonly nextInMs: number;
  /** Until the bucket is full. */
  readonly fullInMs: number;
}

/** Decides about one request of a client whose bucket is full at `fullAtMs`. */
export function decideRate(rule: RateRule, fullAtMs: number, nowMs: number): RateDecision {
  const costMs = rule.periodMs / rule.requests;
  const capacityMs = rule.burst * costMs;
  const usedMs = Math.max(0, fullAtMs - nowMs);
  // Rounding must not refuse the last request of a burst, nor give one too many.
  const admitted = usedMs + costMs <= capacityMs + costMs * 1e-6;
  const fullInMs = admitted ? usedMs + costMs : usedMs;
  const remaining = Math.max(0, Math.floor((capacityMs - fullInMs) / costMs + 1e-6));
  const nextInMs = Math.max(0, fullInMs - (capacityMs - (remaining + 1) * costMs));
  return { admitted, remaining, nextInMs, fullInMs };
}

export class RateLimiter {
  readonly rule: RateRule;
  readonly #clientsMax: number;
  /** When each is full again; the one that was used last stands last. */
  readonly #fullAtMs = new Map<string, number>();

  constructor(rule: RateRule, clientsMax: number) {
    this.rule = rule;
    this.#clientsMax = clientsMax;
  }

  /** How many clients are remembered. */
  get size(): number {
    return this.#fullAtMs.size;
  }

  /** What {@link RateLimiter.take} would say; counts nothing. */
  look(client: string, nowMs: number): RateDecision {
    return decideRate(this.rule, this.#fullAtMs.get(client) ?? 0, nowMs);
  }

  /** Counts a request of `client` at `nowMs` (monotonic), unless it is one too many. */
  take(client: string, nowMs: number): RateDecision {
    const decision = this.look(client, nowMs);
    if (!decision.admitted) return decision;
    this.#fullAtMs.delete(client);
    if (this.#fullAtMs.size >= this.#clientsMax) this.#makeRoom(nowMs);
    this.#fullAtMs.set(client, nowMs + decision.fullInMs);
    return decision;
  }

  /** Counts one request of `client` no longer. */
  giveBack(client: string): void {
    const fullAtMs = this.#fullAtMs.get(client);
    if (fullAtMs === undefined) return;
    this.#fullAtMs.set(client, fullAtMs - this.rule.periodMs / this.rule.requests);
  }

  // Who was used longest ago is full first, roughly; looking at a few each time forgets them all.
  #makeRoom(nowMs: number): void {
    let looked = 0;
    for (const [client, fullAtMs] of this.#fullAtMs) {
      const isFull = fullAtMs <= nowMs;
      if (isFull || looked === 0) this.#fullAtMs.delete(client);
      looked++;
      if (!isFull || looked === lookedAtOnce) return;
    }
  }
}

/** Buckets that are looked at when room is needed: more than are added meanwhile. */
const lookedAtOnce = 8;
