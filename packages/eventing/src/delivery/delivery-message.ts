import type { EventFormat } from '@fnlet/api';
import {
  formatBatch,
  formatBinary,
  formatStructured,
  type HttpEventMessage,
} from '../event/http-event.ts';
import type { DeliveryAttempt } from './event-target.ts';

/** How a target gets its events. */
export interface MessageStyle {
  readonly format: EventFormat;
  /** Whether events come as a batch, even one alone. */
  readonly isBatch: boolean;
}

/**
 * The request that delivers these events. `Prefer: reply` says that an event in the answer is taken
 * (Knative's data plane); the key lets whoever keeps one recognise what was delivered before.
 */
export function deliveryMessage(
  { events, attempt, idempotencyKey }: DeliveryAttempt,
  { format, isBatch }: MessageStyle,
): HttpEventMessage {
  const [event] = events;
  const isOne = event !== undefined && events.length === 1 && !isBatch;
  const write = format === 'binary' ? formatBinary : formatStructured;
  const { headers, body } = isOne ? write(event) : formatBatch(events);
  const own = {
    prefer: 'reply',
    'idempotency-key': idempotencyKey,
    'x-fnlet-attempt': String(attempt),
  };
  return { headers: { ...headers, ...own }, body };
}
