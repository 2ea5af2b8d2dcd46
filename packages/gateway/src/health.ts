/**
 * Whether an Instance answers as it should, judged by what became of its calls (what Envoy calls
 * outlier detection). A value: who keeps it says what happened and what time it is.
 *
 *     well ──failures in a row──▶ out ──its time is over──▶ on trial ──a call is answered──▶ well
 *                                  ▲                           │
 *                                  └── fails again: for longer ┘
 */
import type { GatewayLimits } from './limits.ts';

export interface Health {
  /** Calls that failed since one was answered. */
  readonly failures: number;
  /** How often it was ejected in a row; forgotten when it was well for long enough. */
  readonly ejections: number;
  /** Until when (monotonic) it gets no call. */
  readonly outUntilMs: number;
  /** Whether it gets one call at a time, until one is answered. */
  readonly onTrial: boolean;
}

/** Of an Instance about which nothing bad is known. */
export const well: Health = {
  failures: 0,
  ejections: 0,
  outUntilMs: Number.NEGATIVE_INFINITY,
  onTrial: false,
};

/** A call that failed for a reason that lies with its Instance. */
export interface Failure {
  /** Monotonic. */
  readonly nowMs: number;
  /** Nobody accepted the connection: nothing was lost, and somebody may listen there soon. */
  readonly refused: boolean;
  /** Whether it may be ejected; see {@link mayEjectOneMore}. */
  readonly mayEject: boolean;
}

type HealthLimits = Pick<
  GatewayLimits,
  'failuresMax' | 'ejectMs' | 'ejectMaxMs' | 'refusedPauseMs'
>;

/** Whether it takes another call beside those in flight. */
export function takesCalls(health: Health, inFlight: number, nowMs: number): boolean {
  if (health === well) return true;
  return nowMs >= health.outUntilMs && (!health.onTrial || inFlight === 0);
}

/** What a failed call makes of it. */
export function decideFailure(health: Health, failure: Failure, limits: HealthLimits): Health {
  const { nowMs, refused, mayEject } = failure;
  // Calls that were in flight when it was ejected say nothing new.
  if (health.onTrial && nowMs < health.outUntilMs) return health;
  const failures = health.failures + 1;
  if (mayEject && (health.onTrial || failures >= limits.failuresMax)) {
    const ejections = isForgotten(health, nowMs, limits) ? 1 : health.ejections + 1;
    const outMs = Math.min(limits.ejectMaxMs, limits.ejectMs * 2 ** (ejections - 1));
    return { failures: 0, ejections, outUntilMs: nowMs + outMs, onTrial: true };
  }
  const outUntilMs = refused ? nowMs + limits.refusedPauseMs : health.outUntilMs;
  return { ...health, failures, outUntilMs, onTrial: false };
}

/** What an answered call makes of it. */
export function decideSuccess(health: Health, nowMs: number, limits: HealthLimits): Health {
  if (health === well || (health.onTrial && nowMs < health.outUntilMs)) return health;
  if (isForgotten(health, nowMs, limits)) return well;
  return health.failures === 0 && !health.onTrial
    ? health
    : { ...health, failures: 0, onTrial: false };
}

/**
 * Whether one more of so many Instances may be ejected. At most half of them are, so that the rest
 * is not run down by the calls of those; the last one never: an Instance in trouble answers some
 * calls, none answers nothing.
 */
export function mayEjectOneMore(instances: number, ejected: number): boolean {
  return ejected + 1 <= instances / 2;
}

// As long as its longest ejection: what happened before says nothing about it any more.
function isForgotten(
  { ejections, outUntilMs }: Health,
  nowMs: number,
  limits: HealthLimits,
): boolean {
  return ejections === 0 ? nowMs >= outUntilMs : nowMs >= outUntilMs + limits.ejectMaxMs;
}
