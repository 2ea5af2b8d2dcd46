import { concurrencyOf, rateOf } from './load.ts';
import type { Readings } from './readings.ts';
import { peakOf, type Spans, type Window } from './window.ts';

/** What a Function scales by. */
export type ScaleMetric =
  /** Calls in flight, or calls per second, that one Instance should have. */
  | { readonly kind: 'concurrency' | 'rps'; readonly target: number; readonly tolerance: number }
  /** Use by one Instance, in percent of what it may count on. */
  | { readonly kind: 'cpu' | 'memory'; readonly target: number; readonly tolerance: number }
  /** A number from elsewhere, of which one Instance takes care of `target`. */
  | {
      readonly kind: 'external';
      /** Finds its reading, and is shown to people. */
      readonly name: string;
      readonly target: number;
      readonly tolerance: number;
    };

/** What one metric asks for. */
export interface Need {
  /** Instances; `undefined` when nothing is known, which is no reason to shrink. */
  readonly instances: number | undefined;
  /** What was measured, for a person. */
  readonly text: string;
}

export interface Measured {
  readonly window: Window;
  readonly spans: Spans;
  readonly readings: Readings;
  /** Hard limit of calls in flight per Instance; 0 for none. */
  readonly limit: number;
  /** Calls for which there is to be room beyond the load. */
  readonly burst: number;
  /** Instances that were wanted so far. */
  readonly current: number;
  /** Instances that are ready. */
  readonly ready: number;
  readonly now: number;
}

/** How many Instances a metric asks for. */
export function measureNeed(metric: ScaleMetric, measured: Measured): Need {
  switch (metric.kind) {
    case 'concurrency':
      return needOfConcurrency(metric, measured);
    case 'rps':
      return needOfLoad(metric, peakOf(measured.window, rateOf, measured), measured);
    case 'cpu':
    case 'memory':
      return needOfUse(metric, measured);
    case 'external': {
      const value = measured.readings.external.get(metric.name);
      if (value === undefined) return { instances: undefined, text: `${metric.name} is unknown` };
      return needOfLoad(metric, value, measured);
    }
  }
}

/**
 * Knative's capacity of a revision: what one Instance should have is the target, what it can have
 * is its hard limit. Room for a burst is counted by the latter (excess burst capacity,
 * knative/serving `pkg/autoscaler/scaling`: ready times capacity, less burst, less load).
 */
function needOfConcurrency(metric: ScaleMetric, measured: Measured): Need {
  const { limit, burst, window } = measured;
  const target = limit > 0 ? Math.min(metric.target, limit) : metric.target;
  const load = peakOf(window, concurrencyOf, measured);
  const need = needOfLoad({ ...metric, target }, load, measured);
  const capacity = Math.max(limit > 0 ? limit : target, 1);
  const withRoom = burst > 0 ? Math.ceil((load + burst) / capacity) : 0;
  if (withRoom <= (need.instances ?? 0)) return need;
  return { instances: withRoom, text: `${need.text} and a burst of ${burst}` };
}

function needOfLoad(metric: ScaleMetric, load: number, { current }: Measured): Need {
  const { target, tolerance } = metric;
  const text = `${nameOf(metric)} ${formatLoad(metric, load)} for a target of ${target}`;
  const wanted = load / Math.max(target, Number.MIN_VALUE);
  const isClose = current > 0 && isWithin(wanted / current, tolerance);
  return { instances: isClose ? current : Math.ceil(wanted), text };
}

/**
 * The formula of the HorizontalPodAutoscaler: ready Instances times use by target, and no change
 * within the tolerance. As long as Instances start, what the others use says nothing about fewer.
 */
function needOfUse(metric: ScaleMetric, { readings, current, ready }: Measured): Need {
  const { kind, target, tolerance } = metric;
  const used = kind === 'memory' ? readings.memory : readings.cpu;
  if (used === undefined || ready === 0) {
    return { instances: undefined, text: `${nameOf(metric)} is unknown` };
  }
  const text = `${nameOf(metric)} ${Math.round(used)} % for a target of ${target} %`;
  const ratio = used / target;
  const wanted = isWithin(ratio, tolerance) ? ready : Math.ceil(ratio * ready);
  return { instances: ready < current ? Math.max(wanted, current) : wanted, text };
}

/** Whether a ratio is so near to 1 that nothing changes. */
function isWithin(ratio: number, tolerance: number): boolean {
  return tolerance > 0 && Math.abs(ratio - 1) <= tolerance;
}

function nameOf(metric: ScaleMetric): string {
  return metric.kind === 'external' ? metric.name : metric.kind;
}

function formatLoad({ kind }: ScaleMetric, load: number): string {
  return kind === 'external' ? String(Math.round(load * 100) / 100) : load.toFixed(1);
}
