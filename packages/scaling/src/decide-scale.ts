import { type Floor, highestFloor } from './floor.ts';
import { measureNeed, type ScaleMetric } from './metric.ts';
import {
  growthLimit,
  recentChanges,
  type ScaleChange,
  type ScalingRules,
  shrinkLimit,
} from './rate-limits.ts';
import type { Readings } from './readings.ts';
import { noRecommendations, type Recommendations, recommend, stabilize } from './stabilization.ts';
import type { Spans, Window } from './window.ts';

/** How a Function scales. */
export interface ScaleSpec {
  /** Fewest Instances; 0 lets it sleep. */
  readonly min: number;
  /** Most Instances. */
  readonly max: number;
  /** What it scales by; whichever asks for most wins. */
  readonly metrics: readonly ScaleMetric[];
  /** How long the last Instance stays without any call, in milliseconds; 0 for ever. */
  readonly idleAfterMs: number;
  /** Hard limit of calls in flight per Instance; 0 for none. */
  readonly limit: number;
  /** Calls that may come at once and are to find room; 0 for none. */
  readonly burst: number;
  /** Fewest Instances while there is any demand. */
  readonly activation: number;
  readonly spans: Spans;
  readonly growth: ScalingRules;
  readonly shrinking: ScalingRules;
}

/** What is remembered from one decision to the next. */
export interface ScaleHistory {
  readonly recommendations: Recommendations;
  readonly changes: readonly ScaleChange[];
}

export const noScaleHistory: ScaleHistory = { recommendations: noRecommendations, changes: [] };

export interface ScaleSituation {
  readonly spec: ScaleSpec;
  readonly window: Window;
  readonly readings: Readings;
  /** Minimums of the moment, by schedule or prediction. */
  readonly floors: readonly Floor[];
  readonly history: ScaleHistory;
  /** Instances that were wanted so far. */
  readonly current: number;
  /** Instances that are ready. */
  readonly ready: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * What decided: idleness, a call that is there, the need of a metric, a minimum, `activation`,
 * `max`, or the rules of how fast the number changes.
 */
export type ScaleCause = 'idle' | 'call' | 'metric' | 'min' | 'activation' | 'max' | 'rules';

export interface ScaleDecision {
  /** How many Instances there should be. */
  readonly wanted: number;
  /** How many the demand alone asks for; what predictions are learned from. */
  readonly needed: number;
  /** Why, in a few words for a person. */
  readonly reason: string;
  readonly cause: ScaleCause;
  /** When to decide again, in milliseconds from now; `undefined`: not before the next call. */
  readonly nextCheckMs: number | undefined;
  readonly history: ScaleHistory;
}

/** While demand changes, a decision every second follows the buckets of the window. */
const checkMs = 1000;

/**
 * Decides how many Instances a Revision should have now.
 *
 * The load is the busiest panic window (6 s) of the last stable window (60 s). This is Knative's
 * autoscaler as a pure function: a burst is seen within seconds, and nothing shrinks until a whole
 * stable window was calmer. Averages are over the whole of a panic window, so a short burst, such
 * as the calls that waited for the first Instance, does not start what it will never need. The
 * greatest need of all metrics is taken; one that is not known keeps what there is. Then the rules
 * of a HorizontalPodAutoscaler hold: stabilisation, and how fast the number may change.
 *
 * The last Instance stays until nobody called for `idleAfterMs`; then all go, whatever the window
 * still remembers.
 */
export function decideScale(situation: ScaleSituation): ScaleDecision {
  const { spec, window, now } = situation;
  const demand = window.latest?.demand;
  const isCalled = (demand?.inFlight ?? 0) + (demand?.queued ?? 0) > 0;
  const need = greatestNeed(situation);
  const floor = highestFloor([
    ...(spec.min > 0 ? [{ min: spec.min, reason: `min is ${spec.min}` }] : []),
    ...situation.floors,
  ]);
  // What is called from elsewhere than the Gateway, or may be, is no more idle than what it calls.
  const isActive = isCalled || need.isElsewhere;
  const idleMs = isActive ? 0 : Math.max(0, now - (demand?.lastActiveMs ?? 0));
  const maySleep = floor === undefined && spec.idleAfterMs > 0 && !isActive;
  if (maySleep && idleMs >= spec.idleAfterMs) {
    const reason = `no call for ${seconds(spec.idleAfterMs)}`;
    const nothing = { wanted: 0, needed: 0, nextCheckMs: undefined, history: noScaleHistory };
    return { ...nothing, reason, cause: 'idle' };
  }
  const asked = byNeed(situation, { need, floor, isActive });
  const kept = byRules(situation, { asked, floor });
  const { wanted, reason, cause } = kept;
  const history = remember(situation, kept);
  const wasCalled = isCalled || idleMs < spec.spans.stableSeconds * 1000;
  const needed = Math.max(wasCalled ? 1 : 0, need.known);
  const isSettled = !isActive && wanted <= Math.max(1, floor?.min ?? 0);
  const sleepMs = maySleep ? spec.idleAfterMs - idleMs : undefined;
  return { wanted, needed, reason, cause, nextCheckMs: isSettled ? sleepMs : checkMs, history };
}

interface GreatestNeed {
  readonly instances: number;
  readonly text: string;
  /** The greatest need that is known, whatever is kept for those that are not. */
  readonly known: number;
  /** Whether a metric that is not of the Gateway asks for an Instance, or might. */
  readonly isElsewhere: boolean;
}

/** The greatest of all needs. What is not known keeps what there is, and never adds to it. */
function greatestNeed(situation: ScaleSituation): GreatestNeed {
  const { spec, current } = situation;
  const measured = { ...situation, ...spec };
  const needs = spec.metrics.map((metric) => {
    const { instances, text } = measureNeed(metric, measured);
    const isElsewhere = metric.kind === 'external' && (instances ?? current) > 0;
    return { instances: instances ?? current, text, known: instances ?? 0, isElsewhere };
  });
  const [greatest] = needs.toSorted((a, b) => b.instances - a.instances);
  return {
    instances: greatest?.instances ?? 0,
    text: greatest?.text ?? 'nothing to scale by',
    known: Math.max(0, ...needs.map(({ known }) => known)),
    isElsewhere: needs.some((need) => need.isElsewhere),
  };
}

interface Asked {
  readonly wanted: number;
  readonly reason: string;
  readonly cause: ScaleCause;
}

/** What need and floor ask for, within the bounds. */
function byNeed(
  { spec, ready }: ScaleSituation,
  parts: {
    readonly need: GreatestNeed;
    readonly floor: Floor | undefined;
    readonly isActive: boolean;
  },
): Asked {
  const { need, floor, isActive } = parts;
  const least = Math.max(1, floor?.min ?? 0);
  const most = Math.max(1, spec.max);
  const activation = isActive || need.instances > 0 ? spec.activation : 0;
  const wanted = Math.min(Math.max(need.instances, least, activation), most);
  if (wanted < need.instances) {
    return { wanted, reason: `${need.text}, limited by max`, cause: 'max' };
  }
  if (activation > Math.max(need.instances, least, 1)) {
    return { wanted, reason: `activation is ${spec.activation}`, cause: 'activation' };
  }
  if (need.instances >= least && need.instances > 1) {
    return { wanted, reason: need.text, cause: 'metric' };
  }
  if (floor !== undefined) {
    const limited = floor.min > most ? ', limited by max' : '';
    return { wanted, reason: `${floor.reason}${limited}`, cause: 'min' };
  }
  if (need.isElsewhere) return { wanted, reason: need.text, cause: 'metric' };
  if (isActive) {
    const reason = ready === 0 ? 'a call waits' : 'calls are in flight';
    return { wanted, reason, cause: 'call' };
  }
  const reason =
    spec.idleAfterMs === 0
      ? 'idleAfter is 0: never sleeps'
      : `the last call was less than ${seconds(spec.idleAfterMs)} ago`;
  return { wanted, reason, cause: 'idle' };
}

interface Kept extends Asked {
  readonly recommendations: Recommendations;
}

/** What stabilisation and rates leave of it; floors and the first Instance are beyond both. */
function byRules(
  { spec, history, current, now }: ScaleSituation,
  { asked, floor }: { readonly asked: Asked; readonly floor: Floor | undefined },
): Kept {
  const { growth, shrinking } = spec;
  const recommendations = recommend(
    history.recommendations,
    { atMs: now, count: asked.wanted },
    { growMs: growth.stabilizationMs, shrinkMs: shrinking.stabilizationMs },
  );
  const steady = current === 0 ? asked.wanted : stabilize(current, recommendations);
  const { changes } = history;
  const most = growthLimit({ rules: growth, current, changes, now });
  const fewest = shrinkLimit({ rules: shrinking, current, changes, now });
  const limited = Math.min(Math.max(steady, fewest), most);
  const least = Math.min(Math.max(1, floor?.min ?? 0), Math.max(1, spec.max));
  const wanted = Math.min(Math.max(limited, least), Math.max(1, spec.max));
  if (wanted === asked.wanted) return { ...asked, recommendations };
  const why =
    limited !== steady
      ? `as fast as ${steady > current ? 'scaleUp' : 'scaleDown'} allows`
      : 'steady for its stabilization window';
  return { wanted, reason: `${asked.reason}, ${why}`, cause: 'rules', recommendations };
}

function remember(
  { spec, history, current, now }: ScaleSituation,
  { wanted, recommendations }: Kept,
): ScaleHistory {
  const change = wanted === current ? [] : [{ atMs: now, by: wanted - current }];
  const rules = [spec.growth, spec.shrinking];
  const changes = recentChanges([...history.changes, ...change], rules, now);
  return { recommendations, changes };
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}
