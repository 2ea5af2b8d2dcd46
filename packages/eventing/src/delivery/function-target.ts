import type { HeaderField, InvocationAnswer, InvocationFailure, Invoker } from '@fnlet/invocation';
import { deliveryMessage, type MessageStyle } from './delivery-message.ts';
import type { DeliveryAnswer, EventTarget } from './event-target.ts';
import { targetLimits } from './target-limits.ts';

export interface FunctionTargetOptions extends MessageStyle {
  readonly invoke: Invoker;
  readonly namespace: string;
  readonly function: string;
  /** Whose Revision gets it. Default: calls are shared out as `spec.traffic` says. */
  readonly tag?: string | undefined;
  /** How long one try may take. Default: as the Function has it. */
  readonly timeoutMs: number | undefined;
}

/** Delivers to a Function, on the path of all its calls; one that sleeps is woken. */
export function createFunctionTarget(options: FunctionTargetOptions): EventTarget {
  const { invoke, namespace, function: name, tag } = options;
  const timeoutMs = options.timeoutMs ?? targetLimits.functionTimeoutMs;
  return {
    deliver(attempt, signal): Promise<DeliveryAnswer> {
      const { method, headers, body } = deliveryMessage(attempt, options);
      const invocation = {
        namespace,
        function: tag === undefined ? name : `${tag}-${name}`,
        method,
        target: '/',
        headers: headerFields(headers),
        body,
        remoteAddress: '127.0.0.1',
        answerBytesMax: targetLimits.replyBytesMax,
        timeoutMs,
      };
      return invoke(invocation, signal).then(toAnswer);
    },
  };
}

function headerFields(headers: Readonly<Record<string, string>>): readonly HeaderField[] {
  const fields: HeaderField[] = [];
  for (const name of Object.keys(headers)) fields.push([name, headers[name] ?? '']);
  return fields;
}

function toAnswer(outcome: InvocationAnswer | InvocationFailure): DeliveryAnswer {
  if (outcome.kind === 'failed') return failedAnswer(outcome);
  const headers: Record<string, string> = {};
  for (const field of outcome.headers) headers[field[0].toLowerCase()] = field[1];
  return { status: outcome.status, headers, body: outcome.body };
}

/** As a caller over HTTP would have got it. */
function failedAnswer({ status, message, retryAfterMs }: InvocationFailure): DeliveryAnswer {
  const headers: Record<string, string> =
    retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) };
  return { status, headers, body: new Uint8Array(), trouble: message };
}
