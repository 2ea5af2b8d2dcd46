import type { EventFormat } from '@fnlet/api';
import type { CloudEvent } from '../event/cloud-event.ts';
import {
  formatBatch,
  formatBinary,
  formatStructured,
  type HttpEventMessage,
} from '../event/http-event.ts';
import type { DeliveryAttempt } from './event-target.ts';
import { type KubelessOrigin, kubelessMessage } from './kubeless-message.ts';

/** How a target gets its events. */
export interface MessageStyle {
  readonly format: Exclude<EventFormat, 'kubeless'>;
  /** Whether events come as a batch, even one alone. */
  readonly isBatch: boolean;
  /** Whose headers an event that comes alone has as well. Default: no others than its own. */
  readonly kubeless?: KubelessOrigin | undefined;
}

export interface DeliveryMessage extends HttpEventMessage {
  readonly method: 'GET' | 'POST';
}

/**
 * The request that delivers these events. `Prefer: reply` says that an event in the answer is taken
 * (Knative's data plane); the key lets whoever keeps one recognise what was delivered before.
 */
export function deliveryMessage(
  { events, attempt, idempotencyKey }: DeliveryAttempt,
  style: MessageStyle,
): DeliveryMessage {
  const event = events[0];
  const isOne = event !== undefined && events.length === 1 && !style.isBatch;
  const { method, headers, body } = isOne
    ? singleMessage(event, style)
    : { method: 'POST' as const, ...formatBatch(events) };
  const own = {
    prefer: 'reply',
    'idempotency-key': idempotencyKey,
    'x-fnlet-attempt': String(attempt),
  };
  return { method, headers: { ...headers, ...own }, body };
}

function singleMessage(event: CloudEvent, { format, kubeless }: MessageStyle): DeliveryMessage {
  if (kubeless !== undefined) return kubelessMessage(event, kubeless);
  const write = format === 'binary' ? formatBinary : formatStructured;
  return { method: 'POST', ...write(event) };
}
