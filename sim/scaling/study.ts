/**
 * Eight hours of a day, second by second, under several kinds of load, with the scaler as it is:
 * reactive, with prediction, and not at all. The same seed gives the same days.
 */

import { defaultScale, type FunctionScale, resolveScale } from '@fnlet/api';
import { seededRandom } from '@fnlet/base';
import {
  type DemandHistory,
  decideScale,
  emptyHistory,
  emptyWindow,
  type Floor,
  learn,
  noReadings,
  noScaleHistory,
  predict,
  recordDemand,
  type ScaleDecision,
  type Window,
} from '@fnlet/scaling';
import { drawArrivals, drawNormal, type LoadShape, loadShapes } from './load-shape.ts';
import { Service, type ServiceModel } from './service-model.ts';

export const manners = ['reactive', 'predicted', 'fixed'] as const;

/** How the number of Instances is found. */
export type Manner = (typeof manners)[number];

/** What became of a day. */
export interface Day {
  readonly shape: LoadShape;
  readonly manner: Manner;
  readonly requests: number;
  /** Rounded, and seconds below are whole ones: see {@link liveDay}. */
  readonly late: number;
  readonly instanceSeconds: number;
  /** Instances in each minute, at most. */
  readonly instances: readonly number[];
  /** Instances that the load of each minute needed. */
  readonly needs: readonly number[];
}

export interface StudyOptions {
  readonly seed: number;
  readonly hours: number;
}

/** An Instance with something to load before it can work: without that, waking is no matter. */
export const model: ServiceModel = {
  ...{ startSeconds: 8, callSeconds: 0.1, limit: 4, boundSeconds: 0.5 },
};

const scale: FunctionScale = {
  ...defaultScale,
  ...{ max: 40, limit: model.limit, target: 3, prediction: { ahead: '5m' } },
};
const spec = resolveScale(scale);

const daySeconds = 86_400;
const firstHour = 6;
/** A Monday, 06:00 UTC, after three weeks of which everything is known. */
const startSecond = Date.UTC(2026, 0, 26, firstHour) / 1000;

/** All days of a study. */
export function runStudy({ seed, hours }: StudyOptions): readonly Day[] {
  return loadShapes.flatMap((shape) => {
    const arrivals = drawDay(shape, { seed, hours });
    return manners.map((manner) => liveDay(shape, manner, { arrivals, seed }));
  });
}

/** What arrives in each second: minutes differ by a tenth, and seconds as chance has it. */
function drawDay(shape: LoadShape, { seed, hours }: StudyOptions): readonly number[] {
  const random = seededRandom(seed);
  let mood = 1;
  return Array.from({ length: hours * 3600 }, (_, second) => {
    if (second % 60 === 0) mood = Math.max(0, 1 + 0.1 * drawNormal(random));
    return drawArrivals(random, shape.rate(firstHour + second / 3600) * mood);
  });
}

function liveDay(
  shape: LoadShape,
  manner: Manner,
  { arrivals, seed }: { readonly arrivals: readonly number[]; readonly seed: number },
): Day {
  const service = new Service(model);
  const scaler = manner === 'fixed' ? fixedScaler(shape) : new DayScaler(manner, shape, seed);
  // What is there at six was not started at six.
  service.scale(scaler.want(service, startSecond), startSecond - model.startSeconds);
  const instances: number[] = [];
  const needs: number[] = [];
  for (const [index, count] of arrivals.entries()) {
    const second = startSecond + index;
    service.scale(scaler.want(service, second), second);
    service.pass(count, second);
    const minute = Math.floor(index / 60);
    instances[minute] = Math.max(instances[minute] ?? 0, service.instances);
    if (index % 60 === 59) needs[minute] = needOf(sum(arrivals.slice(index - 59, index + 1)) / 60);
  }
  // Whole numbers, which V8 keeps in the object itself. Of fractions it keeps boxes that it may write
  // to in place, and about once in 75 studies of eight hours, under Node 24, the code that it had
  // optimised gave the day of one manner the box of another: the same `late` and hours as a later
  // day, beside its own requests and Instances (of the kind of nodejs/node#66112).
  const late = Math.round(service.late);
  const { requests, instanceSeconds } = service;
  return { shape, manner, requests, late, instanceSeconds, instances, needs };
}

/** Instances that a rate keeps as busy as they should be. */
function needOf(rate: number): number {
  return Math.ceil((rate * model.callSeconds) / spec.concurrencyTarget);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

interface DailyScaler {
  want(service: Service, second: number): number;
}

/** As many as the busiest minute of a usual day needs, all day long. */
function fixedScaler(shape: LoadShape): DailyScaler {
  const minutes = Array.from({ length: 1440 }, (_, minute) => shape.usualRate(minute / 60));
  const most = needOf(Math.max(...minutes));
  return { want: () => most };
}

/** Fnlet's own decisions. */
class DayScaler implements DailyScaler {
  #window: Window = emptyWindow;
  #decision: ScaleDecision = {
    ...{ wanted: 0, needed: 0, reason: '', nextCheckMs: undefined, history: noScaleHistory },
    cause: 'idle',
  };
  #history: DemandHistory;
  #floors: readonly Floor[] = [];
  #lookAtMs = 0;
  readonly #isPredicting: boolean;

  constructor(manner: Manner, shape: LoadShape, seed: number) {
    this.#isPredicting = manner === 'predicted';
    this.#history = this.#isPredicting ? learnWeeks(shape, seed) : emptyHistory;
  }

  want(service: Service, second: number): number {
    const now = second * 1000;
    const { spans } = spec;
    this.#window = recordDemand(this.#window, service.demand(), { now, spans });
    this.#look(now);
    this.#decision = decideScale({
      ...{ spec, window: this.#window, readings: noReadings, floors: this.#floors, now },
      history: this.#decision.history,
      current: this.#decision.wanted,
      ready: service.ready,
    });
    return this.#decision.wanted;
  }

  #look(now: number): void {
    if (!this.#isPredicting) return;
    const before = this.#history.lastSlot;
    this.#history = learn(this.#history, { atMs: now, need: this.#decision.needed });
    if (now < this.#lookAtMs && this.#history.lastSlot === before) return;
    const { floor, untilMs } = predict(this.#history, now, spec.predictedAheadMs ?? 0);
    this.#floors = floor === undefined ? [] : [floor];
    this.#lookAtMs = untilMs ?? Number.POSITIVE_INFINITY;
  }
}

/** What three weeks of usual days have taught: in each minute, what its load needed. */
function learnWeeks(shape: LoadShape, seed: number): DemandHistory {
  const random = seededRandom(seed + 1);
  let history = emptyHistory;
  for (let second = startSecond - 21 * daySeconds; second < startSecond; second += 60) {
    const hour = ((second % daySeconds) / 3600) % 24;
    const mood = Math.max(0, 1 + 0.1 * drawNormal(random));
    const need = needOf(shape.usualRate(hour) * mood);
    history = learn(history, { atMs: second * 1000, need });
  }
  return history;
}
