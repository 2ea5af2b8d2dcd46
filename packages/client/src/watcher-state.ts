import { type BackoffOptions, backoffDelayMs, type Random, unreachable } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { limits } from './limits.ts';
import type { ObjectList } from './object-list.ts';
import type { WatchEvent } from './watch-event.ts';

/**
 * What a watcher tells. Between `restarted` and `synced` come all objects of one state; whatever a
 * consumer still holds of before and has not been told again is gone at `synced`. After it, every
 * event is a change. (kube-rs: Init, InitApply, InitDone.)
 */
export type WatcherEvent<T extends KubeObject> =
  | { readonly kind: 'restarted' }
  | { readonly kind: 'applied'; readonly object: T }
  | { readonly kind: 'deleted'; readonly object: T }
  | { readonly kind: 'synced'; readonly resourceVersion: string }
  /** Nothing happened up to this version. */
  | { readonly kind: 'progressed'; readonly resourceVersion: string };

/** What the driver does next. */
export type WatcherPhase =
  | BusyPhase
  /** Waits, then goes on with `next`. */
  | { readonly kind: 'BackingOff'; readonly delayMs: number; readonly next: BusyPhase };

export type BusyPhase =
  /** Opens, or reads on, a watch that begins with all objects (KEP-3157). */
  | { readonly kind: 'Streaming'; readonly begun: boolean }
  /** Asks for a page of a list, or for all of it where pages have expired before their end. */
  | { readonly kind: 'Listing'; readonly continue: string | undefined; readonly whole: boolean }
  /** Opens, or reads on, a watch from a version. */
  | { readonly kind: 'Watching'; readonly resourceVersion: string };

export interface WatcherState {
  readonly phase: WatcherPhase;
  /** Failures since the last watch that lived long enough or ended in order. */
  readonly failures: number;
  /** The server does not know initial events in a watch: lists are used instead. */
  readonly streamingRefused: boolean;
}

/** What happened to the driver. */
export type WatcherInput<T extends KubeObject> =
  | { readonly kind: 'waited' }
  | { readonly kind: 'page'; readonly page: ObjectList<T> }
  | { readonly kind: 'event'; readonly event: WatchEvent<T> }
  | WatchEnd
  | WatchFailure;

/** The server ended the watch in order. */
export interface WatchEnd {
  readonly kind: 'ended';
  readonly ageMs: number;
  readonly events: number;
}

export interface WatchFailure {
  readonly kind: 'failed';
  /** How long the request or the watch lived. */
  readonly ageMs: number;
  /** The code of the Status; `undefined` when there was no answer, or half of one. */
  readonly status: number | undefined;
  /** What the server asked for. */
  readonly retryAfterMs: number | undefined;
  /** The stream told nothing for too long. */
  readonly silent: boolean;
}

export interface WatcherStep<T extends KubeObject> {
  readonly state: WatcherState;
  readonly events: readonly WatcherEvent<T>[];
}

export const initialWatcherState: WatcherState = {
  phase: { kind: 'Streaming', begun: false },
  failures: 0,
  streamingRefused: false,
};

/**
 * One step of the watcher's state machine.
 *
 * I1. The version to watch from moves only when everything before it has been told; initial events
 *     come in any order, so it stays unknown until the bookmark that ends them.
 * I2. A version that the server has forgotten (410) is never used again: all objects are read anew.
 * I3. Every failure but the first 410 waits, longer each time. A silent stream has waited already.
 */
export function stepWatcher<T extends KubeObject>(
  state: WatcherState,
  input: WatcherInput<T>,
  random: Random,
): WatcherStep<T> {
  const { phase } = state;
  if (phase.kind === 'BackingOff') return { state: { ...state, phase: phase.next }, events: [] };
  switch (input.kind) {
    case 'page':
      return takePage(state, phase, input.page);
    case 'event':
      return takeEvent(state, phase, input.event);
    case 'ended':
      return { state: afterEnd({ state, phase, random }, input), events: [] };
    case 'failed':
      return { state: afterFailure({ state, phase, random }, input), events: [] };
    case 'waited':
      return { state, events: [] };
    default:
      return unreachable(input);
  }
}

function takePage<T extends KubeObject>(
  state: WatcherState,
  phase: BusyPhase,
  page: ObjectList<T>,
): WatcherStep<T> {
  const { resourceVersion } = page;
  const isFirst = phase.kind === 'Listing' && phase.continue === undefined;
  const isLast = page.continue === undefined;
  const events: WatcherEvent<T>[] = page.items.map((object) => ({ kind: 'applied', object }));
  if (isFirst) events.unshift({ kind: 'restarted' });
  if (isLast) events.push({ kind: 'synced', resourceVersion });
  const next: BusyPhase = isLast
    ? { kind: 'Watching', resourceVersion }
    : { kind: 'Listing', continue: page.continue, whole: false };
  return { state: { ...state, phase: next }, events };
}

function takeEvent<T extends KubeObject>(
  state: WatcherState,
  phase: BusyPhase,
  event: WatchEvent<T>,
): WatcherStep<T> {
  const isInitial = phase.kind === 'Streaming';
  const told = tell(event, isInitial);
  const events: readonly WatcherEvent<T>[] =
    isInitial && !phase.begun ? [{ kind: 'restarted' }, ...told] : told;
  const isEnd = event.type === 'BOOKMARK' && event.initialEventsEnd;
  if (isInitial && !isEnd) {
    return { state: { ...state, phase: { kind: 'Streaming', begun: true } }, events };
  }
  const resourceVersion =
    event.type === 'BOOKMARK' ? event.resourceVersion : event.object.metadata.resourceVersion;
  if (resourceVersion === undefined) return { state, events };
  return { state: { ...state, phase: { kind: 'Watching', resourceVersion } }, events };
}

function tell<T extends KubeObject>(
  event: WatchEvent<T>,
  isInitial: boolean,
): readonly WatcherEvent<T>[] {
  if (event.type !== 'BOOKMARK') {
    return [{ kind: event.type === 'DELETED' ? 'deleted' : 'applied', object: event.object }];
  }
  const { resourceVersion, initialEventsEnd } = event;
  if (!isInitial) return [{ kind: 'progressed', resourceVersion }];
  return initialEventsEnd ? [{ kind: 'synced', resourceVersion }] : [];
}

/** Where a watch was when it came to its end. */
interface Setback {
  readonly state: WatcherState;
  readonly phase: BusyPhase;
  readonly random: Random;
}

function afterEnd(setback: Setback, { ageMs, events }: WatchEnd): WatcherState {
  const { state, phase } = setback;
  // Initial events that were cut short start again; and a server that ends every watch at once
  // would be asked in a tight loop.
  const isShort = events === 0 && ageMs < limits.shortWatchMs;
  if (phase.kind === 'Streaming' || isShort) return backOff(setback, ageMs, 0);
  return { ...state, failures: 0 };
}

function afterFailure(setback: Setback, failure: WatchFailure): WatcherState {
  const { state, phase } = setback;
  const { status, retryAfterMs = 0, silent, ageMs } = failure;
  if (phase.kind === 'Streaming' && (status === 400 || status === 422 || silent)) {
    return { ...state, phase: listing, streamingRefused: true };
  }
  if (silent) return state;
  if (status === 410) return startAgain(setback);
  return backOff(setback, ageMs, retryAfterMs);
}

const listing: Extract<BusyPhase, { kind: 'Listing' }> = {
  kind: 'Listing',
  continue: undefined,
  whole: false,
};

function startAgain({ state, phase: ended, random }: Setback): WatcherState {
  // Reading all pages took longer than the server remembers: the next list comes in one piece.
  const whole = ended.kind === 'Listing' && ended.continue !== undefined;
  const next: BusyPhase =
    whole || state.streamingRefused ? { ...listing, whole } : { kind: 'Streaming', begun: false };
  const failures = state.failures + 1;
  const phase: WatcherPhase =
    failures === 1 ? next : { kind: 'BackingOff', delayMs: delayAfter(failures, random), next };
  return { ...state, phase, failures };
}

function backOff(
  { state, phase, random }: Setback,
  ageMs: number,
  atLeastMs: number,
): WatcherState {
  const isHealthy = phase.kind !== 'Streaming' && ageMs >= limits.healthyAfterMs;
  const failures = isHealthy ? 1 : state.failures + 1;
  const delayMs = Math.max(atLeastMs, delayAfter(failures, random));
  const next = phase.kind === 'Streaming' ? beginAnew(failures) : phase;
  return { ...state, phase: { kind: 'BackingOff', delayMs, next }, failures };
}

// Whatever cuts a long stream off each time, such as a proxy, may let pages through.
function beginAnew(failures: number): BusyPhase {
  return failures >= limits.streamTriesMax ? listing : { kind: 'Streaming', begun: false };
}

const backoff: BackoffOptions = {
  baseMs: limits.backoffBaseMs,
  capMs: limits.backoffCapMs,
  jitter: 0.5,
};

function delayAfter(failures: number, random: Random): number {
  return backoffDelayMs(failures, backoff, random);
}
