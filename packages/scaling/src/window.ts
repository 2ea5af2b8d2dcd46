import type { Demand } from './demand.ts';

/** What was measured within one second of wall-clock time. */
export interface Bucket {
  /** Start of the second, in seconds since the epoch. */
  readonly second: number;
  /** Concurrency summed over that second, in calls times milliseconds. */
  readonly concurrencyMs: number;
  /** Calls that arrived in that second. */
  readonly arrivals: number;
}

/**
 * The demand of one Revision over the last minute or so: a value, recording gives a new one. It
 * never holds more buckets than {@link bucketsKept} of its spans.
 */
export interface Window {
  /** Oldest first; seconds without any demand are missing. */
  readonly buckets: readonly Bucket[];
  /** The last demand recorded and when, in milliseconds since the epoch. */
  readonly latest: { readonly demand: Demand; readonly atMs: number } | undefined;
}

/** How far a window looks back. */
export interface Spans {
  /** The stable window: nothing shrinks on less evidence (Knative: 60 s). */
  readonly stableSeconds: number;
  /** The panic window: how long it takes a steady load to be seen in full (Knative: 6 s). */
  readonly panicSeconds: number;
}

export const defaultSpans: Spans = { stableSeconds: 60, panicSeconds: 6 };

/** What a window measures, per second: calls in flight, or calls that arrived. */
export type Measure = 'concurrency' | 'rps';

/** The panic window that ended longest ago within the stable one reaches this far back. */
export function bucketsKept({ stableSeconds, panicSeconds }: Spans): number {
  return stableSeconds + panicSeconds;
}

/** Nothing was measured yet. */
export const emptyWindow: Window = { buckets: [], latest: undefined };

/**
 * The window after `demand` was measured at `now` (milliseconds since the epoch). The first
 * measurement is only what the next ones are compared with.
 */
export function recordDemand(
  window: Window,
  demand: Demand,
  { now, spans = defaultSpans }: { readonly now: number; readonly spans?: Spans },
): Window {
  const latest = { demand, atMs: now };
  if (window.latest === undefined) return { buckets: window.buckets, latest };
  const before = window.latest.demand;
  const more = {
    concurrencyMs: increase(before.concurrencyMs, demand.concurrencyMs),
    arrivals: increase(before.arrivals, demand.arrivals),
  };
  const kept = bucketsKept(spans);
  const fresh = spread(more, { fromMs: window.latest.atMs, toMs: now, kept });
  return { buckets: merge(window.buckets, fresh, { nowSecond: secondOf(now), kept }), latest };
}

// A counter that went back was started anew.
function increase(before: number, after: number): number {
  return after >= before ? after - before : after;
}

/** Spreads what was measured between two moments evenly over the seconds between them. */
function spread(
  { concurrencyMs, arrivals }: Omit<Bucket, 'second'>,
  { fromMs, toMs, kept }: { readonly fromMs: number; readonly toMs: number; readonly kept: number },
): Bucket[] {
  if (concurrencyMs === 0 && arrivals === 0) return [];
  const last = secondOf(toMs);
  // A wall clock that was set back leaves one moment: now.
  if (toMs <= fromMs) return [{ second: last, concurrencyMs, arrivals }];
  const buckets: Bucket[] = [];
  for (let second = Math.max(secondOf(fromMs), last - kept + 1); second <= last; second++) {
    const startMs = Math.max(second * 1000, fromMs);
    const endMs = Math.min((second + 1) * 1000, toMs);
    const share = (endMs - startMs) / (toMs - fromMs);
    if (share <= 0) continue;
    buckets.push({ second, concurrencyMs: concurrencyMs * share, arrivals: arrivals * share });
  }
  return buckets;
}

function merge(
  old: readonly Bucket[],
  fresh: readonly Bucket[],
  { nowSecond, kept }: { readonly nowSecond: number; readonly kept: number },
): Bucket[] {
  const sums = new Map<number, Bucket>();
  for (const bucket of [...old, ...fresh]) {
    const { second, concurrencyMs, arrivals } = bucket;
    if (second <= nowSecond - kept || second > nowSecond) continue;
    const sum = sums.get(second);
    sums.set(
      second,
      sum === undefined
        ? bucket
        : {
            second,
            concurrencyMs: sum.concurrencyMs + concurrencyMs,
            arrivals: sum.arrivals + arrivals,
          },
    );
  }
  return [...sums.values()].sort((a, b) => a.second - b.second);
}

/** The highest average over a panic window that ended within the stable window. */
export function peakOf(
  { buckets }: Window,
  measure: Measure,
  { now, spans = defaultSpans }: { readonly now: number; readonly spans?: Spans },
): number {
  const { stableSeconds, panicSeconds } = spans;
  const nowSecond = secondOf(now);
  let peak = 0;
  let sum = 0;
  let oldest = 0;
  for (const bucket of buckets) {
    const { second } = bucket;
    sum += amountOf(bucket, measure);
    for (let first = buckets[oldest]; first !== undefined; first = buckets[oldest]) {
      if (first.second > second - panicSeconds) break;
      sum -= amountOf(first, measure);
      oldest++;
    }
    if (second > nowSecond - stableSeconds) peak = Math.max(peak, sum);
  }
  // A sum of differences may be a hair above what it stands for, and ceil() would make that one.
  return Math.round((peak / panicSeconds) * 1e6) / 1e6;
}

function amountOf({ concurrencyMs, arrivals }: Bucket, measure: Measure): number {
  return measure === 'rps' ? arrivals : concurrencyMs / 1000;
}

function secondOf(ms: number): number {
  return Math.floor(ms / 1000);
}
