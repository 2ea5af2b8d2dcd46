/** What follows from the answer to an event (CloudEvents over HTTP, as Knative's data plane has it). */
import type { ResolvedDelivery } from '@fnlet/api';
import { backoffDelayMs, parseRetryAfter, type Random } from '@fnlet/base';
import type { DeliveryAnswer } from './event-target.ts';

export type RetryPolicy = Pick<
  ResolvedDelivery,
  'retry' | 'backoffPolicy' | 'backoffDelayMs' | 'backoffMaxMs' | 'jitter' | 'retryAfterMaxMs'
>;

/** What an event comes to. */
export type DeliveryDecision =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly dueMs: number }
  | { readonly kind: 'dead'; readonly reason: 'Refused' | 'Exhausted' };

export interface DeliveryQuestion {
  /** Tries so far, with the one that was answered. */
  readonly attempts: number;
  readonly policy: RetryPolicy;
  readonly nowMs: number;
  readonly random: Random;
}

/**
 * Whether an event is delivered, tried again, or given up. Refusals are about the event, which
 * stays the same: another try would come to the same.
 */
export function decideDelivery(
  answer: DeliveryAnswer,
  { attempts, policy, nowMs, random }: DeliveryQuestion,
): DeliveryDecision {
  const { status } = answer;
  if (isDelivered(answer)) return { kind: 'delivered' };
  if (!mayPass(status)) return { kind: 'dead', reason: 'Refused' };
  if (attempts > policy.retry) return { kind: 'dead', reason: 'Exhausted' };
  const delayMs = backoffMs(attempts - 1, policy, random);
  return { kind: 'retry', dueMs: nowMs + Math.max(delayMs, wishedMs(answer, policy, nowMs)) };
}

export function isDelivered({ status }: DeliveryAnswer): boolean {
  return status >= 200 && status < 300;
}

/**
 * Whether an answer tells about the target, not about the event: nobody is there, or too much is.
 * Other events would fare the same.
 */
export function isDown({ status }: DeliveryAnswer): boolean {
  return [0, 429, 502, 503].includes(status);
}

/** How long the target wants to be left alone, bounded by the policy; 0 when it does not say. */
export function wishedMs(
  { status, headers }: DeliveryAnswer,
  { retryAfterMaxMs }: Pick<RetryPolicy, 'retryAfterMaxMs'>,
  nowMs: number,
): number {
  const value = headers['retry-after'];
  if (value === undefined || (status !== 429 && status !== 503)) return 0;
  return Math.min(parseRetryAfter(value, nowMs) ?? 0, retryAfterMaxMs);
}

function mayPass(status: number): boolean {
  return status === 0 || [404, 408, 409, 429].includes(status) || status >= 500;
}

function backoffMs(failures: number, policy: RetryPolicy, random: Random): number {
  const { backoffPolicy, backoffDelayMs: baseMs, backoffMaxMs: capMs } = policy;
  const jitter = policy.jitter ? 0.5 : 0;
  if (backoffPolicy === 'exponential') {
    return Math.round(backoffDelayMs(failures + 1, { baseMs, capMs, jitter }, random));
  }
  return Math.round(Math.min(baseMs * failures, capMs) * (1 - jitter * random.next()));
}
