/**
 * Runs of an operator whose functions are elsewhere: what is asked, what is believed of the answer,
 * and what is remembered of both.
 *
 * I1. An answer about another state of the object than the one that is known by now is not used.
 * I2. An object that was settled in this very world asks nobody when it is looked at for the first
 *     time, and when the run is for a change of another object, or for a move among replicas: what
 *     changed is in the world that it was settled in, such as the own writes of an answer that did
 *     not depend on children. Every other run asks; see SettledRecords, and decision 056.
 * I3. Of an object at most one run is under way, so what is known of it is found by its uid.
 */
import {
  assert,
  type Clock,
  errorMessage,
  FnletError,
  type JsonObject,
  jsonEqual,
  sha256,
} from '@fnlet/base';
import { formatObjectKey, type KubeObject, objectKey } from '@fnlet/machinery';
import type { BegunRun, DeclaredCaches, RunEnd, RunObserver } from '@fnlet/reconcile';
import type { Answer, ObjectShape, ReconcileRequest, Requirement } from '@fnlet/sdk/operator';
import {
  type OperatorAnswer,
  parseOperatorAnswer,
  type ReconcileCall,
  type RequiredObjects,
} from '@fnlet/sdk/operator-wire';
import type { FunctionCaller } from '../call/function-caller.ts';
import { failureOf } from '../call/read-outcome.ts';
import { isStale, reconcileCall } from '../call/reconcile-call.ts';
import { HubError } from '../hub-error.ts';
import { failureTextMax, recordedInputBytesMax } from '../limits.ts';
import { describeCause, type RunRecord } from '../record/run-record.ts';
import type { RunRecords } from '../record/run-records.ts';
import type { SettledRecords } from '../record/settled-records.ts';
import type { ObjectBook, ObjectTrouble } from './object-book.ts';
import { seenDigest } from './seen-digest.ts';

export interface RemoteRunsOptions {
  /** The Operator object. */
  readonly operator: { readonly namespace: string; readonly name: string };
  readonly caches: DeclaredCaches;
  /** All objects that a run is sent besides the object itself and its children. */
  readonly relatedTo: (request: ReconcileRequest<ObjectShape>) => readonly ObjectShape[];
  /** Those of them whose changes are a reason to run. */
  readonly concernedBy: (request: ReconcileRequest<ObjectShape>) => readonly ObjectShape[];
  /** Finds out about the kinds that an answer requires. */
  readonly requirementOf: (required: RequiredObjects) => Promise<Requirement>;
  readonly caller: FunctionCaller;
  readonly deadlineMs: number;
  /** Whether an object whose status alone has changed is settled all the same. */
  readonly isBlindToStatus: boolean;
  readonly book: ObjectBook;
  readonly settled: SettledRecords;
  readonly records: RunRecords;
  /** The Revision that is called. */
  readonly revision: () => string | undefined;
  /** Told that counts have changed. */
  readonly onNews: () => void;
  readonly clock: Clock;
}

type FinishedRun = Extract<RunEnd, { readonly result: unknown }>;

interface RunUnderWay {
  readonly begun: BegunRun;
  readonly startMs: number;
  readonly required: RequiredObjects[];
  /** Kinds that answers of this run have required. */
  readonly requirements: Requirement[];
  what: 'reconcile' | 'cleanup';
  /** All that the run is about besides the object, as it was sent. */
  seen: readonly ObjectShape[];
  isSkipped: boolean;
  /** Somebody has asked for another meanwhile. */
  isOutdated: boolean;
  callMs: number;
  input: ReconcileCall | undefined;
  /** The same as it was sent. */
  text: string;
  answer: OperatorAnswer | undefined;
}

export class RemoteRuns implements RunObserver {
  readonly #options: RemoteRunsOptions;
  /** By uid. */
  readonly #underWay = new Map<string, RunUnderWay>();
  #number = 0;
  #lastRunMs: number | undefined;

  constructor(options: RemoteRunsOptions) {
    this.#options = options;
  }

  /** When a function was called last. */
  get lastRunMs(): number | undefined {
    return this.#lastRunMs;
  }

  began(begun: BegunRun): void {
    this.#options.book.begin(begun.primary.metadata.uid ?? '');
    this.#underWay.set(begun.primary.metadata.uid ?? '', {
      ...{ begun, startMs: this.#options.clock.now(), required: [], requirements: [] },
      ...{ what: 'reconcile', seen: [], isSkipped: false, isOutdated: false, callMs: 0 },
      ...{ input: undefined, text: '', answer: undefined },
    });
  }

  /** Lets go of an object that is gone. */
  forget(uid: string): void {
    const { book, settled, onNews } = this.#options;
    this.#underWay.delete(uid);
    book.forget(uid);
    settled.delete(uid);
    onNews();
  }

  /** An object is to be run, whatever is known of it: a run that is under way does not settle it. */
  unsettle(uid: string): void {
    const run = this.#underWay.get(uid);
    if (run !== undefined) run.isOutdated = true;
    this.#options.settled.delete(uid);
  }

  /** Asks the function what is wanted, or what is left to do. */
  async ask(what: RunUnderWay['what'], request: ReconcileRequest<ObjectShape>): Promise<Answer> {
    const { uid = '' } = request.object.metadata;
    const run = this.#underWay.get(uid);
    assert(run !== undefined, 'a run has begun before a function is asked');
    run.what = what;
    const children = this.#childrenOf(request);
    const related = this.#relatedOf(request, run);
    run.seen = [...children, ...this.#options.concernedBy(request)];
    const restMs = what === 'reconcile' ? await this.#restOf(request.object, run) : undefined;
    if (restMs !== undefined) {
      run.isSkipped = true;
      return restMs === Number.POSITIVE_INFINITY ? {} : { requeueAfter: `${restMs}ms` };
    }
    const answer = await this.#call(run, request, { children, related });
    if (answer.error !== undefined) throw failureOf(answer.error);
    const { require = [], error: _, childrenRead: _read, ...rest } = answer;
    if (require.length === 0) return rest;
    const { requirementOf } = this.#options;
    const requirements = await Promise.all(require.map(requirementOf));
    run.required.push(...require);
    run.requirements.push(...requirements);
    return { ...rest, require: requirements };
  }

  ended(begun: BegunRun, end: RunEnd): void {
    const { uid = '' } = begun.primary.metadata;
    const run = this.#underWay.get(uid);
    if (run?.begun !== begun) return;
    this.#underWay.delete(uid);
    if ('error' in end) this.#failed(uid, run, end.error);
    else this.#finished(uid, run, end);
    this.#options.onNews();
  }

  #childrenOf(request: ReconcileRequest<ObjectShape>): readonly ObjectShape[] {
    return this.#options.caches.owned.flatMap(({ kind }) => [...request.children(kind)]);
  }

  #relatedOf(
    request: ReconcileRequest<ObjectShape>,
    { requirements }: RunUnderWay,
  ): readonly ObjectShape[] {
    const found = [
      ...this.#options.relatedTo(request),
      ...requirements.flatMap(({ kind }) => [...request.related(kind)]),
    ];
    if (requirements.length === 0) return found;
    return [...new Map(found.map((object) => [object.metadata.uid, object])).values()];
  }

  /**
   * I2: how long an object may be left alone that is as it was when it was settled; `undefined` when
   * it has to be run.
   */
  async #restOf(
    { metadata }: ObjectShape,
    { seen, begun }: RunUnderWay,
  ): Promise<number | undefined> {
    const { book, settled, clock } = this.#options;
    const { uid = '', resourceVersion = '' } = metadata;
    if (book.has(uid) && !isForWorld(begun)) return undefined;
    if (!(await settled.isFresh())) return undefined;
    const dueMs = settled.dueMs(uid, { resourceVersion, seen: seenDigest(seen) });
    const restMs = dueMs === undefined ? 0 : dueMs - clock.now();
    return restMs > 0 ? restMs : undefined;
  }

  async #call(
    run: RunUnderWay,
    request: ReconcileRequest<ObjectShape>,
    sent: {
      readonly children: readonly ObjectShape[];
      readonly related: readonly ObjectShape[];
    },
  ): Promise<OperatorAnswer> {
    const { operator, caller, deadlineMs, clock } = this.#options;
    const { object, attempt, now, signal, idempotencyKey } = request;
    const { begun, what, required } = run;
    const call = reconcileCall({
      ...{ operator: `${operator.namespace}/${operator.name}`, what, run: idempotencyKey },
      ...{ reason: describeCause(begun.cause), attempt, now, deadlineMs, object, required },
      ...sent,
    });
    const isFurther = run.input !== undefined;
    run.input = call;
    run.text = JSON.stringify(call);
    const startMs = clock.monotonicMs();
    this.#lastRunMs = clock.now();
    try {
      const { traceparent } = begun;
      const answered = await caller.call(run.text, {
        ...{ who: object.metadata.uid ?? '', isFurther, timeoutMs: deadlineMs },
        state: `${object.metadata.generation ?? object.metadata.resourceVersion}`,
        ...{ traceparent, signal },
      });
      run.answer = parseAnswer(answered);
    } finally {
      run.callMs += Math.round(clock.monotonicMs() - startMs);
    }
    this.#requireFresh(object);
    return run.answer;
  }

  // I1
  #requireFresh(sent: ObjectShape): void {
    const { namespace = '', name } = sent.metadata;
    const known = this.#options.caches.primaries.get({ namespace, name });
    if (!isStale(sent.metadata, known?.metadata)) return;
    const message = `Cannot use the answer about "${name}": it has changed meanwhile`;
    throw new HubError('StaleAnswer', message, { retry: { afterMs: 0 } });
  }

  #finished(uid: string, run: RunUnderWay, end: FinishedRun): void {
    const { book, settled, clock } = this.#options;
    const { outcomes, result } = end;
    const isQuiet = outcomes.every(
      (outcome) => outcome.kind === 'skipped' || ('isEffective' in outcome && !outcome.isEffective),
    );
    const isDone = outcomes.every(({ kind }) => kind !== 'waiting' && kind !== 'blocked');
    const { requeueAfterMs } = result;
    const dueMs = requeueAfterMs === undefined ? undefined : clock.now() + requeueAfterMs;
    const isCalled = run.input !== undefined;
    const seen = isQuiet ? run.seen : seenAfter(run, outcomes);
    if (seen !== undefined && isDone && !run.isOutdated && isCalled && run.what === 'reconcile') {
      const resourceVersion = this.#settledVersion(run.begun.primary);
      settled.put(uid, { resourceVersion, seen: seenDigest(seen) }, dueMs);
    }
    const state = isDone ? 'settled' : 'waiting';
    if (!isCalled) {
      // Nobody was asked: it was settled before, or only its finalizer was written.
      if (run.isSkipped) book.note(uid, state, { dueMs });
      return;
    }
    const writes = outcomes.filter(isWrite).map(({ kind, key }) => `${kind} ${key}`);
    const outcome = dueMs === undefined ? 'done' : 'requeued';
    const last = this.#record(run, { outcome, writes, dueMs });
    book.note(uid, state, { dueMs, last, trouble: blockedOf(run.begun.primary, outcomes) });
  }

  #failed(uid: string, run: RunUnderWay, error: unknown): void {
    const { book, settled } = this.#options;
    // What failed is to be tried again, whatever it was settled in before.
    settled.delete(uid);
    const reason = error instanceof FnletError ? error.code : reasonOf(error);
    const isBusy = reason === 'FunctionBusy';
    const isStaleRun = reason === 'StaleAnswer';
    const isKept = isBusy || isStaleRun;
    const known = book.get(uid);
    const state = isKept ? (known?.state ?? 'waiting') : 'failing';
    const trouble = isKept ? known?.trouble : troubleOf(run.begun.primary, errorMessage(error));
    // Who is busy is asked again: that is told by the run that comes of it.
    if (run.input === undefined || isBusy) {
      book.note(uid, state, { trouble });
      return;
    }
    const outcome = isStaleRun ? 'stale' : 'failed';
    const told = { reason, message: errorMessage(error) };
    const last = this.#record(run, { outcome, writes: [], dueMs: undefined, error: told });
    book.note(uid, state, { last, trouble });
  }

  /**
   * The version of the object that the function has seen, or the one that telling of it has made:
   * the same but for a status that nobody minds.
   */
  #settledVersion(primary: KubeObject): string {
    const { resourceVersion = '' } = primary.metadata;
    const now = this.#options.caches.primaries.get(objectKey(primary));
    if (now === undefined || !this.#options.isBlindToStatus) return resourceVersion;
    return jsonEqual(withoutStatus(now), withoutStatus(primary))
      ? (now.metadata.resourceVersion ?? '')
      : resourceVersion;
  }

  #record(
    run: RunUnderWay,
    end: Pick<RunRecord, 'outcome' | 'writes' | 'error'> & { readonly dueMs: number | undefined },
  ): NonNullable<ReturnType<ObjectBook['get']>>['last'] {
    const { operator, records, clock, revision } = this.#options;
    const { begun, startMs, what, callMs, input, text, answer } = run;
    const { apiVersion, kind, metadata } = begun.primary;
    const { namespace = '', name, uid = '', generation } = metadata;
    const id = `${startMs.toString(36).padStart(9, '0')}-${(this.#number++ % 46_656).toString(36).padStart(3, '0')}`;
    const reason = describeCause(begun.cause);
    const tookMs = clock.now() - startMs;
    const { outcome, writes, error, dueMs } = end;
    const called = revision();
    records.add({
      ...{ id, operator, what, reason, tookMs, callMs, writes, outcome },
      object: {
        ...{ apiVersion, kind, namespace, name, uid },
        ...(generation === undefined ? {} : { generation }),
      },
      ...{ run: begun.idempotencyKey, attempt: begun.attempt },
      startedAt: new Date(startMs).toISOString(),
      ...{ inputDigest: sha256(text), inputBytes: Buffer.byteLength(text) },
      ...(called === undefined ? {} : { revision: called }),
      ...(input === undefined || text.length > recordedInputBytesMax ? {} : { input }),
      ...(answer === undefined ? {} : { answer }),
      ...(error === undefined ? {} : { error }),
      ...(dueMs === undefined ? {} : { nextDue: new Date(dueMs).toISOString() }),
    });
    const told = error === undefined ? {} : { error };
    return { id, atMs: startMs, reason, outcome, tookMs, writes, ...told };
  }
}

/**
 * Whether a run is for the sake of the world alone: another object has changed, or another replica
 * had the key. Whatever else asked for it before is in the versions, or has taken the record away.
 */
function isForWorld({ cause, primary }: BegunRun): boolean {
  if (cause === undefined) return false;
  if ('object' in cause) return cause.object.metadata.uid !== primary.metadata.uid;
  return cause.kind === 'moved';
}

/**
 * What a run leaves behind that has written children: as it was sent, with the answers of its
 * writes. The function has answered about that, too, where its answer did not depend on children;
 * `undefined`: it has not, or something is on its way out.
 */
function seenAfter(
  { seen, answer }: RunUnderWay,
  outcomes: FinishedRun['outcomes'],
): readonly ObjectShape[] | undefined {
  if (answer?.childrenRead !== false) return undefined;
  if (outcomes.some(({ kind }) => kind === 'pruned' || kind === 'failed')) return undefined;
  const after = new Map(seen.map((object) => [object.metadata.uid, object]));
  for (const outcome of outcomes) {
    if ('object' in outcome) after.set(outcome.object.metadata.uid, outcome.object);
  }
  return [...after.values()];
}

function parseAnswer(value: unknown): OperatorAnswer {
  try {
    return parseOperatorAnswer(value);
  } catch (error) {
    throw new HubError('InvalidAnswer', errorMessage(error), { cause: error, retry: 'later' });
  }
}

function troubleOf(primary: KubeObject, text: string): ObjectTrouble {
  const message = text.length > failureTextMax ? `${text.slice(0, failureTextMax)}…` : text;
  return { object: formatObjectKey(objectKey(primary)), message };
}

function blockedOf(
  primary: KubeObject,
  outcomes: FinishedRun['outcomes'],
): ObjectTrouble | undefined {
  const blocked = outcomes.find((outcome) => outcome.kind === 'blocked');
  return blocked === undefined ? undefined : troubleOf(primary, blocked.message);
}

function isWrite({ kind }: { readonly kind: string }): boolean {
  return kind === 'created' || kind === 'adopted' || kind === 'applied' || kind === 'pruned';
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'ReconcileFailed';
}

function withoutStatus(object: KubeObject & { readonly status?: unknown }): JsonObject {
  const { status: _, metadata, ...rest } = object;
  const { resourceVersion: _version, managedFields: _fields, ...kept } = metadata;
  return { ...rest, metadata: kept };
}
