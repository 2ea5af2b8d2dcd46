import type { KubelessContext, KubelessEvent } from '@fnlet/sdk';
import type { Call } from './call.ts';
import { readCloudEvent } from './cloud-event.ts';
import { allowAllOrigins } from './cross-origin.ts';
import { type EventBody, readEventBody } from './event-body.ts';
import { createExtensions } from './event-extensions.ts';
import { answerEvent } from './event-style.ts';
import type { FunctionHandler } from './handler.ts';

/** Calls a handler `(event, context)` as Kubeless's Node runtime does. */
export async function callKubelessHandler(handler: FunctionHandler, call: Call): Promise<void> {
  if (allowAllOrigins(call)) return;
  const body = await readEventBody(call, 'kubeless');
  const value = await handler.call(createEvent(call, body), createContext(call));
  await answerEvent(call, value, 'kubeless');
}

// What an event is, its triggers say in headers of their own; those that speak CloudEvents, there.
function createEvent(call: Call, body: EventBody): KubelessEvent {
  const { headers } = call.request;
  const cloudEvent = readCloudEvent(headers, body);
  const attributes = cloudEvent?.attributes ?? {};
  return {
    'event-type': headers['event-type'] ?? attributes['ce-type'],
    'event-id': headers['event-id'] ?? attributes['ce-id'],
    'event-time': headers['event-time'] ?? attributes['ce-time'],
    'event-namespace': headers['event-namespace'] ?? attributes['ce-source'],
    ...attributes,
    data: cloudEvent === undefined ? body.data : cloudEvent.data,
    extensions: createExtensions(call, body.requestBody),
  };
}

function createContext(call: Call): KubelessContext {
  const { specialisation } = call.setting;
  const { env, limits, runtime } = specialisation;
  return {
    'function-name': env.FUNC_HANDLER ?? specialisation.function,
    timeout: limits.timeoutMs / 1000,
    runtime: env.FUNC_RUNTIME ?? runtime,
    'memory-limit': env.FUNC_MEMORY_LIMIT,
  };
}
