import type { ResolvedCanary } from '@fnlet/api';
import { latencyQuantileMs, type Observation, withinLatency } from '@fnlet/gateway';
import { limits } from '../limits.ts';

/** What becomes of a canary at the end of a look at it. */
export type CanaryDecision =
  | { readonly kind: 'hold'; readonly checkInMs: number }
  /** The step with this index comes next. */
  | { readonly kind: 'advance'; readonly step: number }
  | { readonly kind: 'promote' }
  | { readonly kind: 'rollBack'; readonly message: string };

/**
 * Judges a canary by what became of its calls since its step began. Each bound says how many of a
 * hundred calls must be good. At the end of the interval the calls decide that were observed; a
 * canary that is beyond doubt worse than a bound is rolled back before. Fewer calls than
 * `minimumCalls` say nothing: then the step lasts longer.
 *
 * @param step index of the step that it is at
 * @param sinceMs since when it has its share of this step
 * @param observation of the calls since then
 */
export function decideCanary(options: {
  readonly spec: ResolvedCanary;
  readonly step: number;
  readonly sinceMs: number;
  readonly observation: Observation;
  readonly now: number;
}): CanaryDecision {
  const { spec, step, sinceMs, observation, now } = options;
  const { steps, intervalMs, minimumCalls } = spec;
  const leftMs = sinceMs + intervalMs - now;
  if (observation.calls < minimumCalls) {
    return { kind: 'hold', checkInMs: limits.canaryCheckMs };
  }
  for (const bound of boundsOf(spec, observation)) {
    const worst = leftMs > 0 ? highestRate(bound.good, observation.calls) : undefined;
    const rate = worst ?? share(bound.good, observation.calls);
    if (rate < bound.required) return { kind: 'rollBack', message: bound.describe() };
  }
  if (leftMs > 0) return { kind: 'hold', checkInMs: Math.min(leftMs, limits.canaryCheckMs) };
  const next = step + 1;
  return next < steps.length ? { kind: 'advance', step: next } : { kind: 'promote' };
}

interface Bound {
  /** How many calls were as good as it asks for. */
  readonly good: number;
  /** From 0 to 1: the part of them that has to be. */
  readonly required: number;
  readonly describe: () => string;
}

function* boundsOf(spec: ResolvedCanary, observation: Observation): Generator<Bound> {
  const { calls, failures } = observation;
  const { successRate, latencies } = spec;
  const good = Math.max(0, calls - failures);
  const describe = (): string =>
    `${percent(share(good, calls))} of ${calls} calls succeeded, expected ${percent(successRate)}`;
  yield { good, required: successRate, describe };
  for (const { name, part, boundMs } of latencies) {
    yield {
      good: withinLatency(observation, boundMs),
      required: part,
      describe: () => {
        const foundMs = latencyQuantileMs(observation, part) ?? 0;
        return `${name} of ${calls} calls was ${round(foundMs)} ms, expected at most ${boundMs} ms`;
      },
    };
  }
}

function share(good: number, calls: number): number {
  return calls === 0 ? 1 : good / calls;
}

/**
 * The highest rate of good calls that can be meant by what was observed: the upper end of Wilson's
 * score interval, three standard deviations wide (wrong once in 700 canaries that are just as good
 * as the bound).
 */
function highestRate(good: number, calls: number): number {
  if (calls === 0) return 1;
  const z = 3;
  const rate = good / calls;
  const spread = Math.sqrt((rate * (1 - rate)) / calls + z ** 2 / (4 * calls ** 2));
  return (rate + z ** 2 / (2 * calls) + z * spread) / (1 + z ** 2 / calls);
}

function percent(rate: number): string {
  return `${round(rate * 100)} %`;
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10);
}
