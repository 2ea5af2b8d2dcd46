import { subscribe } from 'node:diagnostics_channel';
import { formatTraceHeaders, formatW3cHeaders, type TraceContext } from '@fnlet/invocation';
import type { Call } from './call.ts';
import { randomSpanId } from './trace-id.ts';

/**
 * Outgoing requests of a handler carry its call's position in the trace, as long as the call lasts:
 * those of `fetch` and of `node:http`, on which most clients are built. Functions of Kyma and
 * Kubeless send B3 headers as well. A header that the function set itself stays.
 *
 * To be called once. It costs nothing before there is an outgoing request.
 */
export function propagateTraces(currentCall: () => Call | undefined): void {
  // One span a call: what it asks for are siblings, whatever they are sent with.
  const headersOf = new WeakMap<Call, Readonly<Record<string, string>>>();
  const headersFor = (request: object): Readonly<Record<string, string>> => {
    const call = currentCall();
    if (call === undefined) return {};
    const { tracing } = call.setting;
    if (tracing !== undefined) return formatPosition(call, tracing.outgoing(call, request));
    const known = headersOf.get(call) ?? outgoingHeaders(call);
    headersOf.set(call, known);
    return known;
  };
  subscribe('http.client.request.created', (message) => {
    const request = requestOf(message);
    if (!isClientRequest(request) || request.headersSent) return;
    for (const [name, value] of Object.entries(headersFor(request))) {
      if (!request.hasHeader(name)) request.setHeader(name, value);
    }
  });
  subscribe('undici:request:create', (message) => {
    const request = requestOf(message);
    if (!isFetchRequest(request)) return;
    // A text or a list, as the version has it.
    const sent = String(request.headers).toLowerCase();
    for (const [name, value] of Object.entries(headersFor(request))) {
      if (!sent.includes(name)) request.addHeader(name, value);
    }
  });
}

function outgoingHeaders(call: Call): Readonly<Record<string, string>> {
  const { trace } = call;
  return trace === undefined ? {} : formatPosition(call, { ...trace, spanId: randomSpanId() });
}

function formatPosition(
  { setting }: Call,
  position: TraceContext,
): Readonly<Record<string, string>> {
  const withB3 = setting.specialisation.compatibility !== undefined;
  return withB3 ? formatTraceHeaders(position) : formatW3cHeaders(position);
}

interface ClientRequest {
  readonly headersSent: boolean;
  hasHeader(name: string): boolean;
  setHeader(name: string, value: string): unknown;
}

interface FetchRequest {
  readonly headers: unknown;
  addHeader(name: string, value: string): unknown;
}

function requestOf(message: unknown): object {
  const found = typeof message === 'object' && message !== null && 'request' in message;
  return found && typeof message.request === 'object' && message.request !== null
    ? message.request
    : {};
}

function isClientRequest(request: object): request is ClientRequest {
  return 'setHeader' in request && typeof request.setHeader === 'function';
}

function isFetchRequest(request: object): request is FetchRequest {
  return 'addHeader' in request && typeof request.addHeader === 'function';
}
