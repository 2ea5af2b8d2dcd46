import { backoffDelayMs } from '@fnlet/base';
import type { HeaderField } from '@fnlet/invocation';
import type { AdvanceContext } from './advance-call.ts';
import type { Call, KeptAnswer } from './call.ts';
import type { CallbackState, CallState } from './call-state.ts';
import { bodyBytes } from './kept-body.ts';

/** Tells somebody outside how a call ended. */
export interface CallbackMessage {
  readonly url: string;
  readonly headers: readonly HeaderField[];
  readonly body: Uint8Array;
}

/** The way out to callback URLs. */
export interface CallbackPort {
  /** Why nothing may be sent there, as the end of a sentence; `undefined` when it may. */
  refuse(url: string): string | undefined;
  /** POSTs it, without following redirects; the status. Rejects when there is no answer. */
  send(message: CallbackMessage, signal: AbortSignal): Promise<number>;
}

/** The callback of a call that has just ended, if it has one. */
export function firstCallback(
  { callbackUrl }: Pick<Call, 'callbackUrl'>,
  nowMs: number,
): CallbackState | undefined {
  return callbackUrl === undefined ? undefined : { phase: 'pending', attempts: 0, dueMs: nowMs };
}

/**
 * A try of a callback is over, with a status or with what went wrong. 2xx is what it takes; a
 * redirect is not followed, so it ends the tries, as other refusals do.
 */
export function endCallback(
  state: CallbackState,
  outcome: number | string,
  { nowMs, random, limits, attemptsMax }: AdvanceContext & { readonly attemptsMax: number },
): CallbackState {
  const attempts = state.attempts + 1;
  if (typeof outcome === 'number' && outcome >= 200 && outcome < 300) {
    return { phase: 'delivered', attempts, dueMs: nowMs };
  }
  const message = typeof outcome === 'number' ? `It answered ${outcome}` : outcome;
  const mayPass =
    typeof outcome === 'string' || [408, 425, 429].includes(outcome) || outcome >= 500;
  if (!mayPass || attempts >= attemptsMax) {
    return { phase: 'failed', attempts, dueMs: nowMs, message };
  }
  const { retryBaseMs: baseMs, retryCapMs: capMs } = limits;
  const delayMs = backoffDelayMs(attempts, { baseMs, capMs, jitter: 0.5 }, random);
  return { phase: 'pending', attempts, dueMs: nowMs + delayMs, message };
}

/**
 * The answer of the function, as it was; or why there is none. Names as OpenFaaS has them, so that
 * whoever is called back by it understands us.
 */
export function callbackMessage(
  call: Call,
  state: CallState,
  answer: KeptAnswer | undefined,
): CallbackMessage {
  const { finishedMs = call.acceptedMs, failure } = state;
  const status = answer?.status ?? failure?.status ?? 504;
  const text = failure === undefined ? `The call is ${state.phase}` : failure.message;
  const body = answer === undefined ? Buffer.from(`${text}\n`) : bodyBytes(answer.body);
  const headers: HeaderField[] = [
    ...(answer === undefined ? plainText : contentFields(answer)),
    // Without it the body would go in chunks, which not every receiver reads.
    ['Content-Length', String(body.length)],
    ['X-Call-Id', call.id],
    ['X-Call-State', state.phase],
    ['X-Function-Name', `${call.function}.${call.namespace}`],
    ['X-Function-Status', String(status)],
    ['X-Duration-Seconds', ((finishedMs - call.acceptedMs) / 1000).toFixed(3)],
  ];
  if (answer?.truncated === true) headers.push(['X-Call-Truncated', 'true']);
  return { url: call.callbackUrl ?? '', headers, body };
}

const plainText: readonly HeaderField[] = [['Content-Type', 'text/plain; charset=utf-8']];

/** What it takes to read the body of an answer; all else was for whoever made the call. */
function contentFields({ headers }: KeptAnswer): readonly HeaderField[] {
  return ['Content-Type', 'Content-Encoding', 'Content-Language'].flatMap((name): HeaderField[] => {
    const value = headers.find(([field]) => field.toLowerCase() === name.toLowerCase())?.[1];
    return value === undefined || value === '' ? [] : [[name, value]];
  });
}
