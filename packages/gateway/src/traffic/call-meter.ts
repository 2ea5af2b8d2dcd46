import { latencyStep, latencySteps, type Observation } from './observation.ts';

/** Counts what becomes of the calls of one Revision. */
export class CallMeter {
  #calls = 0;
  #failures = 0;
  readonly #latencies = new Uint32Array(latencySteps);

  /** The answer begins. */
  onAnswer(status: number, latencyMs: number): void {
    this.#calls++;
    if (status >= 500) this.#failures++;
    const step = latencyStep(latencyMs);
    this.#latencies[step] = (this.#latencies[step] ?? 0) + 1;
  }

  /** An answer that began well broke off. */
  onCut(): void {
    this.#failures++;
  }

  observe(): Observation {
    const latencies = this.#latencies.slice();
    return { calls: this.#calls, failures: this.#failures, latencies };
  }
}
