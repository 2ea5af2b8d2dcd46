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
  if (body.length === 0) return { attributes: readable(given), data: undefined };
  const guessed = { ...given, datacontenttype: contentType ?? guessContentType(body) };
  return { attributes: readable(guessed), data: body };
}

/**
 * What cannot be said of the message as it is, and need not be, is left out: an event that could
 * not be made would be asked for again and again, and keep back all that follow.
 */
function readable(attributes: Readonly<Record<string, unknown>>): EventAttributes {
  try {
    return parseAttributes(Object.entries(attributes));
  } catch (error) {
    if (!(error instanceof EventError)) throw error;
    const { attribute: wrong } = error;
    const names = Object.keys(attributes);
    // Without one that is wrong by itself they are too many, or too long together.
    const kept = names.filter(
      (name) => required.has(name) || (wrong !== undefined && name !== wrong),
    );
    if (kept.length === names.length) throw error;
    return readable(Object.fromEntries(kept.map((name) => [name, attributes[name]])));
  }
}

const required: ReadonlySet<string> = new Set(['specversion', 'id', 'source', 'type']);

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
