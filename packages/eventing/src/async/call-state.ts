import { isJsonObject } from '@fnlet/base';

/** How far a call is. The first three go on; the others are final. */
export const callPhases = [
  'queued',
  'running',
  'retrying',
  'succeeded',
  'failed',
  'expired',
  'cancelled',
] as const;

export type CallPhase = (typeof callPhases)[number];

/** Why the last try was none that counts. */
export interface CallFailure {
  readonly atMs: number;
  /** That of the function's answer, or the one that the Gateway would have given. */
  readonly status: number;
  /** CamelCase. */
  readonly reason: string;
  readonly message: string;
}

/** How far the message about the end of a call is. */
export interface CallbackState {
  readonly phase: 'pending' | 'delivered' | 'failed';
  readonly attempts: number;
  /** When it is tried next, while pending. */
  readonly dueMs: number;
  readonly message?: string | undefined;
}

/** What changes about a call. A value; times are milliseconds since the epoch. */
export interface CallState {
  readonly phase: CallPhase;
  /** How often the function was, or may have been, called; the running one included. */
  readonly attempts: number;
  /** How often in a row the call did not even reach the function. */
  readonly misses: number;
  /** When it is tried next, while retrying. */
  readonly dueMs: number;
  /** From when on it is not tried any more. */
  readonly deadlineMs: number;
  /** When it ended. */
  readonly finishedMs?: number | undefined;
  readonly failure?: CallFailure | undefined;
  /** Status of the function's last answer, which is kept. */
  readonly answered?: number | undefined;
  readonly callback?: CallbackState | undefined;
}

/** Whether nothing will happen to the call any more. */
export function isFinished({ phase }: CallState): boolean {
  return phase !== 'queued' && phase !== 'running' && phase !== 'retrying';
}

/** The state of a call that was accepted just now, or at `acceptedMs`. */
export function firstState(call: {
  readonly acceptedMs: number;
  readonly lifetimeMs: number;
}): CallState {
  const deadlineMs = call.acceptedMs + call.lifetimeMs;
  return { phase: 'queued', attempts: 0, misses: 0, dueMs: call.acceptedMs, deadlineMs };
}

/** Whether this is a state as it was stored. */
export function isCallState(value: unknown): value is CallState {
  if (!isJsonObject(value)) return false;
  const { phase, attempts, misses, dueMs, deadlineMs, failure, callback } = value;
  return (
    callPhases.some((known) => known === phase) &&
    [attempts, misses, dueMs, deadlineMs].every((number) => typeof number === 'number') &&
    (failure === undefined || isJsonObject(failure)) &&
    (callback === undefined || isJsonObject(callback))
  );
}
