/** CloudEvents in the JSON format. */
import { errorMessage, isJsonObject, type JsonObject } from '@fnlet/base';
import type { CloudEvent, EventAttributes } from './cloud-event.ts';
import { parseAttributes } from './event-attributes.ts';
import { EventError } from './event-error.ts';
import { sliceItems, sliceMember } from './json-slices.ts';
import { eventLimits } from './limits.ts';
import { isJsonType, isTextType, isUtf8 } from './media-type.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads one event. JSON data is kept as it is written.
 *
 * @throws EventError `InvalidEvent`
 */
export function parseJsonEvent(bytes: Uint8Array): CloudEvent {
  const text = decode(bytes);
  return readEvent(text, parse(text));
}

/**
 * Reads a batch; an empty one is one.
 *
 * @throws EventError `InvalidEvent`, `TooManyEvents`
 */
export function parseJsonBatch(bytes: Uint8Array): readonly CloudEvent[] {
  const text = decode(bytes);
  const items = parse(text);
  if (!Array.isArray(items)) throw invalid(`found ${kindOf(items)}, expected an array of events`);
  if (items.length > eventLimits.batchEventsMax) {
    throw new EventError(
      'TooManyEvents',
      `Cannot read batch: found ${items.length} events, ` +
        `expected at most ${eventLimits.batchEventsMax}`,
      { remedy: 'Send them in several batches.' },
    );
  }
  return sliceItems(text).map((item, index) => {
    try {
      return readEvent(item, items[index]);
    } catch (error) {
      throw inBatch(error, `event ${index + 1} of ${items.length}`);
    }
  });
}

/** Says which event of a batch it is that keeps back all of them. */
function inBatch(error: unknown, which: string): unknown {
  if (!(error instanceof EventError)) return error;
  const { code, message, attribute, remedy } = error;
  return new EventError(code, `${message} (${which})`, {
    cause: error,
    ...(attribute === undefined ? {} : { attribute }),
    ...(remedy === undefined ? {} : { remedy }),
  });
}

/** Writes one event. */
export function formatJsonEvent({ attributes, data }: CloudEvent): string {
  const text = JSON.stringify(attributes);
  if (data === undefined) return text;
  return `${text.slice(0, -1)},${formatData(data, attributes.datacontenttype)}}`;
}

/** Writes events as a batch. */
export function formatJsonBatch(events: readonly CloudEvent[]): string {
  return `[${events.map(formatJsonEvent).join(',')}]`;
}

function readEvent(text: string, value: unknown): CloudEvent {
  if (!isJsonObject(value)) throw invalid(`found ${kindOf(value)}, expected a JSON object`);
  const { data, data_base64: encoded, ...rest } = value;
  const attributes = parseAttributes(Object.entries(rest));
  if (encoded !== undefined && encoded !== null) {
    if (data !== undefined) throw invalid('found data and data_base64, expected one of them');
    return { attributes, data: readBase64(encoded) };
  }
  if (data === undefined) return { attributes, data: undefined };
  return readData(text, value, attributes);
}

function readData(text: string, { data }: JsonObject, attributes: EventAttributes): CloudEvent {
  const { datacontenttype: type } = attributes;
  if (type === undefined || isJsonType(type)) {
    // Without a type it is JSON (JSON format, section 3.1.2), which other formats have to be told.
    const typed = type === undefined ? { ...attributes, datacontenttype: jsonType } : attributes;
    return { attributes: typed, data: Buffer.from(sliceMember(text, 'data') ?? 'null') };
  }
  if (data === null) return { attributes, data: undefined };
  if (typeof data !== 'string') {
    throw invalid(
      `found ${kindOf(data)} as data with the datacontenttype "${type}", expected a string`,
    );
  }
  if (!isUtf8(type)) {
    throw invalid(
      `found a string as data with the datacontenttype "${type}", expected data_base64`,
    );
  }
  return { attributes, data: Buffer.from(data) };
}

const jsonType = 'application/json';

function readBase64(encoded: unknown): Uint8Array {
  if (typeof encoded === 'string') {
    const bytes = Buffer.from(encoded, 'base64');
    // Node reads what is no Base64 as far as it can; what it read does not write the same text.
    if (unpadded(bytes.toString('base64')) === unpadded(encoded)) return bytes;
  }
  throw invalid('found something else as data_base64, expected Base64 (RFC 4648)');
}

function unpadded(text: string): string {
  return text.replace(/={1,2}$/, '');
}

function formatData(data: Uint8Array, type: string | undefined): string {
  const text = type !== undefined && isUtf8(type) ? textOf(data) : undefined;
  if (type !== undefined && text !== undefined) {
    if (isJsonType(type) && isJson(text)) return `"data":${text}`;
    if (isTextType(type)) return `"data":${JSON.stringify(text)}`;
  }
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return `"data_base64":"${bytes.toString('base64')}"`;
}

// A mark of the byte order is part of the bytes, which have to come back as they are.
const exactUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(data: Uint8Array): string | undefined {
  try {
    return exactUtf8.decode(data);
  } catch {
    return undefined;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw invalid('found bytes that are not UTF-8, expected JSON', cause);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(`found no JSON (${errorMessage(cause)}), expected the JSON event format`, cause);
  }
}

function invalid(text: string, cause?: unknown): EventError {
  return new EventError('InvalidEvent', `Cannot read event: ${text}`, { cause });
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}
