import type { CloudEvent, EventAttributes } from '../../event/cloud-event.ts';
import { contentModeOf, parseHttpEvents } from '../../event/http-event.ts';
import { messageEvent } from '../message-event.ts';

/** The type of events that are messages of NATS. */
export const natsMessageType = 'dev.fnlet.nats.message';

/** A message, as far as an event is made of it. */
export interface NatsMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  /** Names as they were sent. */
  readonly headers: readonly (readonly [string, string])[];
}

export interface NatsEventParts {
  readonly message: NatsMessage;
  /** URI reference of the Trigger. */
  readonly source: string;
  /** What the message is told apart by, where it carries no event. */
  readonly id: string;
  /** When the server got it, where it says so. */
  readonly time?: string;
}

/**
 * The event that a message carries: in its body, or in its headers (the NATS binding of
 * CloudEvents, structured and binary mode); any other message is an event of its own.
 */
export function natsEvent({ message, source, id, time }: NatsEventParts): CloudEvent {
  const { subject, data, headers } = message;
  const known = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
  const attributes: Pick<EventAttributes, 'id' | 'source' | 'type'> & Partial<EventAttributes> = {
    ...{ id, source, type: natsMessageType, subject },
    ...(time === undefined ? {} : { time }),
  };
  return messageEvent({ attributes, contentType: known['content-type'], body: data }, () => {
    const mode = contentModeOf(known);
    if (mode === undefined || mode === 'batch') return undefined;
    return parseHttpEvents(known, data)[0];
  });
}
