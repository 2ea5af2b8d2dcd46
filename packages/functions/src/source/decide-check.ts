import { backoffDelayMs } from '@fnlet/base';
import { sourceBackoff } from '../limits.ts';

export interface CheckSituation {
  /** How often each Function wants this server to be asked; `undefined`: on demand only. */
  readonly intervalsMs: readonly (number | undefined)[];
  /** Tries in a row that did not tell every Function what it asked. */
  readonly failures: number;
}

/**
 * When a server is asked again, after it was asked just now: the most impatient Function decides,
 * and one that was not answered sooner than that. `undefined`: when somebody demands it.
 */
export function decideCheck({ intervalsMs, failures }: CheckSituation): number | undefined {
  const wishes = intervalsMs.flatMap((intervalMs) => intervalMs ?? []);
  const intervalMs = wishes.length === 0 ? undefined : Math.min(...wishes);
  if (failures === 0) return intervalMs;
  const backoffMs = backoffDelayMs(failures, sourceBackoff);
  // A server that fails is not asked more often than one that works, but for the first tries.
  return intervalMs === undefined || failures < soonTries
    ? backoffMs
    : Math.max(intervalMs, backoffMs);
}

const soonTries = 4;
