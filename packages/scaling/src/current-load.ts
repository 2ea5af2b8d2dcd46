import type { Demand } from './demand.ts';
import { defaultSpans, type Spans, sumRecent, type Window } from './window.ts';

/** What was measured of the calls of one Revision within the last seconds. */
export interface RecentCalls {
  /** How long the window is; a load that is steady is seen in full after that. */
  readonly seconds: number;
  /** As in {@link Demand}, within the window. */
  readonly concurrencyMs: number;
  readonly busyMs: number;
  readonly arrivals: number;
  /** Calls that wait now. */
  readonly queued: number;
}

/** What the calls of a Function are now, for people and programs that decide by it. */
export interface CurrentLoad {
  readonly windowSeconds: number;
  /** Calls in flight, and those that wait for one of its Instances: the average of the window. */
  readonly concurrency: number;
  /** Calls that arrived, per second. */
  readonly requestsPerSecond: number;
  /** Calls that wait now, also those that wait for the first Instance. */
  readonly queued: number;
  /** How long a call waited for its turn, on average; until there is an Instance nothing counts. */
  readonly queueSeconds: number;
}

/** What a window, and the last measurement, say about the calls of one Revision now. */
export function measureRecent(
  window: Window,
  { queued }: Pick<Demand, 'queued'>,
  { now, spans = defaultSpans }: { readonly now: number; readonly spans?: Spans },
): RecentCalls {
  const { concurrencyMs, busyMs, arrivals } = sumRecent(window, { now, spans });
  return { seconds: spans.panicSeconds, concurrencyMs, busyMs, arrivals, queued };
}

/** The calls of several Revisions as those of one Function. */
export function describeLoad(
  parts: readonly RecentCalls[],
  { panicSeconds }: Pick<Spans, 'panicSeconds'> = defaultSpans,
): CurrentLoad {
  const load = { concurrency: 0, requestsPerSecond: 0, queued: 0 };
  let waitedMs = 0;
  let calls = 0;
  for (const { seconds, concurrencyMs, busyMs, arrivals, queued } of parts) {
    load.concurrency += concurrencyMs / (seconds * 1000);
    load.requestsPerSecond += arrivals / seconds;
    load.queued += queued;
    waitedMs += Math.max(0, concurrencyMs - busyMs);
    // Where none arrived, it is those that stand there who waited.
    calls += Math.max(arrivals, queued);
  }
  const queueSeconds = waitedMs === 0 ? 0 : waitedMs / Math.max(1, calls) / 1000;
  return { windowSeconds: panicSeconds, ...load, queueSeconds };
}
