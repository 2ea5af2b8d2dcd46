import { limits } from './limits.ts';

export interface PoolBounds {
  readonly min: number;
  readonly max: number;
  /** How long a take is remembered. Default: some minutes. */
  readonly lookbackMs?: number;
}

export interface PoolSize {
  /** How many warm Runners to hold. */
  readonly size: number;
  /** When the answer may become smaller without any new take; `undefined` when it will not. */
  readonly changesAtMs: number | undefined;
}

/**
 * How many warm Runners a runtime deserves: as many as the largest burst of the last minutes took
 * at once, so that the same burst would find them all.
 *
 * @param takes Times of the latest takes in milliseconds, oldest first.
 */
export function decidePoolSize(
  takes: readonly number[],
  now: number,
  bounds: PoolBounds,
): PoolSize {
  const { lookbackMs = limits.takesLookbackMs } = bounds;
  const recent = takes.filter((take) => take > now - lookbackMs);
  let burst = 0;
  let from = 0;
  for (const [to, take] of recent.entries()) {
    while ((recent[from] ?? take) <= take - limits.burstMs) from++;
    burst = Math.max(burst, to - from + 1);
  }
  const size = Math.min(Math.max(burst, bounds.min), bounds.max);
  const [oldest] = recent;
  const mayShrink = oldest !== undefined && size > bounds.min;
  return { size, changesAtMs: mayShrink ? oldest + lookbackMs : undefined };
}

/** How many warm Runners of a runtime a machine with so much memory may hold at most. */
export function maxPoolSize(memoryBytes: number): number {
  const { warmMemoryShare, warmRunnerBytes, warmRunnersMin, warmRunnersMax } = limits;
  const affordable = Math.floor((memoryBytes * warmMemoryShare) / warmRunnerBytes);
  return Math.min(Math.max(affordable, warmRunnersMin), warmRunnersMax);
}
