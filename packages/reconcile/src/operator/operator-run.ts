/**
 * One run of an operator for one object: from what is there, by the user's function, to what has to
 * be written.
 *
 * I1. Children are written before the status that tells of them; the status is about the object
 *     that the function was shown.
 * I2. Nothing outside the cluster is done for an object before the finalizer is on it that will see
 *     it undone; the finalizer goes last.
 * I3. What fails for one child keeps no other, and no status, from being written; the run is
 *     repeated for it.
 */
import { type Clock, errorMessage, FnletError, hasCode } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import type { KubeObject, ObjectKey } from '@fnlet/machinery';
import { done, hasFinalizer, type Operator } from '@fnlet/sdk/operator';
import { type ChildOutcome, childrenCondition } from '../apply/child-outcome.ts';
import type { ChildWriter } from '../apply/child-writer.ts';
import type { DesiredChildren } from '../apply/desired-child.ts';
import type { ControllerMetrics } from '../controller-observer.ts';
import type { EventRecorder } from '../event-recorder.ts';
import { decideFinalizer, type Finalizer } from '../finalizer.ts';
import type { ReconcileContext } from '../key-run.ts';
import type { Happening } from '../kube-event.ts';
import { conditionMessageMax, tellFailureMs } from '../limits.ts';
import { ReconcileError } from '../reconcile-error.ts';
import type { Result } from '../result.ts';
import type { RunCause } from '../run-cause.ts';
import { within } from '../within.ts';
import { answerOf } from './answer-question.ts';
import { BlockedChildren } from './blocked-children.ts';
import { childrenOf, type DeclaredCaches, namesakesOf } from './declared-caches.ts';
import type { ParsedAnswer } from './parse-answer.ts';
import type { StatusKeeper } from './status-keeper.ts';

/** A run that has begun. */
export interface BegunRun {
  readonly key: ObjectKey;
  /** The object as the function is shown it. */
  readonly primary: KubeObject;
  /** The same for every try of one run. */
  readonly idempotencyKey: string;
  readonly cause: RunCause | undefined;
  readonly attempt: number;
  /** The header by which others tie what they do to this run; see {@link Trace}. */
  readonly traceparent: string;
}

/** What a run came to: what became of the children that were wanted, or why it failed. */
export type RunEnd =
  | { readonly outcomes: readonly ChildOutcome[]; readonly result: Result }
  | { readonly error: unknown };

/** Hears of the runs of an operator, such as to record them. It must not throw. */
export interface RunObserver {
  began(run: BegunRun): void;
  /** Told of every run that began, but for those that were ended from outside. */
  ended(run: BegunRun, end: RunEnd): void;
}

export interface OperatorRunOptions {
  readonly operator: Operator;
  readonly caches: DeclaredCaches;
  readonly client: Client;
  readonly children: ChildWriter;
  readonly status: StatusKeeper;
  readonly finalizer: Finalizer<KubeObject>;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly metrics?: Pick<ControllerMetrics, 'countSuppressed'> | undefined;
  readonly observer?: RunObserver | undefined;
  readonly clock: Clock;
}

/** Runs an operator for its objects, one at a time; a controller says which, and when. */
export class OperatorRun {
  /** Who waits for children of others. */
  readonly blocked: BlockedChildren = new BlockedChildren();
  readonly #options: OperatorRunOptions;
  /** The idempotency keys of runs that failed and are tried again. */
  readonly #unfinished = new Map<string, string>();

  constructor(options: OperatorRunOptions) {
    this.#options = options;
  }

  /** Makes the world agree with the object of this key, as far as it can now. */
  async run(key: ObjectKey, context: ReconcileContext): Promise<Result> {
    const primary = this.#options.caches.primaries.get(key);
    if (primary === undefined) {
      this.blocked.forget(key);
      return {};
    }
    const { uid = '' } = primary.metadata;
    const idempotencyKey = this.#unfinished.get(uid) ?? context.traceId;
    this.#unfinished.set(uid, idempotencyKey);
    const { cause: why, attempt, traceparent } = context;
    const begun = { key, primary, idempotencyKey, cause: why, attempt, traceparent };
    const { observer } = this.#options;
    observer?.began(begun);
    try {
      const { result, outcomes } = await this.#runFor(primary, { idempotencyKey, context });
      this.#unfinished.delete(uid);
      observer?.ended(begun, { result, outcomes });
      return result;
    } catch (cause) {
      const { aborted, reason } = context.signal;
      const isLate = aborted && hasCode(reason, 'DeadlineExceeded');
      // Whatever a function throws that was told to end: the deadline is why.
      const error: unknown = isLate ? reason : cause;
      if (isLate || !aborted) {
        observer?.ended(begun, { error });
        if (isNews(error)) await this.#tellFailure(primary, error);
      }
      throw error;
    }
  }

  /** Lets go of what is remembered of an object that is gone. */
  forget(uid: string): void {
    this.#unfinished.delete(uid);
    this.#options.children.forget(uid);
    this.#options.status.forget(uid);
  }

  async #runFor(primary: KubeObject, run: Run): Promise<Finished> {
    const { operator, finalizer } = this.#options;
    const { signal } = run.context;
    switch (decideFinalizer(primary, finalizer.name)) {
      case 'gone':
        return nothing;
      case 'cleanup':
        return this.#cleanUp(primary, run);
      case 'add':
        if (!hasFinalizer(operator)) return this.#reconcile(primary, run);
        // I2: the write wakes this key again, and that run begins.
        await run.context.phase('finalizer', () => finalizer.add(primary, signal));
        return nothing;
      case 'reconcile':
        return this.#reconcile(primary, run);
    }
  }

  async #reconcile(primary: KubeObject, run: Run): Promise<Finished> {
    const answer = await this.#ask(this.#options.operator.reconcile, primary, run);
    const outcomes = await this.#writeChildren(primary, answer.children, run);
    await this.#tell(primary, { answer, outcomes, run });
    return { result: this.#resultOf(answer, outcomes), outcomes };
  }

  async #cleanUp(primary: KubeObject, run: Run): Promise<Finished> {
    const { operator, finalizer } = this.#options;
    const { signal } = run.context;
    const answer = await this.#ask(operator.cleanup ?? done, primary, run);
    const desired = answer.finalized ? [] : answer.children;
    const outcomes = await this.#writeChildren(primary, desired, run);
    if (answer.finalized && outcomes.every(({ kind }) => kind === 'skipped')) {
      await run.context.phase('finalizer', () => finalizer.remove(primary, signal));
      return { result: {}, outcomes };
    }
    await this.#tell(primary, { answer, outcomes, run });
    return { result: this.#resultOf(answer, outcomes), outcomes };
  }

  #ask(what: Operator['reconcile'], primary: KubeObject, run: Run): Promise<ParsedAnswer> {
    const { operator, caches, client, clock } = this.#options;
    const children = childrenOf(caches, primary);
    const now = new Date(clock.now()).toISOString();
    return run.context.phase('function', () =>
      answerOf(what, { operator, caches, primary, children, now, ...run }, client),
    );
  }

  async #tellFailure(primary: KubeObject, error: unknown): Promise<void> {
    const { operator, status, clock, events } = this.#options;
    const [reason, message] = [reasonOf(error), cut(errorMessage(error))];
    // What children failed was told of each of them.
    if (reason === 'ChildrenFailed') return;
    events.record(primary, { type: 'Warning', reason, message });
    if (!hasOwnStatus(operator)) return;
    const conditions = [{ type: reconciled, status: 'False', reason, message } as const];
    try {
      // The run's own signal may have aborted, and that be what is told: this has its own bound.
      await within({ clock, timeoutMs: tellFailureMs }, (signal) =>
        status.say(primary, { own: conditions, isFailure: true }, signal),
      );
    } catch {
      // What made the run fail is thrown; that it could not be told as well is no further news.
    }
  }

  async #writeChildren(
    primary: KubeObject,
    desired: DesiredChildren | undefined,
    { context: { signal, phase } }: Run,
  ): Promise<readonly ChildOutcome[]> {
    if (desired === undefined) return [];
    const { caches, children, metrics } = this.#options;
    const observed = [...childrenOf(caches, primary), ...namesakesOf(caches, primary, desired)];
    const outcomes = await phase('children', () =>
      children.apply({ primary, desired, observed, signal }),
    );
    this.blocked.note(primary, outcomes);
    metrics?.countSuppressed(outcomes);
    return outcomes;
  }

  /** Says what there is to say of a run: Events, then the status. */
  async #tell(
    primary: KubeObject,
    { answer, outcomes, run }: Told & { readonly run: Run },
  ): Promise<void> {
    const { operator, events, status } = this.#options;
    for (const happening of [...answer.events, ...outcomes.flatMap(happeningsOf)]) {
      events.record(primary, happening);
    }
    const told = childrenCondition(outcomes);
    const own = hasOwnStatus(operator)
      ? [{ ...told, type: reconciled, message: cut(told.message ?? '') }]
      : [];
    const { status: fields, conditions } = answer;
    if (fields === undefined && conditions === undefined && own.length === 0) return;
    const { signal, phase } = run.context;
    await phase('status', () => status.say(primary, { fields, conditions, own }, signal));
  }

  #resultOf({ requeueAfterMs }: ParsedAnswer, outcomes: readonly ChildOutcome[]): Result {
    const failed = outcomes.filter(({ kind }) => kind === 'failed');
    if (failed.length > 0) throw childrenFailed(failed);
    const nowMs = this.#options.clock.now();
    const dueMs = [
      ...(requeueAfterMs === undefined ? [] : [requeueAfterMs]),
      ...outcomes.flatMap((outcome) =>
        outcome.kind === 'blocked' && outcome.untilMs !== undefined
          ? [Math.max(0, outcome.untilMs - nowMs)]
          : [],
      ),
    ];
    return dueMs.length === 0 ? {} : { requeueAfterMs: Math.min(...dueMs) };
  }
}

/** What a run came to that went well. */
interface Finished {
  readonly result: Result;
  readonly outcomes: readonly ChildOutcome[];
}

const nothing: Finished = { result: {}, outcomes: [] };

/** What there is to say of a run. */
interface Told {
  readonly answer: ParsedAnswer;
  readonly outcomes: readonly ChildOutcome[];
}

interface Run {
  readonly idempotencyKey: string;
  readonly context: ReconcileContext;
}

/** The condition that tells whether the last run came to its end, and why not. */
const reconciled = 'Reconciled';

// A write that lost a race is how optimistic concurrency works, and who names the time to come again
// is busy: neither says anything about the object.
function isNews(error: unknown): boolean {
  const isBusy = error instanceof FnletError && typeof error.retry === 'object';
  return !isBusy && !hasCode(error, 'Conflict');
}

function cut(message: string): string {
  if (message.length <= conditionMessageMax) return message;
  return `${message.slice(0, conditionMessageMax - 1)}…`;
}

// Only a kind that was made for it has room for a condition of ours.
function hasOwnStatus(operator: Operator): boolean {
  return 'crd' in operator.for;
}

// What the API and this room call it; what user code throws has no name of ours, but for one.
function reasonOf(error: unknown): string {
  if (hasCode(error, 'Terminal')) return 'Terminal';
  return error instanceof FnletError ? error.code : 'ReconcileFailed';
}

function happeningsOf(outcome: ChildOutcome): Happening[] {
  switch (outcome.kind) {
    case 'created':
      return [{ type: 'Normal', reason: 'Created', message: `Created ${outcome.key}` }];
    case 'pruned':
      return [{ type: 'Normal', reason: 'Deleted', message: `Deleted ${outcome.key}` }];
    case 'blocked':
      return [{ type: 'Warning', reason: outcome.reason, message: outcome.message }];
    case 'failed':
      return [{ type: 'Warning', reason: 'ChildFailed', message: outcome.message }];
    default:
      return [];
  }
}

function childrenFailed(failed: readonly ChildOutcome[]): ReconcileError {
  const messages = failed.flatMap((outcome) =>
    outcome.kind === 'failed' ? [outcome.message] : [],
  );
  const [first] = failed;
  const cause = first?.kind === 'failed' ? first.error : undefined;
  return new ReconcileError('ChildrenFailed', messages.join('; '), { cause, retry: 'later' });
}
