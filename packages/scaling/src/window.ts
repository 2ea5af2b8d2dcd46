import type { Demand } from './demand.ts';

/** What was measured within one second of wall-clock time. */
export interface Bucket {
  /** Start of the second, in seconds since the epoch. */
  readonly second: number;
  /** Concurrency summed over that second, in calls times milliseconds. */
  readonly concurrencyMs: number;
}

/**
 * The demand of one Revision over the last minute: a value, recording gives a new one. It never
 * holds more than {@link bucketsMax} buckets.
 */
export interface Window {
  /** Oldest first; seconds without any concurrency are missing. */
  readonly buckets: readonly Bucket[];
  /** The last demand recorded and when, in milliseconds since the epoch. */
  readonly latest: { readonly demand: Demand; readonly atMs: number } | undefined;
}

/** The stable window: nothing shrinks on less evidence (Knative: 60 s). */
export const stableSeconds = 60;

/** The panic window: how long it takes a steady load to be seen in full (Knative: 6 s). */
export const panicSeconds = 6;

/** The panic window that ended longest ago within the stable one reaches this far back. */
export const bucketsMax: number = stableSeconds + panicSeconds;

/** Nothing was measured yet. */
export const emptyWindow: Window = { buckets: [], latest: undefined };

/**
 * The window after `demand` was measured at `now` (milliseconds since the epoch). The first
 * measurement is only what the next ones are compared with.
 */
export function recordDemand(window: Window, demand: Demand, now: number): Window {
  const latest = { demand, atMs: now };
  if (window.latest === undefined) return { buckets: window.buckets, latest };
  const before = window.latest.demand.concurrencyMs;
  // A counter that went back was started anew.
  const concurrencyMs =
    demand.concurrencyMs >= before ? demand.concurrencyMs - before : demand.concurrencyMs;
  const fresh = spread(concurrencyMs, window.latest.atMs, now);
  return { buckets: merge(window.buckets, fresh, secondOf(now)), latest };
}

/** Spreads what was measured between two moments evenly over the seconds between them. */
function spread(concurrencyMs: number, fromMs: number, toMs: number): Bucket[] {
  if (concurrencyMs === 0) return [];
  const last = secondOf(toMs);
  // A wall clock that was set back leaves one moment: now.
  if (toMs <= fromMs) return [{ second: last, concurrencyMs }];
  const buckets: Bucket[] = [];
  for (let second = Math.max(secondOf(fromMs), last - bucketsMax + 1); second <= last; second++) {
    const startMs = Math.max(second * 1000, fromMs);
    const endMs = Math.min((second + 1) * 1000, toMs);
    const share = (endMs - startMs) / (toMs - fromMs);
    if (share > 0) buckets.push({ second, concurrencyMs: concurrencyMs * share });
  }
  return buckets;
}

function merge(old: readonly Bucket[], fresh: readonly Bucket[], nowSecond: number): Bucket[] {
  const sums = new Map<number, number>();
  for (const { second, concurrencyMs } of [...old, ...fresh]) {
    if (second <= nowSecond - bucketsMax || second > nowSecond) continue;
    sums.set(second, (sums.get(second) ?? 0) + concurrencyMs);
  }
  return [...sums]
    .map(([second, concurrencyMs]) => ({ second, concurrencyMs }))
    .sort((a, b) => a.second - b.second);
}

/** The highest average concurrency over a panic window that ended within the stable window. */
export function peakConcurrency(window: Window, now: number): number {
  const nowSecond = secondOf(now);
  const { buckets } = window;
  let peak = 0;
  let sum = 0;
  let oldest = 0;
  for (const { second, concurrencyMs } of buckets) {
    sum += concurrencyMs;
    for (; (buckets[oldest]?.second ?? second) <= second - panicSeconds; oldest++) {
      sum -= buckets[oldest]?.concurrencyMs ?? 0;
    }
    if (second > nowSecond - stableSeconds) peak = Math.max(peak, sum);
  }
  // A sum of differences may be a hair above what it stands for, and ceil() would make that one.
  return Math.round((peak / (panicSeconds * 1000)) * 1e6) / 1e6;
}

function secondOf(ms: number): number {
  return Math.floor(ms / 1000);
}
