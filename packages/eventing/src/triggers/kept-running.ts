/**
 * A part of a Trigger that runs for as long as it is wanted: what fails is started again, later and
 * later, and says meanwhile what is wrong.
 */
import { backoffDelayMs, type Clock, hasCode, type Random, sleep } from '@fnlet/base';
import { triggerLimits } from './limits.ts';

export interface KeptRunningOptions {
  /** Works until `signal` aborts; returns when there is nothing left to do. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Told why it failed, and nothing when it is started again. */
  readonly onTrouble: (error: unknown) => void;
  readonly clock: Clock;
  readonly random: Random;
}

export class KeptRunning {
  readonly #options: KeptRunningOptions;
  readonly #abort = new AbortController();
  readonly #running: Promise<void>;

  constructor(options: KeptRunningOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Ends it; resolves when it has. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { run, onTrouble, clock, random } = this.#options;
    const { signal } = this.#abort;
    const { restartBaseMs: baseMs, restartCapMs: capMs, steadyMs } = triggerLimits;
    for (let failures = 1; !signal.aborted; failures++) {
      const startMs = clock.monotonicMs();
      try {
        await run(signal);
        return;
      } catch (error) {
        if (signal.aborted) return;
        onTrouble(error);
        // Only an edit helps, and that begins anew.
        if (hasCode(error, 'InvalidSource')) return;
        // What is found next did not fail before.
        if (hasCode(error, 'Outdated')) failures = 1;
      }
      if (clock.monotonicMs() - startMs > steadyMs) failures = 1;
      const delayMs = backoffDelayMs(failures, { baseMs, capMs, jitter: 0.5 }, random);
      if (await sleep(clock, delayMs, signal)) onTrouble(undefined);
    }
  }
}
