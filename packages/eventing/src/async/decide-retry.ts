import { parseRetryAfter } from '@fnlet/base';
import type { InvocationAnswer, InvocationFailure } from '@fnlet/invocation';

/** What a try of a call came to. */
export type AttemptOutcome = InvocationAnswer | InvocationFailure;

/** What follows from it. */
export type RetryDecision =
  | { readonly kind: 'succeed' }
  /** Another try would come to the same. */
  | { readonly kind: 'fail' }
  | {
      readonly kind: 'retry';
      /** Whether it counts as one of the attempts: the function may have run. */
      readonly counts: boolean;
      /** How long whoever answered wants to be left alone. */
      readonly afterMs: number | undefined;
    };

/**
 * Whether a call is tried again. Timeouts (408, 504), too much at once (429) and errors of servers
 * (5xx) may pass; other refusals (4xx) are about the request, which stays the same. What never
 * reached the function goes on until the deadline and costs no attempt, as AWS Lambda has it with
 * calls that it throttles.
 */
export function decideRetry(outcome: AttemptOutcome, nowMs: number): RetryDecision {
  if (outcome.kind === 'failed') {
    const { reached: counts, retryAfterMs: afterMs, status } = outcome;
    if (status === 400 || status === 413) return { kind: 'fail' };
    return { kind: 'retry', counts, afterMs };
  }
  const { status } = outcome;
  if (status < 400) return { kind: 'succeed' };
  const mayPass = status === 408 || status === 425 || status === 429 || status >= 500;
  if (!mayPass) return { kind: 'fail' };
  return { kind: 'retry', counts: true, afterMs: retryAfterMs(outcome, nowMs) };
}

function retryAfterMs({ headers }: InvocationAnswer, nowMs: number): number | undefined {
  const value = headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1];
  return value === undefined ? undefined : parseRetryAfter(value, nowMs);
}
