/** When what happened on the way from zero; all monotonic, in milliseconds. */
export interface WakeTimes {
  /** The call arrived. */
  readonly arrivedMs: number;
  /** An Instance was asked for. */
  readonly askedMs: number;
  /** A Runner began to load the code. */
  readonly startedMs: number;
  /** The Instance took calls. */
  readonly readyMs: number;
  /** Its answer began. */
  readonly answeredMs: number;
}

/** What a cold start consists of, in order. */
export const coldStartPhases = ['queue', 'acquire', 'load', 'first_byte'] as const;

export type ColdStartPhase = (typeof coldStartPhases)[number];

/**
 * How long a call that had to wake its Function spent in each phase, in milliseconds; together that
 * is all that its caller waited. A call that came while the Function was being woken for another
 * one spent nothing in what was over by then.
 */
export function splitColdStart(times: WakeTimes): Readonly<Record<ColdStartPhase, number>> {
  const { arrivedMs, answeredMs } = times;
  let fromMs = arrivedMs;
  const until = (edgeMs: number): number => {
    const toMs = Math.min(Math.max(edgeMs, fromMs), answeredMs);
    const tookMs = toMs - fromMs;
    fromMs = toMs;
    return tookMs;
  };
  return {
    queue: until(times.askedMs),
    acquire: until(times.startedMs),
    load: until(times.readyMs),
    first_byte: until(answeredMs),
  };
}
