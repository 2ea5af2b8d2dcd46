import type { RoutePolicy } from '@fnlet/gateway';

/** A policy, and what its Trigger says about it. */
export interface MadePolicy {
  readonly policy: RoutePolicy;
  /** Why it lets nobody through. */
  readonly trouble?: string;
  readonly remarks: readonly string[];
  /** Equal texts: the same policy. */
  readonly content: string;
}

/** A policy that lets nobody through: nothing is open for want of what would have closed it. */
export function closed(trouble: string): MadePolicy {
  const answer = {
    status: 503,
    code: 'PolicyIncomplete',
    message: 'Whom this route lets through is not known yet',
    retryAfterSeconds: 5,
  };
  const policy: RoutePolicy = { admit: () => ({ kind: 'refusal', answer }) };
  return { policy, trouble, remarks: [], content: trouble };
}
