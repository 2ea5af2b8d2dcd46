/**
 * Runs what a process has of caches, services and controllers.
 *
 * I1. One cache per kind and selection, however many controllers read it.
 * I2. Start: caches and services, then controllers. Stop: controllers first, so that what they read
 *     and write through is still there while their last runs end.
 * I3. When one of them fails for good, all are stopped and `run` rejects with its error.
 */
import { assert, type Clock, errorMessage, type Logger, type Random } from '@fnlet/base';
import { type Cache, type CacheOptions, type Client, createCache } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';

/** Something that works until `signal` aborts; `run` returns once it has stopped. */
export interface Service {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
}

/** What a shared cache keeps and how it is searched; see CacheOptions of the client. */
export type SharedCacheOptions<T extends KubeObject> = Pick<
  CacheOptions<T>,
  | 'namespace'
  | 'namespaces'
  | 'labelSelector'
  | 'fieldSelector'
  | 'keep'
  | 'metadataOnly'
  | 'project'
  | 'indexes'
>;

/** The owner of what runs: it starts and stops everything in order. */
export interface Manager {
  /**
   * The one cache of this kind and selection. Projection and indexes are those of the first who
   * asks; whoever asks later takes the cache as it is.
   */
  cache<T extends KubeObject>(type: ResourceType, options?: SharedCacheOptions<T>): Cache<T>;
  /** Runs beside the caches, such as an EventRecorder. */
  addService(service: Service): void;
  /** Runs once caches and services have been started. */
  addController(controller: Service): void;
  /** Works until `signal` aborts and everything has stopped. To be called once, after all adds. */
  run(signal: AbortSignal): Promise<void>;
}

export interface ManagerOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** A manager that runs nothing yet: caches, services and controllers are added to it. */
export function createManager(options: ManagerOptions): Manager {
  return new OrderedManager(options);
}

class OrderedManager implements Manager {
  readonly #options: ManagerOptions;
  readonly #caches = new Map<string, Cache<KubeObject>>();
  readonly #services: Service[] = [];
  readonly #controllers: Service[] = [];
  #started = false;

  constructor(options: ManagerOptions) {
    this.#options = options;
  }

  cache<T extends KubeObject>(type: ResourceType, options: SharedCacheOptions<T> = {}): Cache<T> {
    const { namespace, namespaces, labelSelector, fieldSelector, metadataOnly } = options;
    const scope = [namespace, namespaces, labelSelector, fieldSelector, metadataOnly];
    const key = JSON.stringify([type.group, type.plural, ...scope]);
    const known = this.#caches.get(key);
    if (known !== undefined && isCacheOf<T>(known, type)) return known;
    const { client, clock, random, logger } = this.#options;
    const cache = createCache<T>({ ...options, client, type, clock, random, logger });
    this.#caches.set(key, cache);
    this.addService({ name: `cache of ${type.plural}`, run: (signal) => cache.run(signal) });
    return cache;
  }

  addService(service: Service): void {
    assert(!this.#started, 'services are added before the manager runs');
    this.#services.push(service);
  }

  addController(controller: Service): void {
    assert(!this.#started, 'controllers are added before the manager runs');
    this.#controllers.push(controller);
  }

  async run(signal: AbortSignal): Promise<void> {
    assert(!this.#started, 'a manager runs once');
    this.#started = true;
    const failure = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<void>();
    const onAbort = (): void => stopped.resolve();
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    const services = this.#start(this.#services, failure.reject);
    const controllers = this.#start(this.#controllers, failure.reject);
    try {
      await Promise.race([stopped.promise, failure.promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
      await controllers.stop();
      await services.stop();
    }
  }

  #start(
    services: readonly Service[],
    onFailure: (error: unknown) => void,
  ): { stop(): Promise<unknown> } {
    const abort = new AbortController();
    const running = services.map(async (service) => {
      try {
        await service.run(abort.signal);
      } catch (error) {
        this.#options.logger.error(`Cannot run ${service.name}: ${errorMessage(error)}`);
        onFailure(error);
      }
    });
    return {
      stop() {
        abort.abort();
        return Promise.all(running);
      },
    };
  }
}

function isCacheOf<T extends KubeObject>(
  cache: Cache<KubeObject>,
  type: ResourceType,
): cache is Cache<T> {
  return cache.type.group === type.group && cache.type.kind === type.kind;
}
