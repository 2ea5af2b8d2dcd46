import type { IncomingHttpHeaders } from 'node:http';
import { batchedCloudEvents, type EventBody, structuredCloudEvent } from './event-body.ts';

/** What a request carries as CloudEvents 1.0. */
export interface CloudEventContent {
  /** `ce-type` and so on; empty for a batch, whose events have their own. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The data of the event; of a batch the envelopes, each with its bytes as data. */
  readonly data: unknown;
}

/**
 * Recognises CloudEvents in structured and batched mode by their content type, in binary mode by
 * the headers ce-type and ce-source, and only with a body (as Kyma does).
 */
export function readCloudEvent(
  headers: IncomingHttpHeaders,
  body: EventBody,
): CloudEventContent | undefined {
  if (!body.isThere) return undefined;
  const { type, data } = body;
  if (type === structuredCloudEvent) return isRecord(data) ? structured(data) : undefined;
  if (type === batchedCloudEvents) return Array.isArray(data) ? batch(data) : undefined;
  if (headers['ce-type'] === undefined || headers['ce-source'] === undefined) return undefined;
  const attribute = (name: string): unknown =>
    name === 'datacontenttype' ? headers['content-type'] : headers[`ce-${name}`];
  return { attributes: attributesOf(attribute), data };
}

// All of them are there on every CloudEvent, `undefined` when the event does not have them.
const attributeNames = [
  'type',
  'source',
  'eventtypeversion',
  'specversion',
  'id',
  'time',
  'datacontenttype',
] as const;

type Envelope = Readonly<Record<string, unknown>>;

function structured(envelope: Envelope): CloudEventContent {
  const attributes = attributesOf((name) => envelope[name]);
  return { attributes, data: withBytes(envelope).data };
}

function batch(envelopes: readonly unknown[]): CloudEventContent {
  const data = envelopes.map((envelope) => (isRecord(envelope) ? withBytes(envelope) : envelope));
  return { attributes: {}, data };
}

function withBytes(envelope: Envelope): Envelope {
  const { data_base64: base64, ...others } = envelope;
  return typeof base64 === 'string' ? { ...others, data: Buffer.from(base64, 'base64') } : envelope;
}

function attributesOf(attribute: (name: string) => unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributeNames.map((name) => [`ce-${name}`, attribute(name)]));
}

function isRecord(value: unknown): value is Envelope {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
