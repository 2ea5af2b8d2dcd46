import { peakConcurrency, type Window } from './window.ts';

/** How a Function scales. */
export interface ScaleSpec {
  /** Fewest Instances; 0 lets it sleep. */
  readonly min: number;
  /** Most Instances. */
  readonly max: number;
  /** Calls in flight that one Instance should have. */
  readonly target: number;
  /** How long the last Instance stays without any call, in milliseconds; 0 for ever. */
  readonly idleAfterMs: number;
  /** Hard limit of calls in flight per Instance; 0 for none. */
  readonly limit: number;
}

export interface ScaleDecision {
  /** How many Instances there should be. */
  readonly wanted: number;
  /** Why, in a few words for a person. */
  readonly reason: string;
  /** When to decide again, in milliseconds from now; `undefined`: not before the next call. */
  readonly nextCheckMs: number | undefined;
}

/** While demand changes, a decision every second follows the buckets of the window. */
const checkMs = 1000;

/**
 * Decides how many Instances a Revision should have now.
 *
 * The load is the busiest panic window (6 s) of the last stable window (60 s). This is Knative's
 * autoscaler as a pure function: a burst is seen within seconds, and nothing shrinks until a whole
 * stable window was calmer. Averages are over the whole of a panic window, so a short burst, such
 * as the calls that waited for the first Instance, does not start what it will never need.
 *
 * The last Instance stays until nobody called for `idleAfterMs`; then all go, whatever the window
 * still remembers.
 */
export function decideScale(input: {
  readonly spec: ScaleSpec;
  readonly window: Window;
  /** Instances that are ready. */
  readonly ready: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}): ScaleDecision {
  const { spec, window, now } = input;
  const demand = window.latest?.demand;
  const waiting = demand?.queued ?? 0;
  const isActive = (demand?.inFlight ?? 0) + waiting > 0;
  const idleMs = isActive ? 0 : Math.max(0, now - (demand?.lastActiveMs ?? 0));
  const maySleep = spec.min === 0 && spec.idleAfterMs > 0 && !isActive;
  if (maySleep && idleMs >= spec.idleAfterMs) {
    const reason = `no call for ${seconds(spec.idleAfterMs)}`;
    return { wanted: 0, reason, nextCheckMs: undefined };
  }
  const { wanted, reason } = byLoad(input, isActive);
  const isSettled = !isActive && wanted <= Math.max(1, spec.min);
  if (!isSettled) return { wanted, reason, nextCheckMs: checkMs };
  return { wanted, reason, nextCheckMs: maySleep ? spec.idleAfterMs - idleMs : undefined };
}

function byLoad(
  { spec, window, ready, now }: Parameters<typeof decideScale>[0],
  isActive: boolean,
): { readonly wanted: number; readonly reason: string } {
  const target = spec.limit > 0 ? Math.min(spec.target, spec.limit) : spec.target;
  const load = peakConcurrency(window, now);
  const needed = Math.ceil(load / Math.max(target, 1));
  const floor = Math.max(1, spec.min);
  const wanted = Math.min(Math.max(needed, floor), Math.max(1, spec.max));
  if (wanted < needed) return { wanted, reason: `${loadText(load, target)}, limited by max` };
  if (needed >= floor && needed > 1) return { wanted, reason: loadText(load, target) };
  if (spec.min > 0) return { wanted, reason: `min is ${spec.min}` };
  if (isActive) return { wanted, reason: ready === 0 ? 'a call waits' : 'calls are in flight' };
  return spec.idleAfterMs === 0
    ? { wanted, reason: 'idleAfter is 0: never sleeps' }
    : { wanted, reason: `the last call was less than ${seconds(spec.idleAfterMs)} ago` };
}

function loadText(load: number, target: number): string {
  return `concurrency ${load.toFixed(1)} for a target of ${target}`;
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}
