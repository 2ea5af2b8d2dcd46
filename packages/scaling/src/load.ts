import type { PanicWindow } from './window.ts';

/** Calls that arrived, per second. */
export function rateOf({ arrivals, seconds }: PanicWindow): number {
  return arrivals / seconds;
}

/**
 * How many calls at once would keep up with what came: those that were in flight, and as many more
 * as it takes to work off within a second what waits.
 *
 * What waits is not what has to be in flight. A hundred calls of 20 ms that find one Instance are
 * two seconds of work, however many of them stand in line meanwhile, and a line that built up while
 * Instances started is gone soon after. So what waits counts as the work that it is: calls per
 * second by the time that one takes (Little's law). It never counts for more than it was measured
 * to be, and calls in flight always count in full.
 *
 * The time that a call takes is the greater of two, so that neither those that end soon nor those
 * that began long ago hide the others: how long those that ended were in flight, and how long all
 * were for each that ended. Where none ended, each takes at least as long as it was watched, and so
 * what waited counts in full.
 */
export function concurrencyOf(panic: PanicWindow): number {
  const { concurrencyMs, busyMs, served, servedMs, seconds, duePerSecond } = panic;
  const windowMs = seconds * 1000;
  if (served <= 0) return concurrencyMs / windowMs;
  const callSeconds = Math.max(servedMs, busyMs) / served / 1000;
  const busy = busyMs / windowMs;
  return Math.min(concurrencyMs / windowMs, Math.max(busy, callSeconds * duePerSecond));
}
