import { backoffDelayMs } from '@fnlet/base';
import { limits } from './limits.ts';

/** How often a container ended in a row without having been well in between. */
export interface RestartBackoff {
  readonly failures: number;
  /** Not started again before this. */
  readonly untilMs: number;
}

export const noBackoff: RestartBackoff = { failures: 0, untilMs: 0 };

/**
 * The wait after a run, as a kubelet has it: none after the first end, then 10 s, doubling up to
 * five minutes; a run of ten minutes has paid for what was before it.
 */
export function nextBackoff(
  before: RestartBackoff,
  run: { readonly startedAtMs: number; readonly endedAtMs: number },
): RestartBackoff {
  const wasWell = run.endedAtMs - run.startedAtMs >= limits.restartHealthyMs;
  const failures = wasWell ? 1 : before.failures + 1;
  if (failures === 1) return { failures, untilMs: run.endedAtMs };
  const { restartBaseMs: baseMs, restartCapMs: capMs } = limits;
  return { failures, untilMs: run.endedAtMs + backoffDelayMs(failures - 1, { baseMs, capMs }) };
}

/** "10s", "2m40s": a delay in the words of a kubelet. */
export function formatBackoff(failures: number): string {
  const { restartBaseMs: baseMs, restartCapMs: capMs } = limits;
  const seconds = Math.round(backoffDelayMs(Math.max(1, failures - 1), { baseMs, capMs }) / 1000);
  if (seconds < 60) return `${seconds}s`;
  return `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
