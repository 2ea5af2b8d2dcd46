import { assert } from '@fnlet/base';
import { electionLeaseMs, electionRenewDeadlineMs, electionRetryMs } from './limits.ts';

/** How long a candidate waits for a random moment longer, as a share of the retry time (client-go). */
export const retryJitter = 1.2;

/** The three times of an election. All candidates for one Lease should have the same ones. */
export interface ElectionTimings {
  /** How long others leave a Lease alone that does not change. Default 15 s. */
  readonly leaseMs: number;
  /** How long after its last renewal a leader stops by itself. Default 10 s. */
  readonly renewDeadlineMs: number;
  /** Between two renewals, and between two looks of a candidate. Default 2 s. */
  readonly retryMs: number;
}

/** The times of controller-runtime, unless told otherwise; in the order that safety needs. */
export function resolveElectionTimings(timings: Partial<ElectionTimings> = {}): ElectionTimings {
  const {
    leaseMs = electionLeaseMs,
    renewDeadlineMs = electionRenewDeadlineMs,
    retryMs = electionRetryMs,
  } = timings;
  assert(leaseMs % 1000 === 0, 'leaseMs is in whole seconds: a Lease has no smaller unit');
  assert(leaseMs > renewDeadlineMs, 'leaseMs is longer than renewDeadlineMs');
  assert(
    renewDeadlineMs > retryMs * retryJitter,
    'renewDeadlineMs is longer than a jittered retry',
  );
  assert(retryMs > 0, 'retryMs is more than nothing');
  return { leaseMs, renewDeadlineMs, retryMs };
}
