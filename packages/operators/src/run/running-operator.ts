/**
 * One operator at work: the standing operator runtime, whose questions go to a Function.
 *
 * I1. It reads through caches that are shared with all operators, and writes as its ServiceAccount.
 * I2. What it holds, it gives back when it ends: watches that nobody else needs end with it.
 */
import type { OperatorObject } from '@fnlet/api';
import { type Clock, type Logger, parseDuration, type Random } from '@fnlet/base';
import { actAs, type Client } from '@fnlet/client';
import type { Invoker } from '@fnlet/invocation';
import {
  type KubeObject,
  type ObjectKey,
  objectKey,
  parseQuantity,
  quantityValue,
} from '@fnlet/machinery';
import {
  type Controller,
  createEventRecorder,
  createFinalizer,
  createOperatorController,
  type EventRecorder,
  type KeyOwnership,
  type Manager,
  resourceTypeOf,
} from '@fnlet/reconcile';
import type { Operator, Requirement } from '@fnlet/sdk/operator';
import type { RequiredObjects } from '@fnlet/sdk/operator-wire';
import { type Account, userOf } from '../access/account.ts';
import { CallGate } from '../call/call-gate.ts';
import type { CallRoom } from '../call/call-room.ts';
import { createFunctionCaller, type FunctionCaller } from '../call/function-caller.ts';
import { Quarantine } from '../call/quarantine.ts';
import { createHookCaller, type HookCallerOptions } from '../hooks/hook-caller.ts';
import { payloadBytesMax, releasedAtOnceMax, writesMs } from '../limits.ts';
import type { DeclaredOperator } from '../plan/declare-operator.ts';
import { isBlindToStatus } from '../plan/predicate-of.ts';
import type { Explanation } from '../record/explanation.ts';
import type { HubRecords } from '../record/hub-records.ts';
import { openRunRecords, type RunRecords } from '../record/run-records.ts';
import { openSettledRecords, type SettledRecords } from '../record/settled-records.ts';
import { changedParts } from './changed-parts.ts';
import { explainObject } from './explain-object.ts';
import { type LeasedCaches, leaseCaches } from './leased-caches.ts';
import { LeavingKeys } from './leaving-keys.ts';
import { MapAsker } from './map-asker.ts';
import { ObjectBook, type ObjectTrouble } from './object-book.ts';
import { RemoteRuns } from './remote-runs.ts';

export interface RunningOperatorOptions {
  readonly object: OperatorObject;
  readonly declared: DeclaredOperator;
  readonly account: Account;
  /** Name of the Function that is called. */
  readonly function: string;
  /** Its Revision. */
  readonly revision: string | undefined;
  readonly manager: Manager;
  readonly invoke: Invoker;
  /** Shared by all operators. */
  readonly room: CallRoom;
  readonly requirementOf: (required: RequiredObjects) => Promise<Requirement>;
  /** The kind that URLs call so, as manifests do. */
  readonly kindOf: HookCallerOptions['kindOf'];
  readonly records: HubRecords;
  readonly ownership?: KeyOwnership | undefined;
  readonly onNews: () => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** What there is to tell of an operator at work. */
export interface OperatorCounts {
  readonly total: number;
  readonly settled: number;
  readonly failing: number;
  /** Objects whose children somebody else keeps from being as they are wanted. */
  readonly blocked: number;
  /** What one of those is in that fail or are blocked. */
  readonly trouble: ObjectTrouble | undefined;
  /** Why the function cannot say whom changes of others concern, while that is so. */
  readonly mapFailure: string | undefined;
  readonly queue: number;
  readonly lastRunMs: number | undefined;
  readonly nextDueMs: number | undefined;
}

export class RunningOperator {
  readonly records: RunRecords;
  readonly #options: RunningOperatorOptions;
  readonly #client: Client;
  readonly #gate: CallGate;
  readonly #caller: FunctionCaller;
  readonly #caches: LeasedCaches;
  readonly #keys: LeavingKeys;
  readonly #book = new ObjectBook();
  readonly #settled: SettledRecords;
  readonly #runs: RemoteRuns;
  readonly #events: EventRecorder;
  readonly #controller: Controller;
  readonly #mapAsker: MapAsker | undefined;
  readonly #ends: (() => Promise<void> | void)[] = [];
  #revision: string | undefined;

  /** @throws FnletError for an Operator that says what cannot be meant, such as a broken `when` */
  constructor(options: RunningOperatorOptions) {
    const { object, declared, account, manager, records, clock, random, logger } = options;
    this.#options = options;
    this.#client = manager.client.over(actAs(manager.client.transport, userOf(account)));
    const { invoke, function: name } = options;
    this.#gate = new CallGate({ clock, rate: object.spec.rate });
    this.#caller = this.#speaker(
      createFunctionCaller({
        ...{ invoke, namespace: account.namespace, function: name, clock },
        gate: this.#gate,
        quarantine: new Quarantine(clock),
        room: options.room,
        payloadBytesMax: bytesOf(object.spec.payload?.max),
      }),
    );
    const speaker = { client: this.#client, component: declared.name };
    this.#events = createEventRecorder({ ...speaker, clock, random, logger });
    this.#revision = options.revision;
    const { uid = '' } = object.metadata;
    this.#settled = openSettledRecords(records.settled, uid, this.#version());
    this.records = openRunRecords(records.runs, uid);
    this.#caches = leaseCaches(declared, manager);
    this.#keys = new LeavingKeys({
      ownership: options.ownership,
      isGoing: (key) => this.#caches.primaries.get(key)?.metadata.deletionTimestamp !== undefined,
      isLeaving: object.metadata.deletionTimestamp !== undefined,
    });
    try {
      this.#runs = this.#createRuns();
      this.#controller = this.#createController();
      this.#mapAsker = this.#createMapAsker();
    } catch (error) {
      this.#caches.close();
      throw error;
    }
  }

  /** Begins; caches are read first. */
  start(): void {
    const { manager } = this.#options;
    this.#ends.push(
      this.#caches.primaries.subscribe((event) => {
        const { uid = '' } = event.object.metadata;
        if (event.kind === 'updated') this.#hold(uid, event.old, event.object);
        else this.#options.onNews();
        if (event.kind === 'deleted') this.#runs.forget(uid);
      }),
      manager.addService(this.#events),
      manager.addController(this.#controller),
      ...(this.#mapAsker === undefined ? [] : [manager.addController(this.#mapAsker)]),
    );
  }

  /** Drains and ends it. */
  async stop(): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) await end();
    this.#caches.close();
  }

  /** Resolves once everything that it declares was read. */
  get synced(): Promise<unknown> {
    const { primaries, owned, watched } = this.#caches;
    return Promise.all([primaries, ...owned.map(of), ...watched.map(of)].map(syncedOf));
  }

  /** The Function has another Revision: it may say something else of every object. */
  setRevision(revision: string | undefined): void {
    if (revision === this.#revision) return;
    this.#revision = revision;
    this.#settled.reset(this.#version());
    this.#controller.resync();
  }

  /** The function does not serve: nobody calls it, and no try of an object is counted. */
  suspend(): void {
    this.#gate.suspend();
  }

  /** It serves again. */
  resume(): void {
    this.#gate.resume();
  }

  /** Asks for a run of this object, whatever was settled of it; of none that is not there. */
  wake(key: ObjectKey, by: string): void {
    const uid = this.#caches.primaries.get(key)?.metadata.uid;
    if (uid === undefined) return;
    this.#runs.unsettle(uid);
    this.#controller.enqueue(key, { cause: { kind: 'asked', by } });
  }

  /**
   * Runs nothing any more but what is being deleted, and takes the finalizer off all else, some at
   * a time. How many objects had it when this began: once there is none, nobody waits for it.
   */
  async leave(signal: AbortSignal): Promise<number> {
    await this.#keys.leave();
    const { declared, ownership } = this.#options;
    const client = this.#client.of<KubeObject>(resourceTypeOf(declared.for));
    const finalizer = createFinalizer({ client, name: `fnlet.dev/${declared.name}` });
    const held = this.#caches.primaries
      .list()
      .filter(({ metadata }) => metadata.finalizers?.includes(finalizer.name) === true);
    const free = held.filter(
      (object) =>
        object.metadata.deletionTimestamp === undefined &&
        ownership?.ownsKey(objectKey(object)) !== false,
    );
    for (const object of free.slice(0, releasedAtOnceMax)) await finalizer.remove(object, signal);
    return held.length;
  }

  counts(): OperatorCounts {
    return {
      total: this.#caches.primaries.stats().objects,
      settled: this.#book.settled,
      failing: this.#book.failing,
      blocked: this.#book.blocked,
      trouble: this.#book.trouble,
      mapFailure: this.#mapAsker?.failure,
      queue: this.#controller.stats().depth,
      lastRunMs: this.#runs.lastRunMs,
      nextDueMs: this.#book.nextDueMs(),
    };
  }

  /** Why the object of this key is as it is. */
  explain(key: ObjectKey): Explanation {
    const { namespace, name } = objectKey(this.#options.object);
    const operator = { namespace, name };
    const { apiVersion, kind } = this.#options.object.spec.for;
    const object = this.#caches.primaries.get(key);
    const known = this.#book.get(object?.metadata.uid ?? '');
    const paused = object?.metadata.annotations?.['fnlet.dev/paused'] === 'true';
    return explainObject({ operator, type: { apiVersion, kind }, key, object, known, paused });
  }

  #hold(uid: string, old: KubeObject, object: KubeObject): void {
    if (old.metadata.uid !== uid) this.#runs.forget(old.metadata.uid ?? '');
    this.#book.hold(uid, this.#options.clock.now(), changedParts(old, object));
  }

  // What was settled by other code, or for another spec, is not settled any more.
  #version(): string {
    const { object, function: name } = this.#options;
    return [object.metadata.generation, name, this.#revision].join(' ');
  }

  #createRuns(): RemoteRuns {
    const { object, declared, clock, requirementOf } = this.#options;
    const { namespace, name: operatorName } = objectKey(object);
    const { spec } = object;
    return new RemoteRuns({
      operator: { namespace, name: operatorName },
      caches: this.#caches,
      relatedTo: (request) => this.#relatedTo(request),
      concernedBy: (request) => this.#concernedBy(request),
      requirementOf,
      caller: this.#caller,
      deadlineMs: parseDuration(spec.deadline),
      isBlindToStatus: declared.when === undefined || isBlindToStatus(declared.when),
      ...{ book: this.#book, settled: this.#settled, records: this.records },
      revision: () => this.#revision,
      onNews: this.#options.onNews,
      clock,
    });
  }

  /** In whose words the function is asked. */
  #speaker(caller: FunctionCaller): FunctionCaller {
    const { object, kindOf } = this.#options;
    const { hooks, owns: owned = [] } = object.spec;
    if (hooks === undefined) return caller;
    return createHookCaller({
      ...{ caller, hooks, kindOf },
      controller: { name: object.metadata.name, owned },
    });
  }

  #createController(): Controller {
    const { declared, manager, clock, random, logger } = this.#options;
    const ownership = this.#keys;
    const shared = { clock, random, logger };
    const events = this.#events;
    const client = this.#client;
    const runs = this.#runs;
    const operator: Operator = {
      ...declared,
      deadline: `${runDeadlineMs(parseDuration(this.#options.object.spec.deadline))}ms`,
      reconcile: (request) => runs.ask('reconcile', request),
      ...(this.#options.object.spec.finalize === true
        ? { cleanup: (request) => runs.ask('cleanup', request) }
        : {}),
    };
    return createOperatorController({
      ...shared,
      operator,
      manager: { cache: (type, options) => manager.cache(type, options), client },
      caches: this.#caches,
      ...{ events, ownership, observer: runs },
      isShared: this.#options.ownership !== undefined,
    });
  }

  /** Watches of which nobody but the function knows whom an object concerns. */
  get #asked(): readonly number[] {
    const { watches = [] } = this.#options.object.spec;
    return watches.flatMap(({ map }, index) => (map === undefined ? [index] : []));
  }

  #createMapAsker(): MapAsker | undefined {
    const { object, onNews, clock, logger } = this.#options;
    const watches = this.#asked;
    if (watches.length === 0) return undefined;
    const { namespace, name } = objectKey(object);
    return new MapAsker({
      ...{ operator: `${namespace}/${name}`, watches, caches: this.#caches },
      ...{ caller: this.#caller, timeoutMs: parseDuration(object.spec.deadline), clock, logger },
      enqueue: (key, options) => this.#controller.enqueue(key, options),
      onNews,
    });
  }

  /** What a run is sent of the objects that are watched. */
  #relatedTo(request: Question): readonly KubeObject[] {
    const { watches = [] } = this.#options.object.spec;
    return this.#caches.watched.flatMap(({ cache }, index) => {
      const { related, map } = watches[index] ?? {};
      const isMapped = related === 'mapped' && map !== undefined;
      return isMapped ? this.#caches.mappedTo(index, keyOf(request)) : cache.list();
    });
  }

  /** What of it can be a reason to run: all of it, where only the function could tell. */
  #concernedBy(request: Question): readonly KubeObject[] {
    const { watches = [] } = this.#options.object.spec;
    return this.#caches.watched.flatMap(({ cache }, index) =>
      watches[index]?.map === undefined
        ? cache.list()
        : this.#caches.mappedTo(index, keyOf(request)),
    );
  }
}

/** How long a run may take whose calls may take so long, with the wait for room before them. */
function runDeadlineMs(callMs: number): number {
  return Math.ceil(1.5 * callMs) + writesMs;
}

type Question = Parameters<Operator['reconcile']>[0];

function keyOf({ object: { metadata } }: Question): ObjectKey {
  return { namespace: metadata.namespace ?? '', name: metadata.name };
}

function of<T extends { readonly cache: unknown }>({ cache }: T): T['cache'] {
  return cache;
}

function syncedOf({ synced }: { readonly synced: Promise<void> }): Promise<void> {
  return synced;
}

function bytesOf(max: string | number | undefined): number {
  const quantity = max === undefined ? undefined : parseQuantity(max);
  return quantity === undefined ? payloadBytesMax : quantityValue(quantity);
}
