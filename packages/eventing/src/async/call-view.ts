import type { CallSummary } from './call-index.ts';
import { type CallPhase, type CallState, isFinished } from './call-state.ts';

/** A call as its caller sees it; times in ISO 8601. */
export interface CallView {
  readonly id: string;
  readonly namespace: string;
  readonly function: string;
  readonly state: CallPhase;
  readonly acceptedAt: string;
  /** From when on it is not tried any more; while it is not over. */
  readonly deadline?: string;
  readonly attempts: number;
  readonly attemptsMax: number;
  /** While retrying. */
  readonly nextAttemptAt?: string;
  readonly finishedAt?: string;
  /** Until when it can be asked for, once it is over. */
  readonly keptUntil?: string;
  /** Status of the function's last answer. */
  readonly status?: number;
  readonly lastError?: {
    readonly at: string;
    readonly status: number;
    readonly reason: string;
    readonly message: string;
  };
  readonly callback?: {
    readonly url: string;
    readonly state: 'pending' | 'delivered' | 'failed';
    readonly attempts: number;
    readonly message?: string;
  };
}

/** What is said about a call. */
export function viewCall(
  call: CallSummary,
  state: CallState,
  { nowMs, keptMs }: { readonly nowMs: number; readonly keptMs: number },
): CallView {
  const { attempts, failure, finishedMs, answered } = state;
  const over = isFinished(state);
  // It is found out when its turn comes, but it is so from that moment on.
  const isLate = !over && state.phase !== 'running' && nowMs >= state.deadlineMs;
  return {
    id: call.id,
    namespace: call.namespace,
    function: call.function,
    state: isLate ? 'expired' : state.phase,
    acceptedAt: iso(call.acceptedMs),
    ...(over ? {} : { deadline: iso(state.deadlineMs) }),
    attempts,
    attemptsMax: call.attemptsMax,
    ...(state.phase === 'retrying' ? { nextAttemptAt: iso(state.dueMs) } : {}),
    ...(finishedMs === undefined ? {} : { finishedAt: iso(finishedMs) }),
    ...(finishedMs === undefined ? {} : { keptUntil: iso(finishedMs + keptMs) }),
    ...(answered === undefined ? {} : { status: answered }),
    ...(failure === undefined
      ? {}
      : {
          lastError: {
            at: iso(failure.atMs),
            status: failure.status,
            reason: failure.reason,
            message: failure.message,
          },
        }),
    ...viewCallback(call, state),
  };
}

function viewCallback(
  { callbackUrl: url }: CallSummary,
  { callback }: CallState,
): Pick<CallView, 'callback'> {
  if (url === undefined) return {};
  const { phase: state = 'pending', attempts = 0, message } = callback ?? {};
  return { callback: { url, state, attempts, ...(message === undefined ? {} : { message }) } };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
