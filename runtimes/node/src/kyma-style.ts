import { http } from './builtins.ts';
import type { Call } from './call.ts';
import { allowAllOrigins } from './cross-origin.ts';
import { readEventBody } from './event-body.ts';
import { createExtensions } from './event-extensions.ts';
import { answerEvent } from './event-style.ts';
import type { FunctionHandler } from './handler.ts';
import { createKymaContext, createKymaEvent } from './kyma-event.ts';

/** Calls a handler `(event, context, callback)` as Kyma's runtimes nodejs20 … nodejs24 mean to. */
export async function callKymaHandler(handler: FunctionHandler, call: Call): Promise<void> {
  if (answerForKyma(call)) return;
  const body = await readEventBody(call, 'kyma');
  let calledBack: Promise<void> | undefined;
  const callback = (value?: unknown, status?: unknown, headers?: unknown): void => {
    calledBack ??= answerCallback(call, { value, status, headers }).catch((error) =>
      call.fail(error),
    );
  };
  const value = await handler.call(createKymaEvent(call, body), createKymaContext(call), callback);
  await (calledBack ?? answerEvent(call, value, 'kyma'));
}

/**
 * Calls a handler `(request, response)` as Kyma's runtime nodejs26 does: with the objects of
 * Express, and no eye for what it returns.
 */
export async function callKymaRequestHandler(handler: FunctionHandler, call: Call): Promise<void> {
  if (answerForKyma(call)) return;
  const { requestBody } = await readEventBody(call, 'kyma');
  const { request, response } = createExtensions(call, requestBody);
  await handler.call(request, response);
}

// What Kyma's server answers before the function.
function answerForKyma(call: Call): boolean {
  if (allowAllOrigins(call)) return true;
  const { request, response } = call;
  if (request.method !== 'GET' || request.url !== '/favicon.ico') return false;
  response.statusCode = 204;
  if (call.claim('handler')) response.end();
  return true;
}

interface CalledBack {
  readonly value: unknown;
  readonly status: unknown;
  readonly headers: unknown;
}

async function answerCallback(call: Call, { value, status, headers }: CalledBack): Promise<void> {
  const { response } = call;
  if (response.headersSent) return;
  for (const [name, text] of Object.entries(isRecord(headers) ? headers : {})) {
    response.setHeader(name, String(text));
  }
  if (typeof status === 'number') response.statusCode = status;
  // A status alone is answered with its name, as Express's sendStatus does.
  const isNamed = !value && typeof status === 'number';
  await answerEvent(call, isNamed ? http.STATUS_CODES[status] : value, 'kyma');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
