import type { GatewayLimits } from './limits.ts';

/**
 * How many calls of a Revision may be made a second time, which keeps a failure from becoming a
 * storm: every call pays in a part of a retry, time pays in a little, and a retry takes a whole one
 * (as Finagle has it). A value; nothing is counted until there is a retry.
 */
export interface RetryBudget {
  readonly retries: number;
  /** Calls that had arrived, and when (monotonic) that was. */
  readonly arrivals: number;
  readonly atMs: number;
}

type BudgetLimits = Pick<GatewayLimits, 'retryShare' | 'retriesPerSecond' | 'retriesSavedMax'>;

/** What there is at first: as if nothing had been retried for ten seconds. */
export function openRetryBudget(nowMs: number, limits: BudgetLimits): RetryBudget {
  return { retries: 10 * limits.retriesPerSecond, arrivals: 0, atMs: nowMs };
}

/** What has come together since; it pays for a retry if that is at least one. */
export function growRetryBudget(
  budget: RetryBudget,
  now: { readonly nowMs: number; readonly arrivals: number },
  limits: BudgetLimits,
): RetryBudget {
  const { nowMs, arrivals } = now;
  const paidIn =
    limits.retryShare * (arrivals - budget.arrivals) +
    (limits.retriesPerSecond * (nowMs - budget.atMs)) / 1000;
  const retries = Math.min(limits.retriesSavedMax, budget.retries + paidIn);
  return { retries, arrivals, atMs: nowMs };
}
