import type { IncomingHttpHeaders } from 'node:http';
import type { EventRequest, EventResponse, FunctionEvent } from '@fnlet/sdk';
import type { Call } from './call.ts';
import { type EventBody, structuredCloudEvent } from './event-body.ts';
import { expressRequest } from './express-request.ts';
import { expressResponse } from './express-response.ts';

/**
 * The event of one call. A plain object: handlers delete, copy and print its keys.
 *
 * CloudEvents 1.0 are recognised in structured mode by their content type, in binary mode by the
 * headers ce-type and ce-source, and only with a body (as Kyma does).
 */
export function createEvent(call: Call, body: EventBody): FunctionEvent {
  const { response } = call;
  const cloudEvent = readCloudEvent(call.request.headers, body);
  return {
    ...cloudEvent?.attributes,
    data: cloudEvent === undefined ? body.data : cloudEvent.data,
    extensions: new Extensions(call, body.data),
    setResponseHeader: (name, value) => void response.setHeader(name, value),
    setResponseContentType: (type) => void response.setHeader('content-type', type),
    setResponseStatus(status) {
      response.statusCode = status;
    },
  };
}

// With getters: most handlers never look at Express's members, and laying them over costs.
class Extensions implements Readonly<FunctionEvent['extensions']> {
  readonly #call: Call;
  readonly #body: unknown;

  constructor(call: Call, body: unknown) {
    this.#call = call;
    this.#body = body;
  }

  get request(): EventRequest {
    return expressRequest(this.#call.request, this.#body);
  }

  get response(): EventResponse {
    return expressResponse(this.#call.response);
  }
}

interface CloudEvent {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly data: unknown;
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

function readCloudEvent(headers: IncomingHttpHeaders, body: EventBody): CloudEvent | undefined {
  if (body.data === undefined) return undefined;
  if (body.type === structuredCloudEvent) {
    return isRecord(body.data) ? structured(body.data) : undefined;
  }
  if (headers['ce-type'] === undefined || headers['ce-source'] === undefined) return undefined;
  const attribute = (name: string): unknown =>
    name === 'datacontenttype' ? headers['content-type'] : headers[`ce-${name}`];
  return { attributes: attributesOf(attribute), data: body.data };
}

function structured(envelope: Readonly<Record<string, unknown>>): CloudEvent {
  const base64 = envelope.data_base64;
  const data = typeof base64 === 'string' ? Buffer.from(base64, 'base64') : envelope.data;
  return { attributes: attributesOf((name) => envelope[name]), data };
}

function attributesOf(attribute: (name: string) => unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributeNames.map((name) => [`ce-${name}`, attribute(name)]));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
