import type { Deployment } from './deployment.ts';
import { resolveShare } from './int-or-percent.ts';

/** How far a rollout may stray from the wanted number of replicas. */
export interface RollingBounds {
  readonly desired: number;
  /** Replicas that may be there beyond the wanted ones. */
  readonly maxSurge: number;
  /** Replicas that may be missing. */
  readonly maxUnavailable: number;
}

/**
 * The bounds of a Deployment (deployment/util, ResolveFenceposts): shares of surge round up, those
 * of unavailability down, and when both come to nothing one may be missing, or nothing could move.
 */
export function rollingBounds({ spec }: Deployment): RollingBounds {
  const desired = spec.replicas ?? 1;
  const { type = 'RollingUpdate', rollingUpdate = {} } = spec.strategy ?? {};
  if (type === 'Recreate') return { desired, maxSurge: 0, maxUnavailable: desired };
  const maxSurge = resolveShare(rollingUpdate.maxSurge ?? '25%', desired, Math.ceil);
  const unavailable = resolveShare(rollingUpdate.maxUnavailable ?? '25%', desired, Math.floor);
  const isStuck = maxSurge === 0 && unavailable === 0;
  return { desired, maxSurge, maxUnavailable: Math.min(isStuck ? 1 : unavailable, desired) };
}
