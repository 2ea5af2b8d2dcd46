import { errorMessage, FnletError, isJsonObject, parseRetryAfter } from '@fnlet/base';
import type { HeaderField, InvocationAnswer, InvocationFailure } from '@fnlet/invocation';
import { HubError } from '../hub-error.ts';
import { busyMs, failureTextMax } from '../limits.ts';
import { busy } from './call-gate.ts';

/**
 * What a function has answered, as JSON.
 *
 * @param bytesMax the bound that cuts answers short
 * @throws HubError `FunctionBusy` with the time to come again for 429 and 503 that name one;
 *   `CallFailed`, `InvalidAnswer`, `PayloadTooLarge`
 */
export function readOutcome(
  outcome: InvocationAnswer | InvocationFailure,
  { nowMs, bytesMax }: { readonly nowMs: number; readonly bytesMax: number },
): unknown {
  if (outcome.kind === 'failed') throw failed(outcome);
  const { status, headers, body, truncated } = outcome;
  if (status === 429 || status === 503) {
    const afterMs = retryAfterOf(headers, nowMs);
    if (afterMs !== undefined) throw busy(`it has answered ${status}`, afterMs);
  }
  if (status < 200 || status > 299) {
    const text = excerpt(body);
    const found = `found status ${status}${text === '' ? '' : ` and "${text}"`}`;
    throw new HubError('CallFailed', `Cannot call the function: ${found}, expected 200`, {
      retry: 'later',
    });
  }
  if (truncated) {
    const found = `found more than ${bytesMax} bytes, which spec.payload.max allows`;
    throw new HubError('PayloadTooLarge', `Cannot read the answer: ${found}`, { retry: 'later' });
  }
  return parse(body);
}

function failed({ status, reason, message, retryAfterMs }: InvocationFailure): HubError {
  const isBusy = status === 429 || status === 503;
  if (isBusy && retryAfterMs !== undefined) return busy(message, Math.max(retryAfterMs, 1));
  return new HubError('CallFailed', `Cannot call the function: ${message} (${reason})`, {
    retry: 'later',
  });
}

function retryAfterOf(headers: readonly HeaderField[], nowMs: number): number | undefined {
  const field = headers.find(([name]) => name.toLowerCase() === 'retry-after');
  if (field === undefined) return undefined;
  return Math.max(parseRetryAfter(field[1], nowMs) ?? busyMs, 1);
}

function parse(body: Uint8Array): unknown {
  if (body.length === 0) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return value;
  } catch (error) {
    const found = `found ${errorMessage(error)} in "${excerpt(body)}", expected JSON`;
    throw new HubError('InvalidAnswer', `Cannot read the answer: ${found}`, {
      cause: error,
      retry: 'later',
    });
  }
}

function excerpt(body: Uint8Array): string {
  const text = new TextDecoder().decode(body.subarray(0, failureTextMax)).trim();
  // What Runners answer for an error is JSON with a message.
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value) && typeof value.message === 'string') return value.message;
  } catch {
    // It is told as it is.
  }
  return text.replaceAll(/\s+/g, ' ');
}

/** Codes that the runtime goes by, and that no user can take. */
const reserved: ReadonlySet<string> = new Set(['Terminal', 'Conflict', 'DeadlineExceeded']);

/** A failure that the function tells of itself. */
export function failureOf(note: {
  readonly reason?: string;
  readonly message: string;
  readonly terminal?: boolean;
}): FnletError {
  const { reason = 'ReconcileFailed', message, terminal = false } = note;
  if (terminal) return new FnletError('Terminal', message);
  const isReserved = reserved.has(reason) && reason !== 'DeadlineExceeded';
  const code = isReserved || !/^[A-Z][A-Za-z0-9]*$/.test(reason) ? 'ReconcileFailed' : reason;
  return new FnletError(code, message, { retry: 'later' });
}
