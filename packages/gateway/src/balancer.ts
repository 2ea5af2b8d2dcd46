import type { Random } from '@fnlet/base';

/** What the balancer needs to know about a place that takes calls. */
export interface Candidate {
  /** Stands for its name; see {@link mixHashes}. */
  readonly hash: number;
  /** Calls in flight there; while it warms up, each counts for more. */
  load(nowMs: number): number;
  /** Whether it takes one more call under a hard limit of `limit` (0: none). */
  hasRoom(limit: number, nowMs: number): boolean;
}

/** What a call asks of its place. */
export interface Placement {
  /** Hard limit of calls in flight per Instance; 0 for none. */
  readonly concurrencyLimit: number;
  /** Calls in flight per Instance above which the least loaded of all is looked for; 0 for none. */
  readonly concurrencyTarget: number;
  /** Calls with the same one share an Instance, as long as that is there and has room. */
  readonly affinity: number | undefined;
}

/** Places of which some are near; never none of them, and never all. */
export interface ZonedPlaces<T extends Candidate> {
  readonly all: readonly T[];
  readonly near: readonly T[];
}

/**
 * Picks where the next call goes; `undefined` when nobody has room.
 *
 * Small limits fill one Instance after the other, so that few are busy and the rest can sleep;
 * otherwise the less loaded of two chosen by chance takes it, which is nearly as even as asking all
 * and never sends a burst to one place. Knative's activator draws the same line at 3. Where both of
 * the two are at their target, asking all is worth its time.
 */
export class Balancer {
  /** How many Gateways, this one included, have the same places near: their loads add up. */
  nearGateways = 1;
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  pick<T extends Candidate>(
    candidates: readonly T[],
    placement: Placement,
    nowMs: number,
  ): T | undefined {
    const [first] = candidates;
    const { concurrencyLimit: limit, concurrencyTarget: target, affinity } = placement;
    if (candidates.length <= 1) return first?.hasRoom(limit, nowMs) === true ? first : undefined;
    if (affinity !== undefined) return pickByAffinity(candidates, { affinity, limit, nowMs });
    if (limit > 0 && limit <= 3) {
      return candidates.find((candidate) => candidate.hasRoom(limit, nowMs));
    }
    const picked = this.#lessLoadedOfTwo(candidates, limit, nowMs);
    if (picked !== undefined && (target === 0 || picked.load(nowMs) < target)) return picked;
    return this.#leastLoaded(candidates, limit, nowMs);
  }

  /**
   * The same where some places are near. They go first as long as they are below their target, with
   * what other Gateways may have sent them as well: beyond it all are alike, so that no zone is
   * overloaded while others have room. Without a target, a near place goes before one that is no
   * less busy. Calls that belong together stay together, wherever that is.
   */
  pickNearby<T extends Candidate>(
    { all, near }: ZonedPlaces<T>,
    placement: Placement,
    nowMs: number,
  ): T | undefined {
    const { concurrencyLimit: limit, concurrencyTarget: target, affinity } = placement;
    if (affinity !== undefined) return this.pick(all, placement, nowMs);
    if (target === 0 && limit === 0) {
      const other = this.pick(all, placement, nowMs);
      const close = this.pick(near, placement, nowMs);
      if (other === undefined || close === undefined) return other;
      return close.load(nowMs) <= other.load(nowMs) ? close : other;
    }
    // Each place with a hard limit is called by one Gateway alone.
    const share = limit > 0 ? target || limit : target / this.nearGateways;
    if (limit > 0 && limit <= 3) {
      for (const place of near) {
        if (isBelow(place, share, nowMs) && place.hasRoom(limit, nowMs)) return place;
      }
      return this.pick(all, placement, nowMs);
    }
    let picked = this.#lessLoadedOfTwo(near, limit, nowMs);
    if (picked !== undefined && isBelow(picked, share, nowMs)) return picked;
    picked = this.#leastLoaded(near, limit, nowMs);
    if (picked !== undefined && isBelow(picked, share, nowMs)) return picked;
    // What is near and full enough is among these, too.
    picked = this.#lessLoadedOfTwo(all, limit, nowMs);
    if (picked !== undefined && isBelow(picked, share, nowMs)) return picked;
    return this.#leastLoaded(all, limit, nowMs);
  }

  #lessLoadedOfTwo<T extends Candidate>(
    candidates: readonly T[],
    limit: number,
    nowMs: number,
  ): T | undefined {
    const count = candidates.length;
    if (count === 1) return withRoom(candidates[0], limit, nowMs);
    const at = Math.floor(this.#random.next() * count);
    const step = 1 + Math.floor(this.#random.next() * (count - 1));
    const one = withRoom(candidates[at], limit, nowMs);
    const other = withRoom(candidates[(at + step) % count], limit, nowMs);
    return lessLoaded(one, other, nowMs);
  }

  /** Among equals anybody: Gateways that look at the same time are not to meet at the first. */
  #leastLoaded<T extends Candidate>(
    candidates: readonly T[],
    limit: number,
    nowMs: number,
  ): T | undefined {
    const from = Math.floor(this.#random.next() * candidates.length);
    let least: T | undefined;
    for (let index = 0; index < candidates.length; index++) {
      const candidate = candidates[(from + index) % candidates.length];
      least = lessLoaded(least, withRoom(candidate, limit, nowMs), nowMs);
    }
    return least;
  }
}

/** Whether one more call leaves it at `most` at the most. */
function isBelow(candidate: Candidate, most: number, nowMs: number): boolean {
  return candidate.load(nowMs) + 1 <= most;
}

function withRoom<T extends Candidate>(
  candidate: T | undefined,
  limit: number,
  nowMs: number,
): T | undefined {
  return candidate?.hasRoom(limit, nowMs) === true ? candidate : undefined;
}

function lessLoaded<T extends Candidate>(
  one: T | undefined,
  other: T | undefined,
  nowMs: number,
): T | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return other.load(nowMs) < one.load(nowMs) ? other : one;
}

/**
 * Rendezvous hashing: the place whose name suits the key best. When one goes, only its own calls
 * move, evenly to the others; when it comes back, so do they.
 */
function pickByAffinity<T extends Candidate>(
  candidates: readonly T[],
  call: { readonly affinity: number; readonly limit: number; readonly nowMs: number },
): T | undefined {
  let best: T | undefined;
  let bestScore = -1;
  for (const candidate of candidates) {
    const score = mixHashes(call.affinity, candidate.hash);
    if (score <= bestScore || !candidate.hasRoom(call.limit, call.nowMs)) continue;
    best = candidate;
    bestScore = score;
  }
  return best;
}

/** A number below 2^32 that stands for a text (FNV-1a). */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}

/** A number below 2^32 that two others make together (the end of MurmurHash3). */
export function mixHashes(one: number, other: number): number {
  let mixed = Math.imul(one ^ Math.imul(other, 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
