/**
 * The life of one Instance as a pure state machine: what happened goes in, the next state and what
 * to do about it comes out.
 *
 *     starting ──ready──▶ ready ──drain──▶ draining ──exited──▶ stopped
 *        ▲  └──exited──┐    └──exited──┐
 *        └────due──── backingOff ◀─────┘
 *
 * I1. `dueAtMs` is the only time that matters next: loading must be over (starting), a restart is
 *     due (backingOff), patience ends (draining). A `due` that comes early or late is ignored.
 * I2. `assigned` says whether a process belongs to this Instance; only then are signals sent.
 * I3. The first failure after healthy times is replaced at once; the next ones wait as kubelet
 *     does: 10 s, doubling to 5 min, forgotten after 10 healthy minutes. Code that cannot be loaded
 *     waits from the first time on: nothing suggests that it would load now.
 */
import { backoffDelayMs } from '@fnlet/base';
import type { LoadFailure } from '@fnlet/invocation';
import type { InstanceEvent, InstanceExit, InstancePhase } from './executor.ts';
import { limits } from './limits.ts';
import type { RunnerExit } from './runner.ts';

export interface InstanceState {
  readonly phase: InstancePhase;
  readonly assigned: boolean;
  /** When the current process was given the code. */
  readonly startedAtMs: number | undefined;
  /** The file that the current process said last it would load. */
  readonly loading: string | undefined;
  readonly readyAtMs: number | undefined;
  readonly dueAtMs: number | undefined;
  readonly restarts: number;
  /** Failures in a row, forgotten after healthy times. */
  readonly failures: number;
  /** Why the current process could not load the code; it is about to end. */
  readonly failure: LoadFailure | undefined;
  readonly lastExit: InstanceExit | undefined;
  /** The signal that comes next while draining. */
  readonly nextSignal: 'SIGTERM' | 'SIGKILL';
}

/** What happened. */
export type InstanceInput =
  | { readonly type: 'assigned' }
  | { readonly type: 'unavailable'; readonly failure: LoadFailure }
  | { readonly type: 'expecting' }
  | { readonly type: 'loading'; readonly file: string }
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly failure: LoadFailure }
  | ({ readonly type: 'exited'; readonly said?: string } & RunnerExit)
  | { readonly type: 'due' }
  | { readonly type: 'drain'; readonly graceMs: number };

/** What to do, in this order. */
export type InstanceEffect =
  | { readonly type: 'order' }
  | { readonly type: 'cancelOrder' }
  | { readonly type: 'specialise' }
  | { readonly type: 'drain' }
  | { readonly type: 'signal'; readonly signal: 'SIGTERM' | 'SIGKILL' }
  | {
      readonly type: 'emit';
      readonly kind: InstanceEvent['kind'];
      /** As it was at this event; a later effect may come with a newer one. */
      readonly state: InstanceState;
    };

export interface InstanceStep {
  readonly state: InstanceState;
  readonly effects: readonly InstanceEffect[];
}

/** An Instance right after it was asked for. */
export function startInstance(): InstanceStep {
  const state: InstanceState = {
    phase: 'starting',
    assigned: false,
    startedAtMs: undefined,
    loading: undefined,
    readyAtMs: undefined,
    dueAtMs: undefined,
    restarts: 0,
    failures: 0,
    failure: undefined,
    lastExit: undefined,
    nextSignal: 'SIGTERM',
  };
  return { state, effects: [emit('starting', state), { type: 'order' }] };
}

/** The next state of an Instance after `input` at `now` (milliseconds since the epoch). */
export function stepInstance(
  state: InstanceState,
  input: InstanceInput,
  now: number,
): InstanceStep {
  switch (input.type) {
    case 'assigned':
      return onAssigned(state, now);
    case 'unavailable':
      if (state.phase !== 'starting') return unchanged(state);
      return onExited({ ...state, failure: input.failure }, { code: null, signal: null }, now);
    case 'expecting': {
      const isAwaited = state.phase === 'starting' && state.assigned;
      return { state, effects: isAwaited ? [emit('expecting', state)] : [] };
    }
    case 'loading':
      return { state: { ...state, loading: input.file }, effects: [] };
    case 'ready':
      return onReady(state, now);
    case 'failed':
      if (state.phase !== 'starting' || !state.assigned) return unchanged(state);
      return giveUpLoading(state, input.failure);
    case 'exited':
      return state.assigned ? onExited(state, input, now) : unchanged(state);
    case 'due':
      return onDue(state, now);
    case 'drain':
      return onDrain(state, input.graceMs, now);
  }
}

function onAssigned(state: InstanceState, now: number): InstanceStep {
  if (state.phase !== 'starting' || state.assigned) return unchanged(state);
  return {
    state: { ...state, assigned: true, startedAtMs: now, dueAtMs: now + limits.loadMs },
    effects: [{ type: 'specialise' }],
  };
}

function onReady(state: InstanceState, now: number): InstanceStep {
  const loading = state.phase === 'starting' && state.assigned && state.failure === undefined;
  if (!loading) return unchanged(state);
  const ready: InstanceState = { ...state, phase: 'ready', readyAtMs: now, dueAtMs: undefined };
  return { state: ready, effects: [emit('ready', ready)] };
}

// The Runner is of no more use; what counts is told once its process has ended.
function giveUpLoading(state: InstanceState, failure: LoadFailure): InstanceStep {
  if (state.failure !== undefined) return unchanged(state);
  return {
    state: { ...state, failure, dueAtMs: undefined },
    effects: [{ type: 'signal', signal: 'SIGKILL' }],
  };
}

function onExited(
  state: InstanceState,
  exit: RunnerExit & { readonly said?: string },
  now: number,
): InstanceStep {
  // That it ends now is as it was asked to: what stays is how it ended before, if it did.
  if (state.phase === 'draining') return stopped({ ...state, assigned: false });
  const lastExit: InstanceExit = {
    code: exit.code,
    signal: exit.signal,
    startedAtMs: state.startedAtMs ?? now,
    finishedAtMs: now,
    ...(state.failure === undefined ? {} : { failure: state.failure }),
    ...(exit.outOfMemory === true ? { outOfMemory: true } : {}),
    ...(exit.said === undefined ? {} : { said: exit.said }),
  };
  const ended: InstanceState = {
    ...state,
    assigned: false,
    startedAtMs: undefined,
    loading: undefined,
    readyAtMs: undefined,
    failure: undefined,
    lastExit,
  };
  const healthy = state.readyAtMs !== undefined && now - state.readyAtMs >= limits.healthyMs;
  const failures = healthy ? 1 : state.failures + 1;
  const delayMs = decideRestartDelayMs(failures, state.failure !== undefined);
  const waiting: InstanceState = {
    ...ended,
    phase: 'backingOff',
    failures,
    dueAtMs: now + delayMs,
  };
  const told = emit(state.failure === undefined ? 'crashed' : 'loadFailed', waiting);
  if (delayMs > 0) return { state: waiting, effects: [told] };
  const again = restart(waiting);
  return { state: again.state, effects: [told, ...again.effects] };
}

function decideRestartDelayMs(failures: number, loadFailed: boolean): number {
  const { backoffBaseMs: baseMs, backoffCapMs: capMs } = limits;
  const free = loadFailed ? 0 : 1;
  return failures <= free ? 0 : backoffDelayMs(failures - free, { baseMs, capMs });
}

function restart(state: InstanceState): InstanceStep {
  const starting: InstanceState = {
    ...state,
    phase: 'starting',
    dueAtMs: undefined,
    restarts: state.restarts + 1,
  };
  return { state: starting, effects: [emit('starting', starting), { type: 'order' }] };
}

function onDue(state: InstanceState, now: number): InstanceStep {
  if (state.dueAtMs === undefined || now < state.dueAtMs) return unchanged(state);
  if (state.phase === 'backingOff') return restart(state);
  if (state.phase === 'draining') return escalate(state, now);
  return giveUpLoading(state, decideLoadTimeout(state.loading));
}

function decideLoadTimeout(file: string | undefined): LoadFailure {
  const what = file === undefined ? 'the code' : `"${file}"`;
  const message =
    `Cannot load ${what}: found no end of it after ${limits.loadMs / 1000} s, ` +
    'expected no endless loop and no top-level await that nothing resolves';
  return { code: 'LoadTimeout', message, ...(file === undefined ? {} : { file }) };
}

function onDrain(state: InstanceState, graceMs: number, now: number): InstanceStep {
  if (state.phase === 'stopped') return unchanged(state);
  if (!state.assigned) {
    const step = stopped(state);
    return { ...step, effects: [{ type: 'cancelOrder' }, ...step.effects] };
  }
  if (state.phase === 'draining') {
    // Patience only gets shorter.
    const dueAtMs = Math.min(state.dueAtMs ?? now, now + graceMs);
    if (graceMs > 0) return { state: { ...state, dueAtMs }, effects: [] };
    return escalate({ ...state, nextSignal: 'SIGKILL' }, now);
  }
  const draining: InstanceState = { ...state, phase: 'draining', dueAtMs: now + graceMs };
  const told = emit('draining', draining);
  // Nothing is in flight before it was ready, so there is nothing to be patient for.
  const urgent = graceMs <= 0 || state.readyAtMs === undefined;
  if (!urgent) return { state: draining, effects: [told, { type: 'drain' }] };
  const step = escalate(graceMs <= 0 ? { ...draining, nextSignal: 'SIGKILL' } : draining, now);
  return { state: step.state, effects: [told, ...step.effects] };
}

function escalate(state: InstanceState, now: number): InstanceStep {
  return {
    state: { ...state, nextSignal: 'SIGKILL', dueAtMs: now + limits.terminateMs },
    effects: [{ type: 'signal', signal: state.nextSignal }],
  };
}

function stopped(state: InstanceState): InstanceStep {
  const end: InstanceState = { ...state, phase: 'stopped', dueAtMs: undefined };
  return { state: end, effects: [emit('stopped', end)] };
}

function emit(kind: InstanceEvent['kind'], state: InstanceState): InstanceEffect {
  return { type: 'emit', kind, state };
}

function unchanged(state: InstanceState): InstanceStep {
  return { state, effects: [] };
}
