import type { Clock } from '@fnlet/base';
import { runToEnd, type Steps } from '@fnlet/machinery';
import { turnMs } from '../limits.ts';
import { nextTurn } from './in-turns.ts';

/**
 * Long work on one object, which gives up the thread between its steps. What is small is over
 * before its turn is, and never waits.
 */
export class Turn {
  readonly #clock: Clock;
  #sinceMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#sinceMs = clock.monotonicMs();
  }

  /** Between two steps: whoever waits for the thread gets it when this turn has been long. */
  async pass(): Promise<void> {
    if (this.#clock.monotonicMs() - this.#sinceMs < turnMs) return;
    await nextTurn();
    this.#sinceMs = this.#clock.monotonicMs();
  }
}

/** The outcome of work in steps, with others between them; all at once without a turn. */
export async function takeSteps<Result>(
  steps: Steps<Result>,
  turn: Turn | undefined,
): Promise<Result> {
  if (turn === undefined) return runToEnd(steps);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await turn.pass();
  }
}
