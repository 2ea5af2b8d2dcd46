import type { Random } from '@fnlet/base';

/** What the balancer needs to know about a place that takes calls. */
export interface Candidate {
  /** Calls in flight there. */
  readonly inFlight: number;
  /** Whether it takes one more call under a hard limit of `limit` (0: none). */
  hasRoom(limit: number): boolean;
}

/**
 * Picks where the next call goes; `undefined` when nobody has room.
 *
 * Small limits fill one Instance after the other, so that few are busy and the rest can sleep;
 * otherwise the less loaded of two chosen by chance takes it, which is nearly as even as asking all
 * and never sends a burst to one place. Knative's activator draws the same line at 3.
 */
export function pickCandidate<T extends Candidate>(
  candidates: readonly T[],
  limit: number,
  random: Random,
): T | undefined {
  const [first] = candidates;
  if (candidates.length <= 1) return first?.hasRoom(limit) === true ? first : undefined;
  if (limit > 0 && limit <= 3) return candidates.find((candidate) => candidate.hasRoom(limit));
  const at = Math.floor(random.next() * candidates.length);
  const step = 1 + Math.floor(random.next() * (candidates.length - 1));
  const one = candidates[at];
  const other = candidates[(at + step) % candidates.length];
  const picked = lessLoaded(one, other, limit);
  if (picked !== undefined) return picked;
  let least: T | undefined;
  for (const candidate of candidates) least = lessLoaded(least, candidate, limit);
  return least;
}

function lessLoaded<T extends Candidate>(
  one: T | undefined,
  other: T | undefined,
  limit: number,
): T | undefined {
  const a = one?.hasRoom(limit) === true ? one : undefined;
  const b = other?.hasRoom(limit) === true ? other : undefined;
  if (a === undefined || b === undefined) return a ?? b;
  return b.inFlight < a.inFlight ? b : a;
}
