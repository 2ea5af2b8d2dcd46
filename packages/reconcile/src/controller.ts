/**
 * Runs `reconcile` for every key that a source names, until the world agrees with it.
 *
 * I1. A key is run by at most one worker at a time; see WorkQueue.
 * I2. No run starts before every source is synced: a reconcile never mistakes "not read yet" for
 *     "not there".
 * I3. Nothing that a reconcile throws ends a worker, and one that ignores its signal does not keep
 *     a worker from other keys; its own key waits for it.
 * I4. `run` returns after the last reconcile did, however it is stopped, unless one ignores its
 *     signal for `strayMs`.
 * I5. A key that is not owned is not run; when it ceases to be, its run is told to end.
 */
import {
  type BackoffOptions,
  type Clock,
  errorMessage,
  FnletError,
  hasCode,
  type Logger,
  type Random,
  systemRandom,
  type Timer,
} from '@fnlet/base';
import { formatObjectKey, type ObjectKey, parseObjectKey } from '@fnlet/machinery';
import type { ControllerObserver, ReconcileOutcome } from './controller-observer.ts';
import type { KeyOwnership } from './key-ownership.ts';
import { KeyRun, type Reconcile } from './key-run.ts';
import {
  deadlineMs as defaultDeadlineMs,
  initialListPriority,
  resyncJitter,
  strayMs,
} from './limits.ts';
import type { QueueStats } from './queue-observer.ts';
import type { Result } from './result.ts';
import type { RetryBucketOptions } from './retry-bucket.ts';
import type { RunCause } from './run-cause.ts';
import type { Source } from './source/source.ts';
import {
  type AddOptions,
  createWorkQueue,
  type PaceOptions,
  type WorkItem,
  type WorkQueue,
} from './work-queue.ts';

export interface ControllerOptions extends PaceOptions {
  /** For logs and metrics. */
  readonly name: string;
  readonly sources: readonly Source[];
  readonly reconcile: Reconcile;
  /** How many keys run at once. Default 1. */
  readonly concurrency?: number | undefined;
  /** How long one run may take before its signal aborts. Default one minute. */
  readonly deadlineMs?: number | undefined;
  /** Delays between failures. Default 5 ms, doubling, at most 1000 s. */
  readonly backoff?: BackoffOptions | undefined;
  /** A bound on the retries of all keys together. Default: none. */
  readonly retryBucket?: RetryBucketOptions | undefined;
  /** After so many failed tries in a row a key runs with its next event only. Default: no end. */
  readonly attempts?: number | undefined;
  /** Every known key is run again after so long, give or take a tenth. Default: never. */
  readonly resyncMs?: number | undefined;
  /** Whether the key is to be left alone until its next event. Default: never. */
  readonly isPaused?: ((key: ObjectKey) => boolean) | undefined;
  /** Which keys are this replica's. Default: all. */
  readonly ownership?: KeyOwnership | undefined;
  readonly observer?: ControllerObserver | undefined;
  readonly clock: Clock;
  /** Default: the machine's. */
  readonly random?: Random | undefined;
  readonly logger: Logger;
}

/** A loop around one reconcile function. */
export interface Controller {
  readonly name: string;
  /**
   * Works until `signal` aborts and the runs in progress, which are told to end, have returned. May
   * be called again after that.
   */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Takes up no more keys and waits until the runs in progress have returned by themselves, or
   * `signal` aborts. To be followed by the end of `run`.
   */
  drain(signal: AbortSignal): Promise<void>;
  /** Asks for a run of every key that is known, behind whatever happens meanwhile. */
  resync(): void;
  /** Asks for a run of this key. */
  enqueue(key: ObjectKey, options?: AddOptions): void;
  stats(): QueueStats;
}

/**
 * @example
 * const controller = createController({
 *   name: 'websites',
 *   sources: [fromCache(sites), fromCache(services, { map: toController(siteType) })],
 *   reconcile: async (key, { signal }) => { … },
 *   clock, logger,
 * });
 * await controller.run(signal);
 */
export function createController(options: ControllerOptions): Controller {
  return new KeyController(options);
}

const resync: RunCause = { kind: 'resync' };
const moved: RunCause = { kind: 'moved' };
const requeue: RunCause = { kind: 'requeue' };

/** Why a run is told to end that nobody minds. */
const notOwned = 'the key is not this replica’s any more';

class KeyController implements Controller {
  readonly name: string;
  readonly #options: ControllerOptions;
  readonly #random: Random;
  readonly #runs = new Map<string, { readonly run: KeyRun; readonly ended: Promise<void> }>();
  #queue: WorkQueue;

  constructor(options: ControllerOptions) {
    this.name = options.name;
    this.#options = options;
    this.#random = options.random ?? systemRandom;
    this.#queue = createWorkQueue(options);
  }

  enqueue(key: ObjectKey, options?: AddOptions): void {
    if (this.#isOwned(key)) this.#queue.add(formatObjectKey(key), options);
  }

  stats(): QueueStats {
    return this.#queue.stats();
  }

  async drain(signal: AbortSignal): Promise<void> {
    await this.#queue.drain(signal);
  }

  async run(signal: AbortSignal): Promise<void> {
    const stops: (() => void)[] = [];
    try {
      if (!(await allSynced(this.#options.sources, signal))) return;
      stops.push(this.#followOwnership(), this.#startResync());
      for (const source of this.#options.sources) stops.push(this.#start(source));
      await this.#runWorkers(signal);
    } finally {
      for (const stop of stops) stop();
      this.#queue.close();
      this.#queue = createWorkQueue(this.#options);
    }
  }

  #start(source: Source): () => void {
    const { clock, logger } = this.#options;
    const enqueue = (key: ObjectKey, add?: AddOptions): void => this.enqueue(key, add);
    return source.start(enqueue, { clock, random: this.#random, logger });
  }

  async #runWorkers(signal: AbortSignal): Promise<void> {
    const { concurrency = 1 } = this.#options;
    const queue = this.#queue;
    const end = (): void => {
      queue.close();
      for (const { run } of this.#runs.values()) run.abort(signal.reason);
    };
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    const workers = Array.from({ length: concurrency }, () => this.#work(queue, signal));
    await Promise.all(workers);
    signal.removeEventListener('abort', end);
  }

  async #work(queue: WorkQueue, signal: AbortSignal): Promise<void> {
    for (let item = await queue.take(); item !== undefined; item = await queue.take()) {
      if (!this.#mayRun(queue, item)) {
        queue.done(item.key);
        continue;
      }
      const run = this.#open(item);
      const ended = this.#process(item, run, { queue, signal });
      this.#runs.set(item.key, { run, ended });
      // I3: one that ignores its signal loses its worker, not its key.
      const isStray = await Promise.race([ended, run.strayed]);
      if (isStray === true) run.context.log.error('A reconcile goes on after it was told to end');
    }
  }

  #mayRun(queue: WorkQueue, item: WorkItem): boolean {
    if (this.#runs.has(item.key)) {
      // It strayed from before this controller was stopped and started again (I1).
      queue.add(item.key, { afterMs: strayMs, priority: item.priority });
      return false;
    }
    const key = parseObjectKey(item.key);
    if (this.#isOwned(key) && this.#options.isPaused?.(key) !== true) return true;
    queue.forget(item.key);
    return false;
  }

  #open(item: WorkItem): KeyRun {
    const { name, reconcile, clock, logger } = this.#options;
    const { deadlineMs = defaultDeadlineMs, attempts = Number.POSITIVE_INFINITY } = this.#options;
    const random = this.#random;
    return new KeyRun(item, { name, reconcile, deadlineMs, attempts, clock, random, logger });
  }

  async #process(
    item: WorkItem,
    run: KeyRun,
    { queue, signal }: { readonly queue: WorkQueue; readonly signal: AbortSignal },
  ): Promise<void> {
    const { clock, observer } = this.#options;
    const startMs = clock.monotonicMs();
    let outcome: ReconcileOutcome | undefined;
    try {
      outcome = settle(queue, item, await run.finish());
    } catch (error) {
      if (run.context.signal.reason === notOwned) queue.forget(item.key);
      else if (!signal.aborted) outcome = settleFailure(queue, { item, run, error });
    } finally {
      this.#runs.delete(item.key);
      queue.done(item.key);
    }
    if (outcome === undefined) return;
    observer?.reconciled(outcome, clock.monotonicMs() - startMs);
    run.tell(outcome);
  }

  #isOwned(key: ObjectKey): boolean {
    return this.#options.ownership?.ownsKey(key) ?? true;
  }

  // I5: what is new to this replica may have waited for long, so all is looked at.
  #followOwnership(): () => void {
    const { ownership } = this.#options;
    if (ownership === undefined) return () => {};
    return ownership.subscribe(async () => {
      const lost = [...this.#runs.values()].filter(({ run }) => !this.#isOwned(run.key));
      for (const { run } of lost) run.abort(notOwned);
      this.#lookAtAll(moved);
      await Promise.all(lost.map(({ ended }) => ended));
    });
  }

  #startResync(): () => void {
    const { resyncMs, clock } = this.#options;
    if (resyncMs === undefined) return () => {};
    let timer: Timer;
    const arm = (): void => {
      const jitter = 1 + resyncJitter * (2 * this.#random.next() - 1);
      timer = clock.after(resyncMs * jitter, () => {
        this.resync();
        arm();
      });
    };
    arm();
    return () => timer.cancel();
  }

  resync(): void {
    this.#lookAtAll(resync);
  }

  #lookAtAll(cause: RunCause): void {
    // Each once: a worker that waits takes a key with its first mention, and would run it again.
    const known = new Map<string, ObjectKey>();
    for (const source of this.#options.sources) {
      for (const key of source.known?.() ?? []) known.set(formatObjectKey(key), key);
    }
    const add = { priority: initialListPriority, cause };
    for (const key of known.values()) this.enqueue(key, add);
  }
}

/** Whether every source was synced before `signal` aborted. */
async function allSynced(sources: readonly Source[], signal: AbortSignal): Promise<boolean> {
  const aborted = Promise.withResolvers<false>();
  const onAbort = (): void => aborted.resolve(false);
  if (signal.aborted) return false;
  signal.addEventListener('abort', onAbort, { once: true });
  const synced = Promise.all(sources.map((source) => source.synced)).then(() => true);
  try {
    return await Promise.race([synced, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function settle(queue: WorkQueue, item: WorkItem, result: Result | undefined): ReconcileOutcome {
  queue.forget(item.key);
  const afterMs = result?.requeueAfterMs;
  if (afterMs === undefined) return 'done';
  queue.add(item.key, { afterMs, priority: item.priority, cause: requeue });
  return 'requeued';
}

function settleFailure(
  queue: WorkQueue,
  failed: { readonly item: WorkItem; readonly run: KeyRun; readonly error: unknown },
): ReconcileOutcome {
  const { item, run, error } = failed;
  const { log, isLastAttempt, attempt } = run.context;
  const text = `Cannot reconcile "${item.key}": ${errorMessage(error)}`;
  if (hasCode(error, 'Terminal')) {
    queue.forget(item.key);
    log.error(text);
    return 'terminal';
  }
  const retry = error instanceof FnletError ? error.retry : undefined;
  // Who names a delay is busy: that is no failure of this key.
  if (typeof retry === 'object') {
    log.debug(text);
    const { priority, cause } = item;
    queue.add(item.key, { afterMs: retry.afterMs, priority, cause });
    return 'failed';
  }
  if (isLastAttempt) {
    queue.forget(item.key);
    log.error(`${text}; it was tried ${attempt} times and waits for its next event`);
    return 'exhausted';
  }
  // A write that lost a race is how optimistic concurrency works: no news.
  if (hasCode(error, 'Conflict')) log.debug(text);
  else log.warn(text);
  queue.retry(item);
  return 'failed';
}
