import type { IncomingMessage } from 'node:http';
import { decideResult } from '@fnlet/invocation';
import { answer } from './answer.ts';
import type { Call } from './call.ts';
import { createContext } from './call-context.ts';
import type { FunctionHandler } from './handler.ts';
import { hasBody } from './incoming-body.ts';
import { WebHeaders } from './web/web-headers.ts';
import { incoming, WebRequest } from './web/web-request.ts';

/** Calls a handler `(request, context)` and answers with what it returns. */
export async function callWebHandler(handler: FunctionHandler, call: Call): Promise<void> {
  const value = await handler.call(createRequest(call), createContext(call));
  await answer(call, decideResult(value, 'web'));
}

function createRequest(call: Call): WebRequest {
  const { request } = call;
  return new WebRequest({
    [incoming]: true,
    method: request.method ?? 'GET',
    url: () => requestUrl(request),
    headers: () => WebHeaders.fromRaw(request.rawHeaders),
    signal: () => call.signal,
    content: hasBody(request) && !isBodiless(request.method) ? call.body() : null,
  });
}

// The Fetch standard knows no body on these; HTTP lets clients send one, and it is ignored.
function isBodiless(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** The URL as the caller sees it, as far as the headers tell. */
export function requestUrl(request: IncomingMessage): string {
  const target = request.url ?? '/';
  const forwarded = request.headers['x-forwarded-proto'];
  const scheme = String(forwarded ?? '').startsWith('https') ? 'https' : 'http';
  const origin = `${scheme}://${request.headers.host ?? 'localhost'}`;
  const url = URL.parse(target.startsWith('/') ? origin + target : target);
  // A Host that is no host, or the target `*` of OPTIONS.
  return (
    url ?? new URL(target.startsWith('/') ? target.replace(/^\/+/, '/') : '/', 'http://localhost')
  ).href;
}
