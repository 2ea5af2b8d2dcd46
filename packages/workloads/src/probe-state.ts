import type { Probe, ProbeKind } from './container.ts';

/** Results of one kind in a row; the newest one decides which. */
export interface ProbeState {
  readonly successes: number;
  readonly failures: number;
  /** What the container is taken for. */
  readonly isWell: boolean;
}

/**
 * What holds before the first result: not started, alive, not ready (kubelet, prober results).
 */
export function initialProbeState(kind: ProbeKind): ProbeState {
  return { successes: 0, failures: 0, isWell: kind === 'liveness' };
}

/** The state after one more result: a change of mind takes as many in a row as the probe says. */
export function nextProbeState(
  { successes, failures, isWell }: ProbeState,
  ok: boolean,
  { successThreshold = 1, failureThreshold = 3 }: Probe,
): ProbeState {
  if (ok) {
    const count = successes + 1;
    return { successes: count, failures: 0, isWell: isWell || count >= successThreshold };
  }
  const count = failures + 1;
  return { successes: 0, failures: count, isWell: isWell && count < failureThreshold };
}

/** Whether the container has to end: it will not become well again by itself. */
export function mustRestart(
  kind: ProbeKind,
  { failures }: ProbeState,
  { failureThreshold = 3 }: Probe,
): boolean {
  return kind !== 'readiness' && failures >= failureThreshold;
}
