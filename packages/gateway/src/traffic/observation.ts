/**
 * What the calls of one Revision came to, in counters that only grow: the difference of two
 * observations is about the time between them.
 */
export interface Observation {
  /** Calls that were answered, by the Revision or on its behalf. */
  readonly calls: number;
  /** Those of them with a status of 500 or more, or with an answer that broke off. */
  readonly failures: number;
  /** How many answers began within the time of each step of {@link latencyQuantileMs}. */
  readonly latencies: ArrayLike<number>;
}

// Steps of a tenth, from 0.1 ms to beyond an hour: what a quantile says is right to 5 %.
const stepRatio = 1.1;
const firstStepMs = 0.1;
const logRatio = Math.log(stepRatio);

/** Steps of a latency; a Function may take an hour at most. */
export const latencySteps: number = Math.ceil(Math.log(3_600_000 / firstStepMs) / logRatio) + 2;

/** The step that a latency falls into. */
export function latencyStep(latencyMs: number): number {
  if (latencyMs <= firstStepMs) return 0;
  const step = Math.ceil(Math.log(latencyMs / firstStepMs) / logRatio);
  return Math.min(step, latencySteps - 1);
}

/** An observation of nothing. */
export const nothingObserved: Observation = {
  calls: 0,
  failures: 0,
  latencies: new Uint32Array(latencySteps),
};

/** What came between `before` and `after`; all of `after` where counting began anew meanwhile. */
export function observationSince(before: Observation, after: Observation): Observation {
  if (after.calls < before.calls) return after;
  const latencies = Uint32Array.from(
    after.latencies,
    (count, step) => count - (before.latencies[step] ?? 0),
  );
  const calls = after.calls - before.calls;
  return { calls, failures: after.failures - before.failures, latencies };
}

/**
 * The latency that a part of the answers did not exceed, such as 0.99 for p99, in milliseconds and
 * to within 5 %; `undefined` when nothing was observed.
 */
export function latencyQuantileMs({ latencies }: Observation, part: number): number | undefined {
  let total = 0;
  for (let step = 0; step < latencies.length; step++) total += latencies[step] ?? 0;
  if (total === 0) return undefined;
  const rank = Math.max(1, Math.ceil(part * total));
  let seen = 0;
  let step = 0;
  while (step < latencies.length) {
    seen += latencies[step] ?? 0;
    if (seen >= rank) break;
    step++;
  }
  return step === 0 ? firstStepMs : firstStepMs * stepRatio ** (step - 0.5);
}

/** How many answers began within so long, to within a step of a tenth. */
export function withinLatency({ latencies }: Observation, boundMs: number): number {
  const last = latencyStep(boundMs);
  let count = 0;
  for (let step = 0; step <= last; step++) count += latencies[step] ?? 0;
  return count;
}
