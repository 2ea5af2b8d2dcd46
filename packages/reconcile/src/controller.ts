/**
 * Runs `reconcile` for every key that a source names, until the world agrees with it.
 *
 * I1. A key is run by at most one worker at a time; see WorkQueue.
 * I2. No run starts before every source is synced: a reconcile never mistakes "not read yet" for
 *     "not there".
 * I3. Nothing that a reconcile throws ends a worker.
 * I4. `run` returns after the last reconcile did, however it is stopped.
 */
import { type Clock, errorMessage, FnletError, hasCode, type Logger } from '@fnlet/base';
import { formatObjectKey, type ObjectKey, parseObjectKey } from '@fnlet/machinery';
import { deadlineMs as defaultDeadlineMs } from './limits.ts';
import { ReconcileError } from './reconcile-error.ts';
import type { Source } from './source.ts';
import { type AddOptions, createWorkQueue, type WorkItem, type WorkQueue } from './work-queue.ts';

/** What a reconcile asks for when it went well. */
export interface Result {
  /** Run again after so long, unless an event comes first. Without it: with the next event. */
  readonly requeueAfterMs?: number | undefined;
}

/** What a run learns besides its key. */
export interface ReconcileContext {
  /** Aborts at the deadline and when the controller stops. Pass it to everything that waits. */
  readonly signal: AbortSignal;
  /** 1 for the first try, 2 for the first retry, … */
  readonly attempt: number;
}

/** Compares what is wanted with what is there and acts on the difference; safe to repeat. */
export type Reconcile = (key: ObjectKey, context: ReconcileContext) => Promise<Result | undefined>;

export interface ControllerOptions {
  /** For logs. */
  readonly name: string;
  readonly sources: readonly Source[];
  readonly reconcile: Reconcile;
  /** How many keys run at once. Default 1. */
  readonly workers?: number;
  /** How long one run may take before its signal aborts. Default one minute. */
  readonly deadlineMs?: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A loop around one reconcile function. */
export interface Controller {
  readonly name: string;
  /** Works until `signal` aborts and the runs in progress have returned. To be called once. */
  run(signal: AbortSignal): Promise<void>;
  /** Asks for a run of this key. */
  enqueue(key: ObjectKey, options?: AddOptions): void;
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
  const queue = createWorkQueue({ clock: options.clock });
  const enqueue = (key: ObjectKey, add?: AddOptions): void => queue.add(formatObjectKey(key), add);
  return {
    name: options.name,
    enqueue,
    async run(signal) {
      const stops = options.sources.map((source) => ({ source, stop: () => {} }));
      try {
        if (!(await allSynced(options.sources, signal))) return;
        for (const started of stops) started.stop = started.source.start(enqueue);
        await runWorkers(queue, options, signal);
      } finally {
        for (const { stop } of stops) stop();
        queue.close();
      }
    },
  };
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

async function runWorkers(
  queue: WorkQueue,
  options: ControllerOptions,
  signal: AbortSignal,
): Promise<void> {
  const close = (): void => queue.close();
  signal.addEventListener('abort', close, { once: true });
  if (signal.aborted) close();
  const workers = Array.from({ length: options.workers ?? 1 }, () => work(queue, options, signal));
  await Promise.all(workers);
  signal.removeEventListener('abort', close);
}

async function work(
  queue: WorkQueue,
  options: ControllerOptions,
  signal: AbortSignal,
): Promise<void> {
  for (let item = await queue.take(); item !== undefined; item = await queue.take()) {
    try {
      const result = await runOnce(item, options, signal);
      queue.forget(item.key);
      const afterMs = result?.requeueAfterMs;
      if (afterMs !== undefined) queue.add(item.key, { afterMs, priority: item.priority });
    } catch (error) {
      if (!signal.aborted) handleFailure(queue, options, { item, error });
    } finally {
      queue.done(item.key);
    }
  }
}

async function runOnce(
  item: WorkItem,
  { reconcile, clock, deadlineMs = defaultDeadlineMs }: ControllerOptions,
  signal: AbortSignal,
): Promise<Result | undefined> {
  const deadline = new AbortController();
  const timer = clock.after(deadlineMs, () =>
    deadline.abort(
      new ReconcileError(
        'DeadlineExceeded',
        `Cannot reconcile "${item.key}": not done after ${deadlineMs} ms`,
      ),
    ),
  );
  const onAbort = (): void => deadline.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const context = { signal: deadline.signal, attempt: item.failures + 1 };
    return await reconcile(parseObjectKey(item.key), context);
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', onAbort);
  }
}

function handleFailure(
  queue: WorkQueue,
  { name, logger }: ControllerOptions,
  { item, error }: { readonly item: WorkItem; readonly error: unknown },
): void {
  const fields = { controller: name, key: item.key, failures: item.failures + 1 };
  const text = `Cannot reconcile "${item.key}": ${errorMessage(error)}`;
  if (hasCode(error, 'Terminal')) {
    queue.forget(item.key);
    logger.error(text, fields);
    return;
  }
  // A write that lost a race is how optimistic concurrency works: no news.
  if (hasCode(error, 'Conflict')) logger.debug(text, fields);
  else logger.warn(text, fields);
  const retry = error instanceof FnletError ? error.retry : undefined;
  if (typeof retry === 'object') {
    queue.add(item.key, { afterMs: retry.afterMs, priority: item.priority });
  } else queue.retry(item);
}
