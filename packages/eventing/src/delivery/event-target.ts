import type { CloudEvent } from '../event/cloud-event.ts';

/** One try to deliver. */
export interface DeliveryAttempt {
  /** One event, or several where the Trigger takes batches. */
  readonly events: readonly CloudEvent[];
  /** Which try it is, from 1. */
  readonly attempt: number;
  readonly timeoutMs: number;
  /** Tells effects of the same delivery apart from others; the same for each try. */
  readonly idempotencyKey: string;
}

/** What a target answered. */
export interface DeliveryAnswer {
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body, cut at the bound for replies. */
  readonly body: Uint8Array;
  /** Why there was no answer. */
  readonly trouble?: string;
}

/** Where events go: a Function, a URL, a broker. */
export interface EventTarget {
  /** Never throws: what fails is an answer too. */
  deliver(attempt: DeliveryAttempt, signal: AbortSignal): Promise<DeliveryAnswer>;
}
