import { type Clock, sleep } from '@fnlet/base';
import type { ProbeOutcome } from '@fnlet/executor';
import type { Probe, ProbeKind } from './container.ts';
import { limits } from './limits.ts';
import { initialProbeState, nextProbeState, type ProbeState } from './probe-state.ts';

export interface ProbeLoopOptions {
  readonly kind: ProbeKind;
  readonly probe: Probe;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  ask(): Promise<ProbeOutcome>;
  /** After every result that counts. */
  onResult(state: ProbeState, outcome: ProbeOutcome): void;
}

/**
 * Asks again and again until `signal` aborts; a startup probe ends with its first good state.
 *
 * Before the first success a container that starts is asked more often than its period says, and
 * only what counts is told: a success, or one failure per period. So a server that listens after
 * 80 ms need not wait for the rest of ten seconds.
 */
export async function runProbe(options: ProbeLoopOptions): Promise<void> {
  const { kind, probe, clock, signal } = options;
  const { initialDelaySeconds = 0, periodSeconds = 10 } = probe;
  let state = initialProbeState(kind);
  if (!(await sleep(clock, initialDelaySeconds * 1000, signal))) return;
  while (!signal.aborted) {
    const startedMs = clock.monotonicMs();
    const outcome = state.isWell ? await options.ask() : await askEagerly(options, startedMs);
    if (signal.aborted) return;
    state = nextProbeState(state, outcome.ok, probe);
    options.onResult(state, outcome);
    if (kind === 'startup' && state.isWell) return;
    const elapsedMs = clock.monotonicMs() - startedMs;
    const restMs = outcome.ok ? periodSeconds * 1000 : periodSeconds * 1000 - elapsedMs;
    await sleep(clock, Math.max(0, restMs), signal);
  }
}

/** The first success within one period, or the failure that the period ends with. */
async function askEagerly(options: ProbeLoopOptions, startedMs: number): Promise<ProbeOutcome> {
  const { probe, clock, signal } = options;
  const endMs = startedMs + (probe.periodSeconds ?? 10) * 1000;
  let delayMs: number = limits.eagerProbeBaseMs;
  while (true) {
    const outcome = await options.ask();
    if (outcome.ok || signal.aborted || clock.monotonicMs() + delayMs >= endMs) return outcome;
    await sleep(clock, delayMs, signal);
    delayMs *= 2;
  }
}
