import { decideResult, type Result } from '@fnlet/invocation';
import { answer } from './answer.ts';
import type { Call } from './call.ts';
import { createEventContext } from './call-context.ts';
import { createEvent } from './event.ts';
import { type EventStyle, readEventBody } from './event-body.ts';
import type { FunctionHandler } from './handler.ts';

/** Calls a handler `(event, context)` and answers with what it returns. */
export async function callEventHandler(handler: FunctionHandler, call: Call): Promise<void> {
  const body = await readEventBody(call, 'event');
  const value = await handler.call(createEvent(call, body), createEventContext(call));
  await answerEvent(call, value, 'event');
}

/** Answers with what a handler returned, unless it answers by itself. */
export async function answerEvent(call: Call, value: unknown, style: EventStyle): Promise<void> {
  const { response } = call;
  // What most members of the response return is the response.
  const returned = value === response ? undefined : value;
  // The handler answered by itself, or pipes its answer into the response.
  if (response.headersSent || (returned === undefined && isPipedInto(response))) {
    call.claim('handler');
    return;
  }
  await answer(call, preset(call, decideResult(returned, style)));
}

// Status and content type that the handler set before it returned win.
function preset(call: Call, result: Result): Result {
  const { response } = call;
  if (result.body.kind === 'response') return result;
  const { 'content-type': type, ...others } = result.headers;
  const isSet = type === undefined || response.hasHeader('content-type');
  return { ...result, status: response.statusCode, headers: isSet ? others : result.headers };
}

// `source.pipe(response)` listens for this event on its target.
function isPipedInto(response: Call['response']): boolean {
  return response.listenerCount('unpipe') > 0;
}
