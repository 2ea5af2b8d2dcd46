/** CloudEvents over HTTP in all three content modes, requests and responses alike. */
import type { AttributeValue, CloudEvent } from './cloud-event.ts';
import { parseAttributes } from './event-attributes.ts';
import { EventError } from './event-error.ts';
import { decodeHeaderValue, encodeHeaderValue } from './header-value.ts';
import { formatJsonBatch, formatJsonEvent, parseJsonBatch, parseJsonEvent } from './json-event.ts';
import { essenceOf, isUtf8 } from './media-type.ts';

/** Headers by their names in lower case, as Node gives them. */
export type HttpHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What HTTP carries of an event. */
export interface HttpEventMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** How events are written into a message. */
export type ContentMode = 'binary' | 'structured' | 'batch';

const prefix = 'ce-';
const structuredType = 'application/cloudevents+json';
const batchType = 'application/cloudevents-batch+json';

/** How a message carries events; `undefined` when it looks like none. */
export function contentModeOf(headers: HttpHeaders): ContentMode | undefined {
  const type = essenceOf(headerOf(headers, 'content-type') ?? '');
  if (type.startsWith('application/cloudevents-batch')) return 'batch';
  if (type.startsWith('application/cloudevents')) return 'structured';
  return headers['ce-specversion'] === undefined ? undefined : 'binary';
}

/**
 * Reads the events of a message.
 *
 * @throws EventError `InvalidEvent`, `UnsupportedFormat`, `TooManyEvents`
 */
export function parseHttpEvents(headers: HttpHeaders, body: Uint8Array): readonly CloudEvent[] {
  assertPlain(headers);
  const mode = contentModeOf(headers);
  if (mode === undefined) {
    throw new EventError(
      'InvalidEvent',
      'Cannot read event: found neither a header ce-specversion nor a content type ' +
        `${structuredType}, expected a CloudEvent`,
    );
  }
  if (mode === 'binary') return [parseBinary(headers, body)];
  assertReadable(headerOf(headers, 'content-type') ?? '', mode);
  return mode === 'batch' ? parseJsonBatch(body) : [parseJsonEvent(body)];
}

/**
 * The event of a message as most are: in binary mode, with each field once. `undefined` for all
 * others, which {@link parseHttpEvents} reads, or refuses.
 *
 * @param fields as they came, names in any case
 * @throws EventError `InvalidEvent`, as {@link parseHttpEvents} does
 */
export function parsePlainEvent(
  fields: readonly (readonly [name: string, value: string])[],
  body: Uint8Array,
): CloudEvent | undefined {
  const given: [string, string][] = [];
  let type: string | undefined;
  let isBinary = false;
  for (const field of fields) {
    const header = field[0].toLowerCase();
    const value = field[1];
    if (header.startsWith(prefix)) {
      const name = header.slice(prefix.length);
      const isTwice = given.some((other) => other[0] === name);
      if (isTwice || name === 'datacontenttype') return undefined;
      isBinary ||= name === 'specversion';
      given.push([name, value]);
    } else if (header === 'content-type') {
      if (type !== undefined || essenceOf(value).startsWith('application/cloudevents')) {
        return undefined;
      }
      type = value;
    } else if (header === 'content-encoding') return undefined;
  }
  if (!isBinary) return undefined;
  for (const attribute of given) attribute[1] = decodeHeaderValue(attribute[0], attribute[1]);
  if (type !== undefined) given.push(['datacontenttype', type]);
  return { attributes: parseAttributes(given), data: body.length === 0 ? undefined : body };
}

/**
 * Refuses a body that is compressed: events do not say so of their data, and whoever gets it would
 * take it for something else.
 *
 * @throws EventError `UnsupportedFormat`
 */
export function assertPlain(headers: HttpHeaders): void {
  const coding = headerOf(headers, 'content-encoding') ?? '';
  if (coding === '' || coding.toLowerCase() === 'identity') return;
  throw new EventError(
    'UnsupportedFormat',
    `Cannot read event: found the content encoding "${coding}", expected none`,
    { remedy: 'Send the body as it is' },
  );
}

/** Writes an event so that its data is the body and its attributes are headers. */
export function formatBinary({ attributes, data }: CloudEvent): HttpEventMessage {
  const headers: Record<string, string> = {};
  for (const name of Object.keys(attributes)) {
    const value = attributes[name];
    if (value === undefined) continue;
    if (name === 'datacontenttype') headers['content-type'] = String(value);
    else headers[`${prefix}${name}`] = encodeHeaderValue(String(value));
  }
  return { headers, body: data ?? new Uint8Array() };
}

/** Writes an event as one JSON object. */
export function formatStructured(event: CloudEvent): HttpEventMessage {
  return jsonMessage(structuredType, formatJsonEvent(event));
}

/** Writes events as one JSON array. */
export function formatBatch(events: readonly CloudEvent[]): HttpEventMessage {
  return jsonMessage(batchType, formatJsonBatch(events));
}

function jsonMessage(type: string, text: string): HttpEventMessage {
  return { headers: { 'content-type': `${type}; charset=utf-8` }, body: Buffer.from(text) };
}

function parseBinary(headers: HttpHeaders, body: Uint8Array): CloudEvent {
  const given: [string, AttributeValue][] = [];
  for (const header of Object.keys(headers)) {
    const value = headers[header];
    if (value === undefined || !header.startsWith(prefix)) continue;
    const name = header.slice(prefix.length);
    if (name === 'datacontenttype') {
      throw new EventError(
        'InvalidEvent',
        'Cannot read attribute "datacontenttype" of event: found the header ' +
          'ce-datacontenttype, expected it as the header content-type',
        { attribute: name },
      );
    }
    given.push([name, decodeHeaderValue(name, single(name, value))]);
  }
  const type = headerOf(headers, 'content-type');
  if (type !== undefined) given.push(['datacontenttype', type]);
  return { attributes: parseAttributes(given), data: body.length === 0 ? undefined : body };
}

function single(name: string, value: string | readonly string[]): string {
  if (typeof value === 'string') return value;
  const [only] = value;
  if (only !== undefined && value.length === 1) return only;
  throw new EventError(
    'InvalidEvent',
    `Cannot read attribute "${name}" of event: found ${value.length} headers, expected one`,
    { attribute: name },
  );
}

function assertReadable(type: string, mode: 'structured' | 'batch'): void {
  const expected = mode === 'batch' ? batchType : structuredType;
  if (essenceOf(type) === expected && isUtf8(type)) return;
  throw new EventError(
    'UnsupportedFormat',
    `Cannot read event: found the content type "${type}", expected ${expected} in UTF-8`,
  );
}

function headerOf(headers: HttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
}
