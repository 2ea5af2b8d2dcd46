import { parseDuration } from '@fnlet/base';
import type { Cache } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import type { BackoffWords, DurationText } from '@fnlet/sdk/operator';
import type { ControllerOptions } from '../controller.ts';
import { operatorDeadlineMs, resyncMs, retryBaseMs, retryCapMs } from '../limits.ts';
import { isPaused } from '../pause.ts';

/** How the runs of a controller are to be, in the words of its author. */
export interface RunTermsText {
  readonly concurrency?: number | undefined;
  readonly deadline?: DurationText | undefined;
  readonly resync?: DurationText | undefined;
  readonly backoff?: BackoffWords | undefined;
}

type RunTerms = Pick<
  ControllerOptions,
  'concurrency' | 'deadlineMs' | 'resyncMs' | 'backoff' | 'attempts' | 'isPaused'
>;

/**
 * How the runs for these objects are to be; what is not said is as everywhere in this room.
 *
 * @throws FnletError `InvalidDuration`
 */
export function runTerms(
  { concurrency, deadline, resync, backoff = {} }: RunTermsText,
  primaries: Cache<KubeObject>,
): RunTerms {
  return {
    concurrency,
    deadlineMs: toMs(deadline, operatorDeadlineMs),
    resyncMs: toMs(resync, resyncMs),
    backoff: { baseMs: toMs(backoff.base, retryBaseMs), capMs: toMs(backoff.cap, retryCapMs) },
    attempts: backoff.attempts,
    isPaused(key) {
      const primary = primaries.get(key);
      return primary !== undefined && isPaused(primary);
    },
  };
}

function toMs(duration: DurationText | undefined, defaultMs: number): number {
  return duration === undefined ? defaultMs : parseDuration(duration);
}
