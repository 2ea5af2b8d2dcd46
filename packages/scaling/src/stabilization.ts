/** How many were recommended at a moment. */
export interface Recommendation {
  readonly atMs: number;
  readonly count: number;
}

/**
 * What was recommended lately, as far as it can still be the highest or the lowest of a window: a
 * recommendation that a later one outdoes is forgotten, so both lists are short and sorted.
 */
export interface Recommendations {
  /** Falling, oldest first. */
  readonly highs: readonly Recommendation[];
  /** Rising, oldest first. */
  readonly lows: readonly Recommendation[];
}

export const noRecommendations: Recommendations = { highs: [], lows: [] };

/** For how long the highest, and the lowest, recommendation counts. */
export interface StabilizationWindows {
  readonly growMs: number;
  readonly shrinkMs: number;
}

/** The recommendations after one more. */
export function recommend(
  { highs, lows }: Recommendations,
  recommendation: Recommendation,
  { growMs, shrinkMs }: StabilizationWindows,
): Recommendations {
  const { atMs: now, count } = recommendation;
  const stays = (reachMs: number) => (one: Recommendation) => one.atMs > now - reachMs;
  return {
    highs: [...highs.filter(stays(shrinkMs)).filter((one) => one.count > count), recommendation],
    lows: [...lows.filter(stays(growMs)).filter((one) => one.count < count), recommendation],
  };
}

/**
 * The number that all recent recommendations agree with: it grows to the lowest of them, shrinks
 * to the highest, and else stays (kubernetes, `stabilizeRecommendationWithBehaviors`; the latter is
 * Knative's scale-down-delay).
 */
export function stabilize(current: number, { highs, lows }: Recommendations): number {
  const low = lows[0]?.count ?? current;
  const high = highs[0]?.count ?? current;
  return Math.min(Math.max(current, low), high);
}
