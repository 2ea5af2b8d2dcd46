/**
 * What scaling goes by besides the Gateway's demand, and what became of it: minimums by time, use
 * of CPU and memory, numbers of others, and the last decision for each Function.
 *
 * I1. A Function that asks for nothing of that costs nothing here once its status tells the last
 *     decision.
 */
import {
  type FunctionObject,
  functionConditions,
  functionReasons,
  lagMetricName,
  type ResolvedScale,
  resolveScale,
  type ScalingStatus,
} from '@fnlet/api';
import type { Clock, Logger, MetricFamily, Random } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import type { Executor, RunnableRevision } from '@fnlet/executor';
import {
  type ConditionUpdate,
  findCondition,
  formatObjectKey,
  type ObjectKey,
  objectKey,
  toKubeTime,
} from '@fnlet/machinery';
import { type Controller, createController, type Happening } from '@fnlet/reconcile';
import { type Floor, noReadings, type Readings } from '@fnlet/scaling';
import { type ConfigMap, configMapType } from '../core-kinds.ts';
import { limits } from '../limits.ts';
import type { ScalingNews } from '../scaler.ts';
import { DecisionCounts } from './decision-counts.ts';
import { DemandBook } from './demand-book.ts';
import { Floors } from './floors.ts';
import { ForeignMetrics } from './foreign-metrics.ts';
import type { FetchText } from './query-prometheus.ts';
import { UsageReadings, type UsageReadingsOptions } from './usage-readings.ts';

export interface FunctionScalingOptions {
  readonly client: Client;
  readonly executor: Pick<Executor, 'instances'>;
  readonly readUsage: UsageReadingsOptions['readUsage'];
  readonly fetchText: FetchText;
  /** How many events, and calls that are answered later, wait for a Function; `undefined`: not known. */
  readonly lagOf: (key: ObjectKey) => number | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** The minimums of a Function have changed. Must only take note. */
  readonly onFloors: (key: ObjectKey) => void;
  /** There are new numbers to scale by, one of them above zero or none. Must only take note. */
  readonly onRead: (key: ObjectKey, isWanted: boolean) => void;
  /** Something that a person should know. Must only take note. */
  readonly onHappening: (key: ObjectKey, happening: Happening) => void;
}

export class FunctionScaling {
  /** What it works with; to be run by its owner. */
  readonly controllers: readonly Controller[];
  readonly #options: FunctionScalingOptions;
  readonly #floors: Floors;
  readonly #foreign: ForeignMetrics;
  readonly #usage: UsageReadings;
  readonly #last = new Map<string, ScalingStatus>();
  readonly #decisions = new DecisionCounts();

  constructor(options: FunctionScalingOptions) {
    const { client, executor, readUsage, fetchText, clock, logger } = options;
    const { onFloors, onRead, onHappening } = options;
    this.#options = options;
    this.#usage = new UsageReadings({ readUsage, executor, clock, logger });
    this.#floors = new Floors({
      book: new DemandBook(client.of<ConfigMap>(configMapType)),
      clock,
      schedule: (key) => times.enqueue(key),
      onChange: onFloors,
      onMistake: (key, mistake) =>
        onHappening(key, {
          ...{ type: 'Warning', reason: 'ScheduleInvalid' },
          message: `Cannot scale by the schedule: ${mistake}`,
        }),
    });
    this.#foreign = new ForeignMetrics({
      ...{ fetchText, clock, onRead },
      schedule: (key) => numbers.enqueue(key),
      onTrouble: (key, trouble) => onHappening(key, planMetricHappening(trouble)),
    });
    const times = this.#createController('scaling times', (key, signal) =>
      this.#floors.check(key, signal),
    );
    const numbers = this.#createController('scaling metrics', (key, signal) =>
      this.#foreign.check(key, signal),
    );
    this.controllers = [times, numbers];
  }

  /** Follows what a Function says about its scale from now on. */
  track(owner: FunctionObject): void {
    const scale = resolveScale(owner.spec.scale);
    this.#floors.track(owner, scale);
    this.#foreign.track(objectKey(owner), scale);
  }

  forget(key: ObjectKey): void {
    this.#floors.forget(key);
    this.#foreign.forget(key);
    this.#last.delete(formatObjectKey(key));
    this.#decisions.forget(key);
  }

  /** The minimums that hold for a Function now, beside its own. */
  floorsOf(key: ObjectKey): readonly Floor[] {
    return this.#floors.of(key);
  }

  /** What is known about the metrics of a Revision that are not the Gateway's. */
  readingsOf(revision: RunnableRevision, { metrics }: ResolvedScale): Readings {
    const isOwn = metrics.every(({ kind }) => kind === 'concurrency' || kind === 'rps');
    if (isOwn) return noReadings;
    const key = { namespace: revision.namespace, name: revision.function };
    const isOfUse = metrics.some(({ kind }) => kind === 'cpu' || kind === 'memory');
    const use = isOfUse ? this.#usage.of(revision) : noReadings;
    const lag = this.#options.lagOf(key);
    const foreign = this.#foreign.valuesOf(key);
    const external = lag === undefined ? foreign : new Map([...foreign, [lagMetricName, lag]]);
    return { cpu: use.cpu, memory: use.memory, external };
  }

  /** What demand alone needed just now. */
  onNeed({ namespace, function: name }: RunnableRevision, need: number): void {
    this.#floors.learn({ namespace, name }, need);
  }

  onScaled(news: ScalingNews): void {
    const { revision, from, to, reason } = news;
    this.#decisions.count(news);
    const { namespace, function: name } = revision;
    const time = toKubeTime(this.#options.clock.now());
    this.#last.set(formatObjectKey({ namespace, name }), { from, to, reason, time });
  }

  /** The last decision that changed anything, until the status tells it. */
  lastOf(key: ObjectKey): ScalingStatus | undefined {
    return this.#last.get(formatObjectKey(key));
  }

  /** How often it decided what. */
  decisions(): MetricFamily {
    return this.#decisions.family();
  }

  /** The status tells this decision. */
  forgetLast(key: ObjectKey, told: ScalingStatus | undefined): void {
    const id = formatObjectKey(key);
    if (this.#last.get(id) === told) this.#last.delete(id);
  }

  /** What the status says about numbers of others, where a Function scales by some, or did. */
  conditionsOf(owner: FunctionObject): readonly ConditionUpdate[] {
    const trouble = this.#foreign.troubleOf(objectKey(owner));
    const type = functionConditions.scaling;
    const isKnown = findCondition(owner.status?.conditions, type) !== undefined;
    if (trouble === undefined && !isKnown) return [];
    if (typeof trouble !== 'string') {
      const message = 'Everything that it scales by is known';
      return [{ type, status: 'True', reason: functionReasons.ready, message }];
    }
    const reason = functionReasons.metricUnavailable;
    return [{ type, status: 'False', reason, message: trouble }];
  }

  close(): void {
    this.#usage.close();
  }

  #createController(
    name: string,
    check: (key: ObjectKey, signal: AbortSignal) => ReturnType<Floors['check']>,
  ): Controller {
    const { clock, random, logger } = this.#options;
    return createController({
      ...{ name, sources: [], clock, random, logger },
      reconcile: (key, { signal }) => check(key, signal),
      concurrency: limits.scalingChecksMax,
      deadlineMs: limits.scalingCheckMs,
    });
  }
}

function planMetricHappening(trouble: string | undefined): Happening {
  return trouble === undefined
    ? { type: 'Normal', reason: 'MetricAvailable', message: 'What it scales by is known again' }
    : { type: 'Warning', reason: 'MetricUnavailable', message: trouble };
}
