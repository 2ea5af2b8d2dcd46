import { limits } from './limits.ts';
import type { RolloutState } from './rollout-state.ts';

/** What to do about the newest Revision of a Function. */
export type RolloutPlan =
  /** It was ready, or failed for good: end whatever else was being tried. */
  | { readonly kind: 'settled' }
  /** Begin with it, instead of whatever else was being tried. */
  | { readonly kind: 'start'; readonly attempt: number }
  /** It is on its way, or has failed; look again at that time at the latest. */
  | { readonly kind: 'wait'; readonly untilMs: number | undefined };

/**
 * A newer wish supersedes the one before at once. A failed one is tried again when its time comes,
 * and at once when somebody edits the Function, be it elsewhere, or how its packages are come by:
 * they have repaired something.
 *
 * @param wanted name of the Revision that the Function asks for now
 * @param isSettled whether nothing is left to try about it: it was ready, or failed as a canary
 * @param generation of the Function
 * @param isReconfigured whether package registries are reached otherwise than when it was tried
 * @param isLost whether the object of the wanted Revision does not exist (any more)
 */
export function planRollout(options: {
  readonly wanted: string;
  readonly isSettled: boolean;
  readonly generation: number;
  readonly isReconfigured: boolean;
  readonly isLost: boolean;
  readonly rollout: RolloutState | undefined;
  readonly now: number;
}): RolloutPlan {
  const { wanted, isSettled, generation, isReconfigured, isLost, rollout, now } = options;
  if (rollout?.revision !== wanted) {
    return isSettled && !isLost ? { kind: 'settled' } : { kind: 'start', attempt: 1 };
  }
  if (rollout.phase !== 'failed') {
    const slowAtMs = rollout.startedAtMs + limits.quickRolloutMs;
    return { kind: 'wait', untilMs: now < slowAtMs ? slowAtMs : undefined };
  }
  const isMended = rollout.generation !== generation || isReconfigured;
  if (isMended) return { kind: 'start', attempt: 1 };
  const { retryAtMs } = rollout;
  const isDue = retryAtMs !== undefined && retryAtMs <= now;
  return isDue
    ? { kind: 'start', attempt: rollout.attempt + 1 }
    : { kind: 'wait', untilMs: retryAtMs };
}
