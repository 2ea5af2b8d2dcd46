import type { Demand } from './demand.ts';

/** What grows while calls are there. */
export type Amounts = Readonly<
  Record<'concurrencyMs' | 'arrivals' | 'busyMs' | 'served' | 'servedMs', number>
>;

/** What was measured within one second of wall-clock time; the amounts as in {@link Demand}. */
export interface Bucket extends Amounts {
  /** Start of the second, in seconds since the epoch. */
  readonly second: number;
  /** Calls that were parked when it began. */
  readonly waiting: number;
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
  const more = combine(before, demand, increase);
  const kept = bucketsKept(spans);
  const fresh = spread(more, { fromMs: window.latest.atMs, toMs: now, kept });
  const waiting = before.queued;
  return {
    buckets: merge(window.buckets, fresh, { nowSecond: secondOf(now), kept, waiting }),
    latest,
  };
}

const nothing: Amounts = { concurrencyMs: 0, arrivals: 0, busyMs: 0, served: 0, servedMs: 0 };

// Written out: it runs for every second of every Revision that is awake.
function combine(a: Amounts, b: Amounts, by: (a: number, b: number) => number): Amounts {
  return {
    concurrencyMs: by(a.concurrencyMs, b.concurrencyMs),
    arrivals: by(a.arrivals, b.arrivals),
    busyMs: by(a.busyMs, b.busyMs),
    served: by(a.served, b.served),
    servedMs: by(a.servedMs, b.servedMs),
  };
}

// A counter that went back was started anew.
function increase(before: number, after: number): number {
  return after >= before ? after - before : after;
}

function add(a: number, b: number): number {
  return a + b;
}

interface Share {
  readonly second: number;
  readonly amounts: Amounts;
}

/** Spreads what was measured between two moments evenly over the seconds between them. */
function spread(
  more: Amounts,
  { fromMs, toMs, kept }: { readonly fromMs: number; readonly toMs: number; readonly kept: number },
): Share[] {
  if (more.concurrencyMs === 0 && more.arrivals === 0 && more.served === 0) return [];
  const last = secondOf(toMs);
  // A wall clock that was set back leaves one moment: now.
  if (toMs <= fromMs) return [{ second: last, amounts: more }];
  const shares: Share[] = [];
  for (let second = Math.max(secondOf(fromMs), last - kept + 1); second <= last; second++) {
    const startMs = Math.max(second * 1000, fromMs);
    const endMs = Math.min((second + 1) * 1000, toMs);
    const part = (endMs - startMs) / (toMs - fromMs);
    if (part > 0) shares.push({ second, amounts: combine(more, more, (amount) => amount * part) });
  }
  return shares;
}

function merge(
  old: readonly Bucket[],
  fresh: readonly Share[],
  now: { readonly nowSecond: number; readonly kept: number; readonly waiting: number },
): Bucket[] {
  const { nowSecond, kept, waiting } = now;
  const sums = new Map<number, Bucket>();
  for (const bucket of old) {
    const { second } = bucket;
    if (second > nowSecond - kept && second <= nowSecond) sums.set(second, bucket);
  }
  for (const { second, amounts } of fresh) {
    const sum = sums.get(second);
    // Where a second was measured before, it is known how many waited when it began.
    sums.set(
      second,
      sum === undefined
        ? { second, waiting, ...amounts }
        : { second, waiting: sum.waiting, ...combine(sum, amounts, add) },
    );
  }
  return [...sums.values()].sort((a, b) => a.second - b.second);
}

/** What came together in a panic window. */
export interface PanicWindow extends Amounts {
  readonly seconds: number;
  /**
   * The highest rate, over any of its last seconds together, at which calls arrived: per second,
   * with those that were parked when these seconds began.
   */
  readonly duePerSecond: number;
}

/** The highest of what `loadOf` finds in the panic windows that ended within the stable window. */
export function peakOf(
  { buckets }: Window,
  loadOf: (panic: PanicWindow) => number,
  { now, spans = defaultSpans }: { readonly now: number; readonly spans?: Spans },
): number {
  const fromSecond = secondOf(now) - spans.stableSeconds + 1;
  let peak = 0;
  for (const [index, { second }] of buckets.entries()) {
    if (second < fromSecond) continue;
    peak = Math.max(peak, loadOf(sumUp(buckets, index, spans.panicSeconds)));
  }
  // What was measured is no more exact than that, and ceil() would make an Instance of a hair.
  return Math.round(peak * 1e6) / 1e6;
}

/** What came together within the panic window that ends now. */
export function sumRecent(
  { buckets }: Window,
  { now, spans = defaultSpans }: { readonly now: number; readonly spans?: Spans },
): Amounts {
  const fromMs = now - spans.panicSeconds * 1000;
  let sum = nothing;
  for (const bucket of buckets) {
    const startMs = bucket.second * 1000;
    if (startMs > now) continue;
    // Of the second in which the window begins, the part that lies in it.
    const part = Math.min(1, (startMs + 1000 - fromMs) / 1000);
    if (part > 0) sum = combine(sum, bucket, (a, b) => a + b * part);
  }
  return sum;
}

/** The panic window that ends with this bucket. */
function sumUp(buckets: readonly Bucket[], last: number, seconds: number): PanicWindow {
  const sum = { ...nothing, seconds, duePerSecond: 0 };
  const endSecond = (buckets[last]?.second ?? 0) + 1;
  for (let i = last; i >= 0; i--) {
    const bucket = buckets[i];
    if (bucket === undefined || bucket.second < endSecond - seconds) break;
    sum.concurrencyMs += bucket.concurrencyMs;
    sum.arrivals += bucket.arrivals;
    sum.busyMs += bucket.busyMs;
    sum.served += bucket.served;
    sum.servedMs += bucket.servedMs;
    const due = (sum.arrivals + bucket.waiting) / (endSecond - bucket.second);
    sum.duePerSecond = Math.max(sum.duePerSecond, due);
  }
  return sum;
}

function secondOf(ms: number): number {
  return Math.floor(ms / 1000);
}
