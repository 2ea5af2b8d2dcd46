import type { CloudEvent } from '../event/cloud-event.ts';

/** One try to deliver. */
export interface DeliveryAttempt {
  /** One event, or several where the Trigger takes batches. */
  readonly events: readonly CloudEvent[];
  /** Which try it is, from 1. */
  readonly attempt: number;
  /** Tells effects of the same delivery apart from others; the same for each try. */
  readonly idempotencyKey: string;
}

/** What a target answered. */
export interface DeliveryAnswer {
  /** HTTP status; 0 when there was no answer, 408 when there was none in time. */
  readonly status: number;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, cut at the bound for replies. */
  readonly body: Uint8Array;
  /** Why there was no answer. */
  readonly trouble?: string;
  /** Whether the request was given up for a newer event of its key. Default: no. */
  readonly isReplaced?: boolean;
}

/** Where events go: a Function, a URL, a broker. */
export interface EventTarget {
  /** Never throws: what fails is an answer too. */
  deliver(attempt: DeliveryAttempt, signal: AbortSignal): Promise<DeliveryAnswer>;
}
