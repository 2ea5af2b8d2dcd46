/** Messages of systems that know no events: they carry an event, or they are one. */
import { isUtf8 } from 'node:buffer';
import type { CloudEvent, EventAttributes } from '../event/cloud-event.ts';
import { parseAttributes } from '../event/event-attributes.ts';
import { EventError } from '../event/event-error.ts';

/** A message as it came. */
export interface SourceMessage {
  /** What the event is called by if the message carries none. */
  readonly attributes: Pick<EventAttributes, 'id' | 'source' | 'type'> & Partial<EventAttributes>;
  /** As the message says. Default: what the body looks like. */
  readonly contentType?: string | undefined;
  readonly body: Uint8Array;
}

/**
 * The event that a message carries. One that says that it carries an event and does not is an event
 * of its own, as all others: whoever handles it sees what came.
 *
 * @param carried reads it; `undefined` when the message says nothing of an event
 */
export function messageEvent(
  message: SourceMessage,
  carried: () => CloudEvent | undefined,
): CloudEvent {
  try {
    return carried() ?? plainEvent(message);
  } catch (error) {
    if (!(error instanceof EventError)) throw error;
    return plainEvent(message);
  }
}

function plainEvent({ attributes, contentType, body }: SourceMessage): CloudEvent {
  const given = { specversion: '1.0', ...attributes };
  if (body.length === 0)
    return { attributes: parseAttributes(Object.entries(given)), data: undefined };
  const guessed = { ...given, datacontenttype: contentType ?? guessContentType(body) };
  return { attributes: readable(guessed), data: body };
}

/** A content type that is none is left out. */
function readable(attributes: Readonly<Record<string, unknown>>): EventAttributes {
  try {
    return parseAttributes(Object.entries(attributes));
  } catch (error) {
    if (!(error instanceof EventError) || error.attribute !== 'datacontenttype') throw error;
    const { datacontenttype: _wrong, ...others } = attributes;
    return parseAttributes(Object.entries(others));
  }
}

/** JSON, text or neither. */
export function guessContentType(body: Uint8Array): string {
  if (!isUtf8(body)) return 'application/octet-stream';
  try {
    JSON.parse(Buffer.from(body).toString());
    return 'application/json';
  } catch {
    return 'text/plain';
  }
}
