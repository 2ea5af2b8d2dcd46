/**
 * Requests that a Gateway passes on to the controller, and what it answers: one line of JSON about
 * the message, then its body as it is.
 */
import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { ReceivedRequest, ResponderAnswer } from '@fnlet/gateway';
import type { RelayPlace } from './fleet-message.ts';

/** Where the controller takes them, below its origin. */
export const relayPath = '/relay';

/** A request, and who is to answer it. */
export interface RelayedRequest {
  readonly place: RelayPlace;
  readonly request: ReceivedRequest;
}

export function writeRelayedRequest({ place, request }: RelayedRequest): Buffer {
  const { body, ...head } = request;
  return pack({ place, ...head }, body);
}

/** `undefined` for what is nothing of the kind. */
export function readRelayedRequest(bytes: Buffer): RelayedRequest | undefined {
  const found = unpack(bytes);
  if (found === undefined) return undefined;
  const { method, target, headers, remoteAddress, call } = found.head;
  const place = parsePlace(found.head.place);
  const isWhole = isText(method) && isText(target) && isText(remoteAddress) && isHeaders(headers);
  if (place === undefined || !isWhole) return undefined;
  const asked = isCall(call) ? call : undefined;
  const request = { call: asked, method, target, headers, body: found.body, remoteAddress };
  return { place, request };
}

export function writeRelayedAnswer({ status, headers, body }: ResponderAnswer): Buffer {
  return pack({ status, headers }, typeof body === 'string' ? Buffer.from(body) : body);
}

/** `undefined` for what is nothing of the kind. */
export function readRelayedAnswer(bytes: Buffer): ResponderAnswer | undefined {
  const { head, body } = unpack(bytes) ?? { head: {}, body: bytes };
  const { status, headers } = head;
  const isStatus = typeof status === 'number' && status >= 200 && status <= 599;
  return isStatus && isHeaders(headers) ? { status, headers, body } : undefined;
}

const lineEnd = 10;

function pack(head: object, body: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body]);
}

function unpack(bytes: Buffer): { readonly head: JsonObject; readonly body: Buffer } | undefined {
  const end = bytes.indexOf(lineEnd);
  if (end === -1) return undefined;
  try {
    const head: unknown = JSON.parse(bytes.toString('utf8', 0, end));
    return isJsonObject(head) ? { head, body: bytes.subarray(end + 1) } : undefined;
  } catch {
    return undefined;
  }
}

function parsePlace(value: unknown): RelayPlace | undefined {
  if (!isJsonObject(value)) return undefined;
  const { kind, id, namespace, name } = value;
  switch (kind) {
    case 'route':
      return isText(id) ? { kind, id } : undefined;
    case 'service':
      return isText(namespace) && isText(name) ? { kind, namespace, name } : undefined;
    case 'sinks':
    case 'later':
      return { kind };
    default:
      return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isHeaders(value: unknown): value is ReceivedRequest['headers'] {
  return Array.isArray(value) && value.every(isHeader);
}

function isHeader(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && value.every(isText);
}

function isCall(value: unknown): value is NonNullable<ReceivedRequest['call']> {
  return isJsonObject(value) && isText(value.namespace) && isText(value.function);
}
