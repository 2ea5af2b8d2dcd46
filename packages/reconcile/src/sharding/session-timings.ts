import { assert } from '@fnlet/base';
import {
  sessionLeaseMs,
  sessionRenewDeadlineMs,
  sessionRenewMs,
  sessionRetryMs,
} from './limits.ts';

/** The times of replicas that share keys. All of a group should have the same ones. */
export interface SessionTimings {
  /** How long others leave the shards of a silent replica alone. Default 10 s. */
  readonly leaseMs: number;
  /** How long after its last renewal a replica stops by itself. Default 7 s. */
  readonly renewDeadlineMs: number;
  /** Between two renewals. Default 3 s. */
  readonly renewMs: number;
  /** Before another try of a renewal that failed. Default 1 s. */
  readonly retryMs: number;
}

/** The default times, unless told otherwise; in the order that safety needs. */
export function resolveSessionTimings(timings: Partial<SessionTimings> = {}): SessionTimings {
  const {
    leaseMs = sessionLeaseMs,
    renewDeadlineMs = sessionRenewDeadlineMs,
    renewMs = sessionRenewMs,
    retryMs = sessionRetryMs,
  } = timings;
  assert(leaseMs % 1000 === 0, 'leaseMs is in whole seconds: a Lease has no smaller unit');
  assert(leaseMs > renewDeadlineMs, 'leaseMs is longer than renewDeadlineMs');
  assert(renewDeadlineMs > renewMs, 'renewDeadlineMs is longer than renewMs');
  assert(renewMs > 0 && retryMs > 0, 'renewMs and retryMs are more than nothing');
  return { leaseMs, renewDeadlineMs, renewMs, retryMs };
}
