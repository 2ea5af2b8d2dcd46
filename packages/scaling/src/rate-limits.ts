/** How fast a number may change: by so much within a period. */
export interface ScalePolicy {
  readonly type: 'Instances' | 'Percent';
  readonly value: number;
  readonly periodMs: number;
}

/** What holds for growing, or for shrinking. */
export interface ScalingRules {
  /** Which policy counts: the one that allows most, the one that allows least, or no change. */
  readonly select: 'Max' | 'Min' | 'Disabled';
  /** None: as fast as it is wanted. */
  readonly policies: readonly ScalePolicy[];
  /** A change is made only when nothing else was recommended for so long. */
  readonly stabilizationMs: number;
}

/** A change that was made. */
export interface ScaleChange {
  readonly atMs: number;
  /** Instances more, or fewer. */
  readonly by: number;
}

export interface RateSituation {
  readonly rules: ScalingRules;
  readonly current: number;
  readonly changes: readonly ScaleChange[];
  readonly now: number;
}

/**
 * The most that the rules for growing allow now; never less than `current`. A policy counts from
 * what there was at the beginning of its period (kubernetes, `calculateScaleUpLimitWithScalingRules`).
 */
export function growthLimit(situation: RateSituation): number {
  const { rules, current } = situation;
  if (rules.select === 'Disabled') return current;
  const limits = rules.policies.map((policy) => {
    const start = countAtStart(situation, policy);
    const { type, value } = policy;
    return type === 'Percent' ? Math.ceil(start * (1 + value / 100)) : start + value;
  });
  if (limits.length === 0) return Number.POSITIVE_INFINITY;
  return Math.max(current, rules.select === 'Max' ? Math.max(...limits) : Math.min(...limits));
}

/** The fewest that the rules for shrinking allow now; never more than `current`. */
export function shrinkLimit(situation: RateSituation): number {
  const { rules, current } = situation;
  if (rules.select === 'Disabled') return current;
  const limits = rules.policies.map((policy) => {
    const start = countAtStart(situation, policy);
    const { type, value } = policy;
    return type === 'Percent' ? Math.trunc(start * (1 - value / 100)) : start - value;
  });
  if (limits.length === 0) return 0;
  // What allows most is the lowest limit.
  const limit = rules.select === 'Max' ? Math.min(...limits) : Math.max(...limits);
  return Math.max(0, Math.min(current, limit));
}

function countAtStart({ current, changes, now }: RateSituation, { periodMs }: ScalePolicy): number {
  const recent = changes.filter(({ atMs }) => atMs > now - periodMs);
  return recent.reduce((count, { by }) => count - by, current);
}

/** What of the changes a policy may still ask for. */
export function recentChanges(
  changes: readonly ScaleChange[],
  rules: readonly ScalingRules[],
  now: number,
): readonly ScaleChange[] {
  const periods = rules.flatMap(({ policies }) => policies.map(({ periodMs }) => periodMs));
  const reachMs = Math.max(0, ...periods);
  return changes.filter(({ atMs }) => atMs > now - reachMs);
}
