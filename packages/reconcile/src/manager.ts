/**
 * Runs what a process has of caches, services and controllers.
 *
 * I1. One cache per kind and selection, however many controllers read it; see SharedCaches.
 * I2. Start: caches and services, then controllers; those that only the leader runs, whenever this
 *     process leads. Stop: controllers first, so that what they read and write through is still
 *     there while their last runs end; then leadership, then services and caches.
 * I3. When one of them fails for good, all are stopped and `run` rejects with its error.
 * I4. Leadership that is lost ends its controllers at once: another leader may begin. Everything
 *     else that ends is drained first, for `drainMs` at most.
 */
import { assert, type Clock, type Logger, type Random, sleep } from '@fnlet/base';
import type { Cache, Client } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import type { ObjectShape } from '@fnlet/sdk/operator';
import type { Controller } from './controller.ts';
import {
  type ControllerHost,
  createKindController,
  type KindControllerOptions,
} from './kind-controller.ts';
import type { LeaderElection } from './leadership.ts';
import { drainMs as defaultDrainMs, warmMs } from './limits.ts';
import { type Service, ServiceGroup } from './service-group.ts';
import { type CacheLease, type CacheRequest, SharedCaches } from './shared-cache/shared-caches.ts';
import { tracedTransport } from './trace/run-trace.ts';
import { createWriteThroughClient } from './write-through-client.ts';

/** The owner of what runs: it starts and stops everything in order. */
export interface Manager {
  /** The client that all of this manager shares: its writes are in the caches at once. */
  readonly client: Client;
  /** Whether this process runs the controllers that only the leader runs. */
  readonly isLeader: boolean;
  /** Every cache in use, for metrics and health. */
  readonly caches: readonly Cache<KubeObject>[];
  /**
   * The one cache of this kind and selection. What its users keep and search by adds up; when one
   * who comes while it runs needs more than it keeps, a wider watch takes its place, and only that
   * user's `synced` waits for it.
   */
  cache<T extends KubeObject>(type: ResourceType, options?: CacheRequest<T>): Cache<T>;
  /** Like `cache`, for who may leave again: a cache that nobody uses ends. */
  openCache<T extends KubeObject>(type: ResourceType, options?: CacheRequest<T>): CacheLease<T>;
  /** Runs beside the caches, such as an EventRecorder; returns the way to end it. */
  addService(service: Service): () => Promise<void>;
  /**
   * Runs once caches and services have been started and, unless it runs everywhere, while this
   * process leads: then it may be run, and end, more than once. Returns the way to end it.
   */
  addController(controller: Service, options?: AddControllerOptions): () => Promise<void>;
  /** Puts a controller of one kind together and runs it while this process leads. */
  controller<T extends ObjectShape>(options: KindControllerOptions<T>): RunningController;
  /** Works until `signal` aborts and everything has stopped. To be called once. */
  run(signal: AbortSignal): Promise<void>;
}

export interface AddControllerOptions {
  /** Whether it runs whether or not this process leads. Default false. */
  readonly everywhere?: boolean;
}

/** A controller that a manager runs. */
export interface RunningController extends Pick<Controller, 'name' | 'enqueue' | 'stats'> {
  /** Drains and ends it, and the watches that nobody else needs. */
  remove(): Promise<void>;
}

export interface ManagerOptions extends Pick<ControllerHost, 'ownership' | 'metrics'> {
  readonly client: Client;
  /** Which of several processes runs the controllers. Default: this one. */
  readonly election?: LeaderElection | undefined;
  /**
   * Whether cached objects are frozen, so that changing what all share throws. Default true; a
   * program that is known not to may save the time.
   */
  readonly freeze?: boolean | undefined;
  /** How long the runs in progress may take to end by themselves. Default 20 seconds. */
  readonly drainMs?: number | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/**
 * A manager that runs nothing yet: caches, services and controllers are added to it.
 *
 * @example
 * const manager = createManager({ client, clock, random, logger });
 * manager.controller({
 *   for: WebSite, owns: [Deployment], concurrency: 8,
 *   async reconcile(key, { cache, client }) {
 *     const site = cache(WebSite).get(key);
 *     if (site === undefined) return done();
 *     await client.apply(deployment(site), { owner: site });
 *     await client.status.apply(site, { conditions: [ready()] });
 *     return requeueAfter('10m');
 *   },
 * });
 * await manager.run(signal);
 */
export function createManager(options: ManagerOptions): Manager {
  return new OrderedManager(options);
}

class OrderedManager implements Manager {
  readonly client: Client;
  readonly #options: ManagerOptions;
  readonly #caches: SharedCaches;
  readonly #services: ServiceGroup;
  readonly #everywhere: ServiceGroup;
  readonly #leading: ServiceGroup;
  readonly #failure = Promise.withResolvers<never>();
  #state: 'idle' | 'running' | 'stopping' = 'idle';

  constructor(options: ManagerOptions) {
    const { client, freeze, clock, random, logger } = options;
    this.#options = options;
    const onFailure = (error: unknown): void => this.#failure.reject(error);
    // Who waits for it is told by `run`; a failure after that has nobody to tell.
    this.#failure.promise.catch(() => undefined);
    this.#caches = new SharedCaches({ client, freeze, clock, random, logger, onFailure });
    const traced = client.over(tracedTransport(client.transport));
    this.client = createWriteThroughClient(traced, (type, object) =>
      this.#caches.observe(type, object),
    );
    this.#services = new ServiceGroup({ logger, onFailure });
    this.#everywhere = new ServiceGroup({ logger, onFailure });
    this.#leading = new ServiceGroup({ logger, onFailure });
  }

  get isLeader(): boolean {
    return this.#options.election?.isLeader ?? this.#state === 'running';
  }

  get caches(): readonly Cache<KubeObject>[] {
    return this.#caches.all;
  }

  cache<T extends KubeObject>(type: ResourceType, options?: CacheRequest<T>): Cache<T> {
    return this.openCache(type, options).cache;
  }

  openCache<T extends KubeObject>(type: ResourceType, options?: CacheRequest<T>): CacheLease<T> {
    return this.#caches.open(type, options);
  }

  addService(service: Service): () => Promise<void> {
    return this.#add(this.#services, service);
  }

  addController(
    controller: Service,
    { everywhere = false }: AddControllerOptions = {},
  ): () => Promise<void> {
    return this.#add(everywhere ? this.#everywhere : this.#leading, controller);
  }

  controller<T extends ObjectShape>(options: KindControllerOptions<T>): RunningController {
    const host = {
      ...this.#options,
      client: this.client,
      openCache: this.openCache.bind(this),
    };
    const { controller, events, close } = createKindController(options, host);
    const endEvents = this.addService(events);
    const end = this.addController(controller);
    return {
      name: controller.name,
      enqueue: (key, add) => controller.enqueue(key, add),
      stats: () => controller.stats(),
      async remove() {
        await end();
        await endEvents();
        close();
      },
    };
  }

  #add(group: ServiceGroup, service: Service): () => Promise<void> {
    group.add(service);
    return () => this.#drained((drained) => group.remove(service, drained));
  }

  async run(signal: AbortSignal): Promise<void> {
    assert(this.#state === 'idle', 'a manager runs once');
    this.#state = 'running';
    const withdraw = new AbortController();
    this.#caches.start();
    this.#services.start();
    this.#everywhere.start();
    const elected = this.#elect(withdraw.signal);
    try {
      await Promise.race([aborted(signal), this.#failure.promise]);
    } finally {
      this.#state = 'stopping';
      await this.#drained(async (drained) => {
        await Promise.all([this.#leading.stop(drained), this.#everywhere.stop(drained)]);
      });
      withdraw.abort();
      await elected;
      await this.#services.stop(AbortSignal.abort());
      await this.#caches.stop();
    }
  }

  /** Leads whenever this process may, until `signal` aborts; it never rejects. */
  async #elect(signal: AbortSignal): Promise<void> {
    const { election } = this.#options;
    if (election === undefined) {
      this.#leading.start();
      return;
    }
    try {
      if (await this.#isWarm(signal)) await election.run(signal, (leading) => this.#lead(leading));
    } catch (error) {
      this.#failure.reject(error);
    }
  }

  async #lead(signal: AbortSignal): Promise<void> {
    if (this.#state !== 'running') return;
    this.#leading.start();
    await aborted(signal);
    await this.#leading.stop(AbortSignal.abort()); // I4
  }

  /** Who cannot read had better not lead; who cannot read something only has to, in the end. */
  async #isWarm(signal: AbortSignal): Promise<boolean> {
    const warm = new AbortController();
    const stop = (): void => warm.abort();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    void Promise.all(this.caches.map((cache) => cache.synced)).then(stop);
    await sleep(this.#options.clock, warmMs, warm.signal);
    signal.removeEventListener('abort', stop);
    return !signal.aborted;
  }

  async #drained(end: (drained: AbortSignal) => Promise<void>): Promise<void> {
    const drained = new AbortController();
    const { clock, drainMs = defaultDrainMs } = this.#options;
    const timer = clock.after(drainMs, () => drained.abort());
    try {
      await end(drained.signal);
    } finally {
      timer.cancel();
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
