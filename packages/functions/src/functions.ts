/**
 * The Function kind brought to life: Function -> Revision -> Instances -> traffic.
 *
 * I1. Demand and readiness act in the tick in which they happen; objects and status follow.
 * I2. A sleeping Function has a route, its entries in caches, and nothing else: no process, no
 *     timer, no watch of its own.
 * I3. After a restart, Functions that served serve again from their routes alone: nothing is
 *     prepared or started before somebody calls.
 */
import {
  type FunctionObject,
  functionType,
  parseRevision,
  type RevisionObject,
  resolveScale,
  revisionType,
} from '@fnlet/api';
import type { MetricFamily } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import type { InstanceEvent, RunnableRevision } from '@fnlet/executor';
import { formatObjectKey, type ObjectKey, objectKey, parseObjectKey } from '@fnlet/machinery';
import {
  type Controller,
  createController,
  createEventRecorder,
  createManager,
  createStatusWriter,
  type EventRecorder,
  fromCache,
  type Manager,
  toController,
} from '@fnlet/reconcile';
import { type CurrentLoad, describeLoad, type Floor } from '@fnlet/scaling';
import { AccountTokens } from './account-tokens.ts';
import { ArtifactSweeper } from './artifact-sweeper.ts';
import { artifactsInUse, uploadsInUse } from './artifacts-in-use.ts';
import { ConfigurationReader } from './configuration-reader.ts';
import { type Service, serviceType } from './core-kinds.ts';
import { FunctionReconciler } from './function-reconciler.ts';
import { FunctionsError } from './functions-error.ts';
import type { FunctionsOptions } from './functions-options.ts';
import {
  findRevision,
  functionsActingAs,
  functionsAwaiting,
  functionsOn,
  functionsReferringTo,
  isServiceChanged,
  type KubernetesState,
  openState,
} from './kubernetes-state.ts';
import { limits } from './limits.ts';
import {
  planCanaryHappening,
  planInstanceHappening,
  planProvenHappening,
  planRetiredHappening,
  planRolloutHappening,
  planScalingHappening,
  planSourceHappening,
} from './plan-happening.ts';
import { isOwnedBy } from './plan-revision.ts';
import { RevisionKeeper } from './revision-keeper.ts';
import { RevisionLoader } from './revision-loader.ts';
import { loadingFailure, type RolloutFailure } from './rollout-failure.ts';
import { type RolloutChange, type RolloutRequest, Rollouts } from './rollouts.ts';
import { isAdded, RuntimeKeeper } from './runtime-keeper.ts';
import { Scaler, type ScalingNews } from './scaler.ts';
import { FunctionScaling } from './scaling/function-scaling.ts';
import { instanceMetrics } from './scaling/instance-metrics.ts';
import { awaitWebhooks } from './source/await-webhooks.ts';
import { SecretReader } from './source/secret-reader.ts';
import { type SourceNews, SourceTracker } from './source/source-tracker.ts';
import { SourceTrees } from './source/source-trees.ts';
import type { CanaryChange } from './traffic/canaries.ts';
import { planRestoredRoutes } from './traffic/plan-restored-routes.ts';
import { planShareFloors } from './traffic/plan-shift.ts';
import { Takeovers } from './traffic/takeovers.ts';
import { Traffic } from './traffic/traffic.ts';

export interface Functions {
  /** Resolves once the routes of all Functions that served before are in place again. */
  readonly restored: Promise<void>;
  /** The Gateway's `onDemand`. */
  onDemand(revisionId: string): void;
  /** Instances, and what the scaler decided, for Prometheus. */
  metrics(): readonly MetricFamily[];
  /** What the calls of a Function are now; `undefined`: there is no such Function. */
  loadOf(key: ObjectKey): CurrentLoad | undefined;
  /** Works until `signal` aborts. To be called once. Executor and Gateway stay their owner's. */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * @example
 * const functions = createFunctions({ client, executor, gateway, artifacts, … });
 * const running = functions.run(signal);
 * await functions.restored;
 * await gateway.listen({ host, port });
 */
export function createFunctions(options: FunctionsOptions): Functions {
  return new FunctionsLoop(options);
}

class FunctionsLoop implements Functions {
  readonly restored: Promise<void>;
  readonly #options: FunctionsOptions;
  readonly #resolveRestored: () => void;
  readonly #manager: Manager;
  readonly #state: KubernetesState;
  readonly #events: EventRecorder;
  readonly #controller: Controller;
  readonly #sources: SourceTracker;
  readonly #sourceChecks: Controller;
  readonly #traffic: Traffic;
  readonly #takeovers: Takeovers;
  readonly #runtimes: RuntimeKeeper;
  readonly #accounts: AccountTokens;
  readonly #configurations: ConfigurationReader;
  readonly #loader: RevisionLoader;
  readonly #scaling: FunctionScaling;
  readonly #scaler: Scaler;
  readonly #rollouts: Rollouts;
  readonly #sweeper: ArtifactSweeper;
  readonly #loadTroubles = new Map<string, RolloutFailure>();

  constructor(options: FunctionsOptions) {
    const { client, api, executor, gateway, artifacts, mounts, runtimes, bodyBytesMax } = options;
    const { clock, random, logger } = options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.restored = promise;
    this.#resolveRestored = resolve;
    this.#options = options;
    this.#manager = createManager({ client, clock, random, logger });
    this.#state = openState(this.#manager);
    this.#events = createEventRecorder({ client, component: 'fnlet', clock, random, logger });
    this.#traffic = new Traffic({ gateway, bodyBytesMax });
    const cache = this.#state.runtimes;
    const { onRuntimeUnused, sources: fetcher } = options;
    this.#runtimes = new RuntimeKeeper({
      ...{ client, cache, runtimes, onChanged: onRuntimeUnused, clock, logger },
    });
    const secrets = new SecretReader(client);
    this.#sources = new SourceTracker({
      ...{ fetcher, secrets, clock, random },
      schedule: (key, afterMs) => this.#sourceChecks.enqueue(key, { afterMs }),
      onChange: (key, news) => this.#onSource(key, news),
    });
    // One queue for all servers: it asks each once at a time, and has the one timer of all.
    this.#sourceChecks = createController({
      name: 'sources',
      sources: [],
      reconcile: (key, { signal }) => this.#sources.check(key, signal),
      concurrency: limits.sourceChecksMax,
      deadlineMs: limits.sourceCheckMs,
      ...{ clock, random, logger },
    });
    this.#accounts = this.#createAccounts(client);
    const accounts = mounts && this.#accounts;
    this.#configurations = new ConfigurationReader({ client, api, accounts });
    this.#loader = new RevisionLoader({
      ...{ artifacts, mounts, runtimes: this.#runtimes, bodyBytesMax, onRuntimeUnused },
      trees: new SourceTrees({ fetcher, secrets }),
      isRunning: (id) => executor.instances(id).length > 0,
    });
    this.#scaling = this.#createScaling(client);
    this.#scaler = this.#createScaler();
    this.#takeovers = this.#createTakeovers();
    this.#rollouts = new Rollouts({
      loader: this.#loader,
      scaler: this.#scaler,
      executor,
      clock,
      onProven: (request, tookMs) => this.#onProven(request, tookMs),
      onChange: (key, change) => this.#onRollout(key, change),
    });
    this.#sweeper = new ArtifactSweeper({
      sweep: async (keep) => {
        await artifacts.sweep(keep);
        await fetcher.sweep(uploadsInUse(this.#state));
      },
      inUse: () => artifactsInUse(this.#state, this.#loader),
      clock,
      logger,
    });
    this.#controller = this.#createController(client);
  }

  #createScaling(client: Client): FunctionScaling {
    const { executor, readUsage, fetchText, lagOf, clock, random, logger } = this.#options;
    return new FunctionScaling({
      ...{ client, executor, readUsage, fetchText, lagOf, clock, random, logger },
      onFloors: (key) => {
        for (const id of this.#traffic.revisionsOf(key)) this.#scaler.serve(id);
      },
      onRead: (key, isWanted) => {
        for (const id of this.#traffic.revisionsOf(key)) this.#scaler.look(id, isWanted);
      },
      onHappening: (key, happening) => {
        const owner = this.#state.functions.get(key);
        if (owner !== undefined) this.#events.record(owner, happening);
        this.#controller.enqueue(key);
      },
    });
  }

  #createScaler(): Scaler {
    const { executor, gateway, clock } = this.#options;
    return new Scaler({
      ...{ executor, gateway, clock },
      scaleOf: (id) => this.#traffic.scaleOf(id),
      floorsOf: (id) => this.#floorsOf(id),
      readingsOf: (revision, scale) => this.#scaling.readingsOf(revision, scale),
      onNeed: (revision, needed) => this.#scaling.onNeed(revision, needed),
      known: (id) => this.#loader.known(id),
      load: (id, signal) => this.#load(id, signal),
      onLoaded: (id) => this.#onLoaded(id),
      onLoadFailed: (id, error) => this.#onLoadFailed(id, error),
      onScaled: (news) => this.#onScaled(news),
    });
  }

  #floorsOf(revisionId: string): readonly Floor[] {
    const part = this.#traffic.partOf(revisionId);
    if (part === undefined) return [];
    const floors = this.#scaling.floorsOf(part.key);
    return part.percent === 100 ? floors : planShareFloors(floors, part.percent);
  }

  #createTakeovers(): Takeovers {
    const { executor, gateway, clock, random, logger } = this.#options;
    return new Takeovers({
      ...{ traffic: this.#traffic, scaler: this.#scaler, executor, gateway },
      ...{ clock, random, logger },
      functionOf: (key) => this.#state.functions.get(key),
      find: (owner, name) => findRevision(this.#state, owner, name),
      onLeft: (id) => this.#loader.forget(id),
      onCanary: (owner, change) => this.#onCanary(owner, change),
    });
  }

  #createAccounts(client: Client): AccountTokens {
    const { clock } = this.#options;
    return new AccountTokens({ client, clock, onStale: (stale) => this.#enqueueUsers(stale) });
  }

  onDemand(revisionId: string): void {
    this.#scaler.onDemand(revisionId);
  }

  metrics(): readonly MetricFamily[] {
    const instances = this.#options.executor.instances();
    return [...instanceMetrics(this.#scaler.wanted(), instances), this.#scaling.decisions()];
  }

  loadOf(key: ObjectKey): CurrentLoad | undefined {
    const owner = this.#state.functions.get(key);
    if (owner === undefined) return undefined;
    const parts = this.#traffic.revisionsOf(key).map((id) => this.#scaler.recentOf(id));
    return describeLoad(parts, resolveScale(owner.spec.scale).spans);
  }

  async run(signal: AbortSignal): Promise<void> {
    const unsubscribe = this.#options.executor.subscribe((event) => this.#onInstance(event));
    this.#manager.addService(this.#events);
    this.#manager.addService({ name: 'restoring routes', run: (stop) => this.#restore(stop) });
    this.#manager.addController(this.#controller);
    this.#manager.addController(this.#runtimes.controller);
    this.#manager.addController(this.#sourceChecks);
    for (const controller of this.#scaling.controllers) this.#manager.addController(controller);
    this.#manager.addController(this.#takeovers.controller);
    try {
      await this.#manager.run(signal);
    } finally {
      unsubscribe();
      this.#rollouts.close();
      this.#scaler.close();
      this.#scaling.close();
      this.#sweeper.close();
      this.#accounts.close();
    }
  }
  #createController(client: Client): Controller {
    const { clock, logger, executor, gatewayUrl } = this.#options;
    const state = this.#state;
    const reconciler = new FunctionReconciler({
      client,
      configurations: this.#configurations,
      state,
      revisions: new RevisionKeeper({
        client: client.of<RevisionObject>(revisionType),
        cache: state.revisions,
        status: createStatusWriter({ client: client.of<RevisionObject>(revisionType), clock }),
      }),
      services: client.of<Service>(serviceType),
      status: createStatusWriter({ client: client.of<FunctionObject>(functionType), clock }),
      events: this.#events,
      traffic: this.#traffic,
      takeovers: this.#takeovers,
      scaler: this.#scaler,
      scaling: this.#scaling,
      rollouts: this.#rollouts,
      loader: this.#loader,
      sources: this.#sources,
      runtimes: this.#runtimes,
      executor,
      untilShown: this.#options.untilShown ?? (() => Promise.resolve()),
      loadTrouble: (revisionId) => this.#loadTroubles.get(revisionId),
      executorOf: this.#options.executorOf,
      gatewayUrl,
      clock,
    });
    const isDeleted = ({ kind }: { readonly kind: string }): boolean => kind === 'deleted';
    return createController({
      name: 'functions',
      sources: [
        // Nothing is decided before the routes stand as they stood.
        { synced: this.restored, start: () => () => {} },
        // Every write, not only of the spec: what others write into the status is put right.
        fromCache(state.functions),
        fromCache(state.revisions, { map: toController(functionType), predicate: isDeleted }),
        fromCache(state.services, {
          map: toController(functionType),
          predicate: (change) => isDeleted(change) || isServiceChanged(state, change.object),
        }),
        fromCache(state.secrets, {
          map: (secret) => functionsAwaiting(state, secret, this.#rollouts),
        }),
        fromCache(state.runtimes, {
          map: (runtime) => functionsOn(state, runtime),
          predicate: ({ object }) => isAdded(object),
        }),
        fromCache(state.configMaps, { map: (object) => functionsReferringTo(state, object) }),
      ],
      reconcile: (key, context) => reconciler.reconcile(key, context),
      concurrency: limits.workers,
      clock,
      logger,
    });
  }

  /** I3: what served before serves again, before anything is looked at more closely. */
  async #restore(signal: AbortSignal): Promise<void> {
    const { functions, revisions, runtimes } = this.#state;
    const aborted = new Promise<void>((resolve) =>
      signal.addEventListener('abort', () => resolve(), { once: true }),
    );
    await Promise.race([
      Promise.all([functions, revisions, runtimes].map(({ synced }) => synced)),
      aborted,
    ]);
    if (signal.aborted) return;
    this.#takeovers.restore(planRestoredRoutes(functions.list(), (key) => revisions.get(key)));
    revisions.subscribe((event) => {
      if (event.kind !== 'deleted') return;
      const revisionId = formatObjectKey(objectKey(event.object));
      this.#loader.forget(revisionId);
      this.#loadTroubles.delete(revisionId);
      this.#sweeper.request();
    });
    this.#sweeper.request();
    awaitWebhooks(functions, this.#options.onWebhooks);
    this.#resolveRestored();
  }

  /** A Revision that is called though it was not started in this life of the process. */
  async #load(revisionId: string, signal: AbortSignal): Promise<RunnableRevision> {
    const key = parseObjectKey(revisionId);
    const { client } = this.#options;
    const found = await client.of<RevisionObject>(revisionType).tryGet(key, { signal });
    if (found === undefined) {
      const message = `Cannot load Revision "${revisionId}": it does not exist any more`;
      throw new FunctionsError('RevisionNotFound', message);
    }
    const revision = parseRevision(found);
    const { spec } = revision;
    const wanted = { namespace: key.namespace, spec };
    const configuration = await this.#configurations.read(wanted, signal);
    if (configuration.kind === 'blocked') {
      throw new FunctionsError('EnvironmentNotFound', configuration.message, { retry: 'later' });
    }
    return this.#loader.load(revision, configuration, { signal });
  }

  #onLoaded(revisionId: string): void {
    this.#loadTroubles.delete(revisionId);
    this.#enqueueOwner(revisionId);
  }

  #onLoadFailed(revisionId: string, error: unknown): void {
    this.#loadTroubles.set(revisionId, loadingFailure(error));
    this.#enqueueOwner(revisionId);
  }

  #enqueueUsers(accounts: readonly ObjectKey[]): void {
    for (const key of functionsActingAs(this.#state, accounts)) this.#controller.enqueue(key);
  }

  #enqueueOwner(revisionId: string): void {
    const revision = this.#state.revisions.get(parseObjectKey(revisionId));
    if (revision === undefined) return;
    const { namespace = '' } = revision.metadata;
    this.#controller.enqueue({ namespace, name: revision.spec.function });
  }

  #onInstance(event: InstanceEvent): void {
    this.#scaler.onInstance(event);
    this.#rollouts.onInstance(event);
    if (event.kind === 'stopped') this.#loader.release(event.instance.revision.id);
    const { namespace, function: name } = event.instance.revision;
    const owner = this.#state.functions.get({ namespace, name });
    const happening = planInstanceHappening(event);
    if (happening !== undefined && owner !== undefined) this.#events.record(owner, happening);
    if (event.kind === 'ready' && owner !== undefined) this.#takeovers.onInstances(owner);
    this.#controller.enqueue({ namespace, name }, { afterMs: limits.instancesMs });
  }

  /** I1: the route moves in the tick in which the first Instance is ready. */
  #onProven({ key, revision }: RolloutRequest, tookMs: number): void {
    const { name } = revision.metadata;
    const revisionId = formatObjectKey(objectKey(revision));
    const owner = this.#state.functions.get(key);
    if (owner === undefined || !isOwnedBy(revision, owner)) {
      this.#scaler.abandon(revisionId);
      return;
    }
    const isServed = this.#takeovers.onProven(owner, { name, timeout: revision.spec.timeout });
    this.#events.record(owner, planProvenHappening(name, tookMs, isServed));
    const runtime = this.#runtimes.resolve(revision.spec.runtime);
    const warning = runtime.kind === 'found' ? runtime.warning : undefined;
    if (warning !== undefined) this.#events.record(owner, planRetiredHappening(warning));
    this.#controller.enqueue(key);
  }

  #onSource(key: ObjectKey, news: SourceNews): void {
    const owner = this.#state.functions.get(key);
    const happening = planSourceHappening(news);
    if (owner !== undefined && happening !== undefined) this.#events.record(owner, happening);
    this.#controller.enqueue(key);
  }

  #onRollout(key: ObjectKey, change: RolloutChange): void {
    const owner = this.#state.functions.get(key);
    const happening = planRolloutHappening(change);
    if (owner !== undefined && happening !== undefined) this.#events.record(owner, happening);
    const isProgress = change.after.phase === 'preparing';
    this.#controller.enqueue(key, { afterMs: isProgress ? limits.progressMs : 0 });
  }

  #onCanary(owner: FunctionObject, change: CanaryChange): void {
    this.#events.record(owner, planCanaryHappening(change, owner.spec));
    this.#controller.enqueue(objectKey(owner));
  }

  #onScaled(news: ScalingNews): void {
    const { namespace, function: name } = news.revision;
    this.#scaling.onScaled(news);
    if (news.isWoken) return;
    const owner = this.#state.functions.get({ namespace, name });
    if (owner !== undefined) this.#events.record(owner, planScalingHappening(news));
  }
}
