import type { Clock } from '@fnlet/base';
import type { HeaderField, Invocation, InvocationFailure, Invoker } from '@fnlet/invocation';
import { contractHeader, contractVersion } from '@fnlet/sdk/operator-wire';
import { HubError } from '../hub-error.ts';
import { lateAnswerMs } from '../limits.ts';
import type { CallGate, CallTurn } from './call-gate.ts';
import type { CallRoom } from './call-room.ts';
import type { Quarantine } from './quarantine.ts';
import { readOutcome } from './read-outcome.ts';

/** Asks the function of one operator; resolves with what it has answered, unread. */
export interface FunctionCaller {
  /**
   * @param call an OperatorCall as JSON
   * @throws HubError
   */
  call(call: string, options: CallOptions): Promise<unknown>;
}

export interface CallOptions extends CallTurn {
  /** The state of the object that it is about; see {@link Quarantine}. Absent: of many. */
  readonly state?: string;
  /** How long the answer may take. */
  readonly timeoutMs: number;
  readonly traceparent?: string | undefined;
  /** The path that is called. Default: `/`. */
  readonly target?: string;
  /** Another Function of the same namespace. */
  readonly function?: string;
  readonly signal: AbortSignal;
}

export interface FunctionCallerOptions {
  readonly invoke: Invoker;
  readonly namespace: string;
  readonly function: string;
  readonly gate: CallGate;
  readonly quarantine: Quarantine;
  /** Shared by all operators. */
  readonly room: CallRoom;
  /** Of a request, and of an answer. */
  readonly payloadBytesMax: number;
  readonly clock: Clock;
}

/** Calls a Function on the path of all its calls; one that sleeps is woken. */
export function createFunctionCaller(parts: FunctionCallerOptions): FunctionCaller {
  const { invoke, namespace, function: name, gate, room, clock, payloadBytesMax } = parts;
  const { quarantine } = parts;
  const ask = async (
    invocation: Invocation,
    { who, state, signal }: CallOptions,
  ): Promise<Awaited<ReturnType<Invoker>>> => {
    if (state === undefined) return invoke(invocation, signal);
    const asked = quarantine.begin({ who, state });
    const outcome = await invoke(invocation, signal).catch((error: unknown) => {
      quarantine.ended(asked);
      throw error;
    });
    if (outcome.kind === 'answered') quarantine.answered(asked);
    else if (!signal.aborted && isLoss(outcome)) quarantine.lost(asked);
    else quarantine.ended(asked);
    return outcome;
  };
  return {
    async call(call, options) {
      const { timeoutMs, traceparent, target = '/', function: other = name, signal } = options;
      const body = Buffer.from(call);
      if (body.length > payloadBytesMax) throw tooLarge(body.length, payloadBytesMax);
      gate.pass(options);
      const headers: readonly HeaderField[] = [
        ['content-type', 'application/json'],
        [contractHeader, String(contractVersion)],
        ...(traceparent === undefined ? [] : [['traceparent', traceparent] as const]),
      ];
      const invocation = {
        ...{ namespace, function: other, method: 'POST', target, headers, body },
        // The Runner itself ends a call that takes too long. Who waits no longer than that never
        // finds out that an Instance is stuck, and would call it for ever.
        timeoutMs: timeoutMs + lateAnswerMs,
        ...{ remoteAddress: '127.0.0.1', answerBytesMax: payloadBytesMax },
      };
      // Half of the time is for the call itself.
      const waits = { waitMs: timeoutMs / 2, signal };
      const outcome = await room.use(() => ask(invocation, options), waits);
      signal.throwIfAborted();
      try {
        return readOutcome(outcome, { nowMs: clock.now(), bytesMax: payloadBytesMax });
      } catch (error) {
        const retry = error instanceof HubError ? error.retry : undefined;
        if (typeof retry === 'object') gate.close(retry.afterMs);
        throw error;
      }
    },
  };
}

/** Whether an Instance went away with a call, or was silent beyond all deadlines: it is stuck. */
function isLoss({ reason, reached }: InvocationFailure): boolean {
  return reason === 'InstanceGone' || (reason === 'CallTimeout' && reached);
}

function tooLarge(bytes: number, bytesMax: number): HubError {
  const found = `found ${bytes} bytes, expected at most ${bytesMax} (spec.payload.max)`;
  return new HubError('PayloadTooLarge', `Cannot send the object with its children: ${found}`, {
    retry: 'later',
    remedy: 'Keep only the fields that the function reads, or give spec.payload.max more room',
  });
}
