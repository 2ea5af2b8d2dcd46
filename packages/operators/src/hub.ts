/**
 * The hub: it watches, filters, queues, applies and prunes for all operators, and calls their
 * functions, which sleep while nothing changes.
 *
 * I1. One watch per kind and selection, whatever the number of operators; see SharedCaches.
 * I2. An operator runs while all that it needs is there: kinds, rights, a function. When something
 *     of it goes, it ends; what it knew is kept, so that it goes on where it was. While its
 *     function does not serve for a time, such as after a crash, it waits.
 * I3. What an operator reads and writes, its ServiceAccount may.
 * I4. One Operator that cannot run, or fails, keeps no other from running.
 * I5. Every replica has every operator, for the keys that are its own; whoever has the key of the
 *     Operator tells its status.
 * I6. No object waits for an Operator that is gone: before it goes, what is being deleted is
 *     cleaned up, and its finalizer is taken off all else. What cannot be cleaned up is let go
 *     after a while.
 */
import {
  apiVersion,
  type FunctionObject,
  functionType,
  type OperatorObject,
  operatorConditions,
  operatorFinalizer,
  operatorReasons,
  operatorType,
  parseOperator,
} from '@fnlet/api';
import { errorMessage, FnletError } from '@fnlet/base';
import type { Cache } from '@fnlet/client';
import {
  formatObjectKey,
  type KubeObject,
  type ObjectKey,
  objectKey,
  parseApiVersion,
} from '@fnlet/machinery';
import {
  type Controller,
  createController,
  createFinalizer,
  createManager,
  createStatusWriter,
  type Finalizer,
  fromCache,
  type Manager,
  type Result,
  type StatusWriter,
  toController,
} from '@fnlet/reconcile';
import { annotationsChanged, generationChanged, hasFinalizer, or } from '@fnlet/sdk/operator';
import { type Concerned, concerns, watchAccess } from './access/access-lookout.ts';
import { AccessReviews } from './access/access-reviews.ts';
import { CallRoom } from './call/call-room.ts';
import { HubError } from './hub-error.ts';
import type { HubOptions } from './hub-options.ts';
import {
  departureMs,
  departurePollMs,
  operatorWorkers,
  statusDelayMs,
  troubleRetryMs,
} from './limits.ts';
import { definitionType, KindFinder } from './plan/kind-finder.ts';
import { kindId, kindsNamed } from './plan/kinds.ts';
import {
  type OperatorStanding,
  type OperatorTrouble,
  planOperatorStatus,
} from './plan/plan-operator-status.ts';
import { accountOf, functionNameOf, Readiness, type ReadyOperator } from './plan/readiness.ts';
import type { Explanation } from './record/explanation.ts';
import { HubRecords } from './record/hub-records.ts';
import { openRunRecords, type RunRecords } from './record/run-records.ts';
import { letGo } from './run/let-go.ts';
import { type OperatorCounts, RunningOperator } from './run/running-operator.ts';

/** All serverless operators of a cluster. */
export interface Hub {
  /** Works until `signal` aborts. To be called once. */
  run(signal: AbortSignal): Promise<void>;
  /** The last runs of an Operator, whether or not it runs now; `undefined`: there is none. */
  runs(operator: ObjectKey): RunRecords | undefined;
  /** Why an object is as it is for an Operator; `undefined` while that does not run. */
  explain(operator: ObjectKey, object: ObjectKey): Explanation | undefined;
  /**
   * Asks for a run of an object, behind no predicate. What waits already is one run with it.
   *
   * @param by who asks, in words
   */
  wake(operator: ObjectKey, object: ObjectKey, by: string): Promise<WakeOutcome>;
  /** Whether there is such an Operator. */
  has(operator: ObjectKey): boolean;
  /** Calls back with each Operator that comes or goes, until the returned function is called. */
  subscribe(listener: (operator: ObjectKey) => void): () => void;
}

/**
 * What became of it: `noted`: the object will be run, also after a crash, or there is none;
 * `notRunning`: its Operator does not run now; `elsewhere`: another replica has the object.
 */
export type WakeOutcome = 'noted' | 'notRunning' | 'elsewhere';

/**
 * @example
 * const hub = createHub({ client, invoke: gateway.invoke, store, clock, random, logger });
 * await hub.run(signal);
 */
export function createHub(options: HubOptions): Hub {
  return new OperatorHub(options);
}

/** An operator at work, and what it was made from. */
interface Standing {
  readonly uid: string;
  readonly fingerprint: string;
  readonly running: RunningOperator;
  isSynced: boolean;
}

class OperatorHub implements Hub {
  readonly #options: HubOptions;
  readonly #manager: Manager;
  readonly #operators: Cache<OperatorObject>;
  readonly #functions: Cache<FunctionObject>;
  readonly #controller: Controller;
  readonly #status: StatusWriter<OperatorObject>;
  readonly #finalizer: Finalizer<OperatorObject>;
  readonly #kinds: KindFinder;
  readonly #reviews: AccessReviews;
  readonly #readiness: Readiness;
  readonly #records: HubRecords;
  readonly #room: CallRoom;
  readonly #standing = new Map<string, Standing>();
  /** Those of which something else than their counts has changed. */
  readonly #changed = new Set<string>();

  constructor(options: HubOptions) {
    const { client, clock, random, logger } = options;
    const shared = { clock, random, logger };
    this.#options = options;
    this.#manager = createManager({ ...shared, client });
    this.#operators = this.#manager.cache<OperatorObject>(operatorType, { keep: ['*'] });
    this.#functions = this.#manager.cache<FunctionObject>(functionType, {
      keep: ['status.revision', 'status.replicas', 'status.conditions'],
    });
    this.#status = createStatusWriter({ client: this.#manager.client.of(operatorType), clock });
    this.#finalizer = createFinalizer({
      client: this.#manager.client.of<OperatorObject>(operatorType),
      name: operatorFinalizer,
    });
    this.#kinds = new KindFinder({ client, clock });
    this.#reviews = new AccessReviews({ client, clock });
    this.#room = new CallRoom(clock, options.onLoad);
    this.#records = new HubRecords(options);
    this.#readiness = new Readiness({
      client: this.#manager.client,
      ...{ functions: this.#functions, kinds: this.#kinds, reviews: this.#reviews },
      watching: options.watching,
      ...{ clock, logger },
    });
    this.#controller = createController({
      ...shared,
      name: 'operators',
      sources: [
        fromCache(this.#operators, {
          predicate: or(generationChanged, annotationsChanged),
          map: (object) => this.#noted(this.#ofKind(object)),
        }),
        fromCache(this.#functions, { map: (object) => this.#noted(this.#usersOf(object)) }),
      ],
      reconcile: (key, { signal }) => this.#reconcile(key, signal),
      concurrency: operatorWorkers,
    });
    this.#manager.addController(this.#controller);
  }

  async run(signal: AbortSignal): Promise<void> {
    const stops = [
      watchAccess(this.#manager, (concerned) => this.#accessChanged(concerned)),
      this.#manager
        .cache<KubeObject>(definitionType, { keep: ['spec.group'] })
        .subscribe(({ object }) => this.#definitionChanged(object)),
    ];
    const { ownership } = this.#options;
    if (ownership !== undefined) stops.push(ownership.subscribe(() => this.#ownershipChanged()));
    void this.#operators.synced.then(() => this.#dropUnknown());
    try {
      await this.#manager.run(signal);
    } finally {
      for (const stop of stops) stop();
      await this.#records.close();
    }
  }

  runs(operator: ObjectKey): RunRecords | undefined {
    const uid = this.#operators.get(operator)?.metadata.uid;
    if (uid === undefined) return undefined;
    return this.#find(operator)?.records ?? openRunRecords(this.#records.runs, uid);
  }

  explain(operator: ObjectKey, object: ObjectKey): Explanation | undefined {
    return this.#find(operator)?.explain(object);
  }

  async wake(operator: ObjectKey, object: ObjectKey, by: string): Promise<WakeOutcome> {
    const standing = this.#standing.get(formatObjectKey(operator));
    // Before its objects are read, nobody could tell whether there is this one.
    if (standing?.isSynced !== true) return 'notRunning';
    if (this.#options.ownership?.ownsKey(object) === false) return 'elsewhere';
    standing.running.wake(object, by);
    await this.#records.settled.flush();
    return 'noted';
  }

  has(operator: ObjectKey): boolean {
    return this.#operators.get(operator) !== undefined;
  }

  subscribe(listener: (operator: ObjectKey) => void): () => void {
    return this.#operators.subscribe(({ kind, object }) => {
      if (kind !== 'updated') listener(objectKey(object));
    });
  }

  #find(operator: ObjectKey): RunningOperator | undefined {
    return this.#standing.get(formatObjectKey(operator))?.running;
  }

  async #reconcile(key: ObjectKey, signal: AbortSignal): Promise<Result | undefined> {
    const found = this.#operators.get(key);
    const isGoing = found?.metadata.deletionTimestamp !== undefined;
    if (found !== undefined && isGoing && this.#isHeld(found)) return this.#leave(found, signal);
    if (found === undefined || isGoing) {
      await this.#end(key);
      this.#changed.delete(formatObjectKey(key));
      if (found === undefined) this.#dropUnknown();
      return undefined;
    }
    const operator = parseOperator(found);
    const name = functionNameOf(operator);
    const fn = this.#functions.get({ ...key, name });
    const awake = (fn?.status?.replicas ?? 0) > 0;
    const standing = await this.#look(operator, fn?.status?.revision, signal);
    const about = { function: name, awake };
    if ('trouble' in standing) {
      const counts = await this.#suspend(key, standing.trouble);
      await this.#tell(operator, { ...about, ...standing, counts, isSynced: false }, signal);
      return { requeueAfterMs: troubleRetryMs };
    }
    const { isSynced, running } = standing;
    running.resume();
    const told = { ...about, trouble: undefined, counts: running.counts(), isSynced };
    await this.#tell(operator, told, signal);
    return undefined;
  }

  // I2: what was tried is not forgotten because a function is down: the object that it crashes for
  // would come first again and again.
  async #suspend(key: ObjectKey, { reason }: OperatorTrouble): Promise<OperatorCounts | undefined> {
    const id = formatObjectKey(key);
    const running = this.#find(key);
    if (running === undefined || reason !== operatorReasons.functionNotReady) {
      await this.#end(key);
      return undefined;
    }
    running.suspend();
    this.#changed.add(id);
    return running.counts();
  }

  #isHeld({ metadata }: OperatorObject): boolean {
    return metadata.finalizers?.includes(this.#finalizer.name) === true;
  }

  // I6
  async #leave(found: OperatorObject, signal: AbortSignal): Promise<Result | undefined> {
    const { ownership, clock } = this.#options;
    const key = objectKey(found);
    const operator = parseOperator(found);
    const standing = await this.#lookAtLast(operator, signal);
    if (typeof standing === 'string') {
      await this.#end(key);
      const sinceMs = clock.now() - Date.parse(operator.metadata.deletionTimestamp ?? '');
      if (sinceMs < departureMs) return { requeueAfterMs: troubleRetryMs };
      await this.#letGo(operator, standing, signal);
    } else if (!standing.isSynced || (await standing.running.leave(signal)) > 0) {
      return { requeueAfterMs: departurePollMs };
    }
    if (ownership?.ownsKey(key) === false) return { requeueAfterMs: departurePollMs };
    await this.#finalizer.remove(operator, signal);
    return undefined;
  }

  /** What runs of it, or why nothing can. */
  async #lookAtLast(operator: OperatorObject, signal: AbortSignal): Promise<Standing | string> {
    const key = { ...objectKey(operator), name: functionNameOf(operator) };
    try {
      const revision = this.#functions.get(key)?.status?.revision;
      const standing = await this.#look(operator, revision, signal);
      return 'trouble' in standing ? standing.trouble.message : standing;
    } catch (error) {
      if (signal.aborted) throw error;
      return errorMessage(error);
    }
  }

  /** Takes its finalizer off all objects: nobody is there who could clean up. */
  async #letGo(operator: OperatorObject, why: string, signal: AbortSignal): Promise<void> {
    const served = await this.#kinds.find(operator.spec.for, signal).catch((error: unknown) => {
      if (error instanceof HubError) return undefined;
      throw error;
    });
    // With their kind, all objects are gone.
    if (served === undefined) return;
    const { logger, client } = this.#options;
    await letGo({ operator, served, client, logger, why }, signal);
  }

  // I5
  async #tell(
    operator: OperatorObject,
    standing: OperatorStanding,
    signal: AbortSignal,
  ): Promise<void> {
    const { ownership } = this.#options;
    if (ownership?.ownsKey(objectKey(operator)) === false) return;
    const isAlone = ownership === undefined;
    await this.#status.write(operator, planOperatorStatus({ ...standing, isAlone }), signal);
  }

  /** What runs of it, as it is to be now; not looked at again while only its counts change. */
  async #look(
    operator: OperatorObject,
    revision: string | undefined,
    signal: AbortSignal,
  ): Promise<Standing | { readonly trouble: OperatorTrouble }> {
    const id = formatObjectKey(objectKey(operator));
    const known = this.#standing.get(id);
    if (known !== undefined && !this.#changed.delete(id)) return known;
    try {
      const judged = await this.#readiness.judge(operator, this.#isOnly(operator), signal);
      return 'trouble' in judged
        ? judged
        : await this.#stand(operator, judged, { revision, signal });
    } catch (error) {
      this.#changed.add(id);
      throw error;
    }
  }

  /** Has it run as it is to be now: what runs otherwise is ended first. */
  async #stand(
    object: OperatorObject,
    { declared, fingerprint }: ReadyOperator,
    { revision, signal }: { readonly revision: string | undefined; readonly signal: AbortSignal },
  ): Promise<Standing | { readonly trouble: OperatorTrouble }> {
    const key = objectKey(object);
    const id = formatObjectKey(key);
    const before = this.#standing.get(id);
    if (before?.fingerprint === fingerprint) {
      before.running.setRevision(revision);
      return before;
    }
    await this.#end(key);
    const { finalize } = object.spec;
    const cleanup = finalize === true ? { cleanup: () => ({}) } : {};
    const isGoing = object.metadata.deletionTimestamp !== undefined;
    if (!isGoing && hasFinalizer({ ...declared, reconcile: () => ({}), ...cleanup })) {
      // I6: before there is an object that would wait for it.
      await this.#finalizer.add(object, signal);
    }
    const running = this.#create(object, declared, revision);
    if (!(running instanceof RunningOperator)) return { trouble: running };
    const standing: Standing = {
      ...{ uid: object.metadata.uid ?? '', fingerprint, running },
      isSynced: false,
    };
    this.#standing.set(id, standing);
    running.start();
    void running.synced.then(() => {
      standing.isSynced = true;
      this.#controller.enqueue(key);
    });
    return standing;
  }

  #create(
    object: OperatorObject,
    declared: ReadyOperator['declared'],
    revision: string | undefined,
  ): RunningOperator | OperatorTrouble {
    const { invoke, ownership, clock, random, logger } = this.#options;
    const key = objectKey(object);
    try {
      return new RunningOperator({
        ...{ object, declared, revision, manager: this.#manager, invoke, ownership },
        room: this.#room,
        ...{ records: this.#records, clock, random, logger },
        account: accountOf(object),
        function: functionNameOf(object),
        requirementOf: (required) => this.#kinds.requirementOf(required),
        kindOf: (rule) => this.#kinds.kindCalled(rule),
        onNews: () => this.#controller.enqueue(key, { afterMs: statusDelayMs }),
      });
    } catch (error) {
      // What it says is read here for the first time: predicates, paths of fields, durations.
      if (!(error instanceof FnletError)) throw error;
      const { invalidSpec: reason } = operatorReasons;
      return { condition: operatorConditions.ready, reason, message: error.message };
    }
  }

  async #end(key: ObjectKey): Promise<void> {
    const id = formatObjectKey(key);
    const standing = this.#standing.get(id);
    this.#standing.delete(id);
    await standing?.running.stop();
  }

  #dropUnknown(): void {
    const uids = new Set(this.#operators.list().map(({ metadata }) => metadata.uid));
    void this.#records.dropUnknown((uid) => uids.has(uid));
  }

  #isOnly(operator: OperatorObject): boolean {
    const own = formatObjectKey(objectKey(operator));
    return this.#ofKind(operator).every((key) => formatObjectKey(key) === own);
  }

  /** The Operators for the same kind: whether one is the only one matters to each of them. */
  #ofKind(operator: OperatorObject): ObjectKey[] {
    const own = kindId(operator.spec.for);
    const others = this.#operators.list().filter(({ spec }) => kindId(spec.for) === own);
    return [objectKey(operator), ...others.map(objectKey)];
  }

  #enqueue(key: ObjectKey): void {
    for (const noted of this.#noted([key])) this.#controller.enqueue(noted);
  }

  #noted(keys: readonly ObjectKey[]): readonly ObjectKey[] {
    for (const key of keys) this.#changed.add(formatObjectKey(key));
    return keys;
  }

  /** The Operators that call a Function, or that it belongs to. */
  #usersOf(object: FunctionObject): ObjectKey[] {
    const { namespace, name } = objectKey(object);
    const users = this.#operators
      .list(namespace)
      .filter((operator) => functionNameOf(operator) === name)
      .map(objectKey);
    const owner = toController({ group: parseApiVersion(apiVersion).group, kind: 'Operator' });
    return users.length > 0 ? users : owner(object);
  }

  #accessChanged(concerned: readonly Concerned[]): void {
    for (const operator of this.#operators.list()) {
      const account = accountOf(operator);
      if (!concerned.some((one) => concerns(one, account))) continue;
      this.#reviews.forget(account);
      this.#enqueue(objectKey(operator));
    }
  }

  async #ownershipChanged(): Promise<void> {
    const { settled } = this.#records;
    settled.moved();
    for (const operator of this.#operators.list()) this.#controller.enqueue(objectKey(operator));
    // Whoever has a key next goes by what was known of it. Without, it is run once more.
    await settled.flush().catch(() => undefined);
  }

  #definitionChanged(definition: KubeObject): void {
    const group = definition.metadata.name.split('.').slice(1).join('.');
    this.#kinds.forget();
    for (const operator of this.#operators.list()) {
      const named = kindsNamed(operator.spec);
      const isNamed = named.some((kind) => parseApiVersion(kind.apiVersion).group === group);
      if (isNamed) this.#enqueue(objectKey(operator));
    }
  }
}
