import type { Clock, Logger, Random, Timer } from '@fnlet/base';
import { formatObjectKey, type ObjectKey, parseObjectKey } from '@fnlet/machinery';
import { strayMs } from './limits.ts';
import { ReconcileError } from './reconcile-error.ts';
import type { Result } from './result.ts';
import type { RunCause } from './run-cause.ts';
import { scopedLogger } from './scoped-logger.ts';
import { RunTrace, type Trace } from './trace/run-trace.ts';
import type { WorkItem } from './work-queue.ts';

/** What a run learns besides its key. */
export interface ReconcileContext extends Trace {
  /**
   * Aborts at the deadline, when the controller stops, and when the key is another replica's. Pass
   * it to everything that waits.
   */
  readonly signal: AbortSignal;
  /** 1 for the first try, 2 for the first retry, … */
  readonly attempt: number;
  /** Whether a failure of this run is not followed by another try. */
  readonly isLastAttempt: boolean;
  /** What asked for the run; `undefined`: somebody who did not say. */
  readonly cause: RunCause | undefined;
  /** Writes to the log with controller, key and trace id. */
  readonly log: Logger;
}

/** Compares what is wanted with what is there and acts on the difference; safe to repeat. */
export type Reconcile = (key: ObjectKey, context: ReconcileContext) => Promise<Result | undefined>;

export interface KeyRunOptions {
  readonly name: string;
  readonly reconcile: Reconcile;
  readonly deadlineMs: number;
  readonly attempts: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

const retry: RunCause = { kind: 'retry' };

/** One run of a key, from its start to its end or until it is given up. */
export class KeyRun {
  readonly key: ObjectKey;
  readonly context: ReconcileContext;
  /** Resolves when the run goes on long after it was told to end: it ignores its signal. */
  readonly strayed: Promise<true>;
  readonly #options: KeyRunOptions;
  readonly #trace: RunTrace;
  readonly #abort = new AbortController();
  readonly #stray: () => void;
  #strayTimer: Timer | undefined;

  constructor(item: WorkItem, options: KeyRunOptions) {
    const { name, attempts, clock, random, logger } = options;
    this.key = parseObjectKey(item.key);
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<true>();
    this.strayed = promise;
    this.#stray = () => resolve(true);
    const attempt = item.failures + 1;
    const trace = new RunTrace(random.uuid().replaceAll('-', ''), clock);
    const { traceId, traceparent } = trace;
    this.#trace = trace;
    this.context = {
      signal: this.#abort.signal,
      attempt,
      isLastAttempt: attempt >= attempts && (item.isRetry || attempt === 1),
      cause: item.isRetry ? retry : item.cause,
      traceId,
      traceparent,
      phase: (phase, act) => trace.phase(phase, act),
      log: scopedLogger(logger, { controller: name, key: item.key, attempt, traceId }),
    };
  }

  /** Tells the run to end. */
  abort(reason: unknown): void {
    if (this.#abort.signal.aborted) return;
    this.#strayTimer = this.#options.clock.after(strayMs, this.#stray);
    this.#abort.abort(reason);
  }

  /** Says how it ended, and what its time went into. */
  tell(outcome: string): void {
    this.context.log.debug('Reconciled', { outcome, ...this.#trace.summary() });
  }

  /** Calls the reconcile; a throw of any kind rejects, and a deadline that has passed says so. */
  async finish(): Promise<Result | undefined> {
    const { reconcile, clock, deadlineMs } = this.#options;
    let late: ReconcileError | undefined;
    const timer = clock.after(deadlineMs, () => {
      const key = formatObjectKey(this.key);
      const message = `Cannot reconcile "${key}": not done after ${deadlineMs} ms`;
      late = new ReconcileError('DeadlineExceeded', message);
      this.abort(late);
    });
    try {
      return await this.#trace.within(() => reconcile(this.key, this.context));
    } catch (error) {
      throw late ?? error;
    } finally {
      timer.cancel();
      this.#strayTimer?.cancel();
    }
  }
}
