import type { Specialisation } from '@fnlet/invocation';
import { wantsAccessLog } from './access-log.ts';
import type { Call } from './call.ts';
import { callEventHandler } from './event-style.ts';
import type { FunctionHandler, Handler } from './handler.ts';
import { systemLimits } from './system-limits.ts';
import type { Tracing } from './tracing/tracing.ts';
import { callWebHandler } from './web-style.ts';

/** A Function that is loaded. */
export interface ServedFunction {
  /** With the limits that hold for it. */
  readonly specialisation: Specialisation;
  readonly upgrade: Handler['upgrade'];
  /** Whether a line is written for each of its calls. */
  readonly logsAccess: boolean;
  /** Largest body of a request that consists of parts, which some styles leave to the handler. */
  readonly multipartBytesMax: number;
  /** Makes spans; absent where nobody wants any. */
  readonly tracing?: Tracing;
  /** Calls the handler and answers with what it returns. */
  respond(call: Call): Promise<void>;
}

/** Prepares a handler for its calls, in its style. */
export async function serveFunction(
  specialisation: Specialisation,
  handler: Handler,
): Promise<ServedFunction> {
  const respond = await answerer(handler);
  return {
    specialisation: { ...specialisation, limits: systemLimits(specialisation) },
    upgrade: handler.upgrade,
    logsAccess: wantsAccessLog(specialisation),
    multipartBytesMax: specialisation.limits.bodyBytesMax,
    respond,
  };
}

type CallHandler = (handler: FunctionHandler, call: Call) => Promise<void>;

async function answerer(handler: Handler): Promise<ServedFunction['respond']> {
  if (handler.style === 'operator') {
    return (await import('./operator-style.ts')).answerHub(handler.operator);
  }
  const callHandler = await styleOf(handler.style);
  return (call) => callHandler(handler, call);
}

// The ways of other systems are loaded where they are wanted.
async function styleOf(style: FunctionHandler['style']): Promise<CallHandler> {
  switch (style) {
    case 'web':
      return callWebHandler;
    case 'event':
      return callEventHandler;
    case 'kubeless':
      return (await import('./kubeless-style.ts')).callKubelessHandler;
    case 'kyma':
      return (await import('./kyma-style.ts')).callKymaHandler;
    case 'request':
      return (await import('./kyma-style.ts')).callKymaRequestHandler;
  }
}
