/**
 * The life of a call, as a function of what happens to it:
 *
 *     queued ──▶ running ──▶ succeeded
 *       │  ▲        │  ├───▶ failed
 *       │  └ again  │  └───▶ expired ◀── retrying, queued
 *       ▼           ▼
 *   cancelled ◀── retrying ──▶ running
 *
 * I1. `attempts` never exceeds what was asked for.
 * I2. A final state changes only by `redriveCall`, which begins anew.
 */
import { backoffDelayMs, type Random } from '@fnlet/base';
import type { CallFailure, CallState } from './call-state.ts';
import { type AttemptOutcome, decideRetry } from './decide-retry.ts';
import type { AsyncLimits } from './limits.ts';

/** What the next state also depends on. */
export interface AdvanceContext {
  readonly nowMs: number;
  readonly random: Random;
  readonly limits: Pick<AsyncLimits, 'retryBaseMs' | 'retryCapMs' | 'retryAfterMaxMs'>;
}

/** It is tried now; or it is too late for that. */
export function beginAttempt(state: CallState, nowMs: number): CallState {
  if (nowMs >= state.deadlineMs) return { ...state, phase: 'expired', finishedMs: nowMs };
  return { ...state, phase: 'running', attempts: state.attempts + 1 };
}

/** A try is over. */
export function endAttempt(
  state: CallState,
  outcome: AttemptOutcome,
  { attemptsMax, ...context }: AdvanceContext & { readonly attemptsMax: number },
): CallState {
  const { nowMs } = context;
  const answered = outcome.kind === 'answered' ? outcome.status : undefined;
  const decision = decideRetry(outcome, nowMs);
  if (decision.kind === 'succeed') {
    return {
      ...state,
      phase: 'succeeded',
      misses: 0,
      finishedMs: nowMs,
      answered,
      failure: undefined,
    };
  }
  const failed = { ...state, answered, failure: failureOf(outcome, nowMs) };
  if (decision.kind === 'fail') return { ...failed, phase: 'failed', finishedMs: nowMs };
  const missed = decision.counts
    ? { ...failed, misses: 0 }
    : { ...failed, misses: state.misses + 1, attempts: state.attempts - 1 };
  return planRetry(missed, decision.afterMs, { attemptsMax, ...context });
}

/** The process ended while the call was tried: the function may have run, or run on. */
export function recoverCall(
  state: CallState,
  context: AdvanceContext & { readonly attemptsMax: number },
): CallState {
  if (state.phase !== 'running') return state;
  const message = 'Fnlet ended while the call was running';
  const failure = { atMs: context.nowMs, status: 503, reason: 'Interrupted', message };
  return planRetry({ ...state, misses: 0, failure }, undefined, context);
}

/** It is not to be tried any more; `undefined` when it runs or is over. */
export function cancelCall(state: CallState, nowMs: number): CallState | undefined {
  if (state.phase !== 'queued' && state.phase !== 'retrying') return undefined;
  return { ...state, phase: 'cancelled', finishedMs: nowMs };
}

/** A call that came to nothing begins anew; `undefined` for all others. */
export function redriveCall(
  state: CallState,
  { nowMs, lifetimeMs }: { readonly nowMs: number; readonly lifetimeMs: number },
): CallState | undefined {
  const { phase, failure } = state;
  if (phase !== 'failed' && phase !== 'expired' && phase !== 'cancelled') return undefined;
  const deadlineMs = nowMs + lifetimeMs;
  return { phase: 'queued', attempts: 0, misses: 0, dueMs: nowMs, deadlineMs, failure };
}

function planRetry(
  state: CallState,
  afterMs: number | undefined,
  context: AdvanceContext & { readonly attemptsMax: number },
): CallState {
  const { nowMs, random, limits, attemptsMax } = context;
  if (state.attempts >= attemptsMax) return { ...state, phase: 'failed', finishedMs: nowMs };
  const { retryBaseMs: baseMs, retryCapMs: capMs, retryAfterMaxMs } = limits;
  const failures = state.attempts + state.misses;
  const delayMs = backoffDelayMs(failures, { baseMs, capMs, jitter: 0.5 }, random);
  const wantedMs = Math.min(afterMs ?? 0, retryAfterMaxMs);
  const dueMs = nowMs + Math.max(delayMs, wantedMs);
  // Nobody is helped by waiting for a try that there will not be.
  if (dueMs >= state.deadlineMs) return { ...state, phase: 'expired', finishedMs: nowMs };
  return { ...state, phase: 'retrying', dueMs };
}

function failureOf(outcome: AttemptOutcome, atMs: number): CallFailure {
  const { status } = outcome;
  if (outcome.kind === 'failed') {
    return { atMs, status, reason: outcome.reason, message: outcome.message };
  }
  const reason = status === 408 ? 'FunctionTimeout' : 'FunctionFailed';
  return { atMs, status, reason, message: `The function answered ${status}` };
}
