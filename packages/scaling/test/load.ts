import {
  decideScale,
  noScaleHistory,
  type ScaleDecision,
  type ScaleSpec,
} from '../src/decide-scale.ts';
import type { Demand } from '../src/demand.ts';
import type { Floor } from '../src/floor.ts';
import type { ScaleMetric } from '../src/metric.ts';
import type { ScalingRules } from '../src/rate-limits.ts';
import { noReadings, type Readings } from '../src/readings.ts';
import { defaultSpans, emptyWindow, recordDemand, type Window } from '../src/window.ts';

export const start = 1_800_000_000_000;

/** Nothing limits how fast the number changes. */
export const free: ScalingRules = { select: 'Max', policies: [], stabilizationMs: 0 };

export const spec: ScaleSpec = {
  ...{ min: 0, max: 100, idleAfterMs: 60_000, limit: 0, burst: 0, activation: 1 },
  ...{ metrics: [concurrency(10)], spans: defaultSpans, growth: free, shrinking: free },
};

export function concurrency(target: number): ScaleMetric {
  return { kind: 'concurrency', target, tolerance: 0 };
}

/** A Revision under load, second by second, with the decision after each; what is wanted is ready. */
export class Load {
  window: Window = emptyWindow;
  now: number = start;
  ready: number = 0;
  readings: Readings = noReadings;
  floors: readonly Floor[] = [];
  decision: ScaleDecision = {
    ...{ wanted: 0, needed: 0, reason: '', nextCheckMs: undefined, history: noScaleHistory },
    cause: 'idle',
  };
  readonly #spec: ScaleSpec;
  #concurrencyMs = 0;
  #arrivals = 0;
  #lastActiveMs = 0;

  constructor(overrides: Partial<ScaleSpec> = {}) {
    this.#spec = { ...spec, ...overrides };
    this.measure({});
  }

  get wanted(): number {
    return this.decision.wanted;
  }

  get reason(): string {
    return this.decision.reason;
  }

  get nextCheckMs(): number | undefined {
    return this.decision.nextCheckMs;
  }

  /** Lets `inFlight` calls be in flight, and `rps` arrive per second, for so many seconds. */
  run(inFlight: number, seconds: number, rps = 0): number[] {
    return Array.from({ length: seconds }, () => {
      this.now += 1000;
      this.#concurrencyMs += inFlight * 1000;
      this.#arrivals += rps;
      if (inFlight > 0) this.#lastActiveMs = this.now;
      return this.measure({ inFlight });
    });
  }

  measure(seen: Partial<Demand>): number {
    const demand: Demand = {
      inFlight: 0,
      queued: 0,
      arrivals: this.#arrivals,
      concurrencyMs: this.#concurrencyMs,
      busyMs: this.#concurrencyMs,
      served: 0,
      servedMs: 0,
      lastActiveMs: this.#lastActiveMs,
      ...seen,
    };
    const { now, ready, readings, floors } = this;
    const { spans } = this.#spec;
    this.window = recordDemand(this.window, demand, { now, spans });
    this.decision = decideScale({
      ...{ spec: this.#spec, window: this.window, readings, floors, now, ready },
      history: this.decision.history,
      current: this.decision.wanted,
    });
    this.ready = this.wanted;
    return this.wanted;
  }
}
