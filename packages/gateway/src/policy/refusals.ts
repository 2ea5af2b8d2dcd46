import type { Field } from './field-changes.ts';
import type { Refusal } from './route-policy.ts';

interface Reason {
  readonly status: number;
  readonly code: string;
  /** One sentence for a person. */
  readonly message: string;
  readonly fields?: readonly Field[];
  readonly retryAfterMs?: number;
}

/** A request that is not let through. */
export function refuse({ retryAfterMs, ...reason }: Reason): Refusal {
  if (retryAfterMs === undefined) return { kind: 'refusal', answer: reason };
  return { kind: 'refusal', answer: { ...reason, retryAfterSeconds: wholeSeconds(retryAfterMs) } };
}

/** Whole seconds, so that who waits for them does not come too early. */
export function wholeSeconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000));
}
