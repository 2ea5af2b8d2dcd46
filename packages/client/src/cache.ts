import {
  assert,
  type Clock,
  deepFreeze,
  errorMessage,
  type Logger,
  type Random,
} from '@fnlet/base';
import {
  formatObjectKey,
  type KubeObject,
  type LabelSelector,
  matchesLabels,
  type ObjectKey,
  objectKey,
  parseLabelSelector,
  type ResourceType,
} from '@fnlet/machinery';
import type { Client } from './client.ts';
import { ObjectTable } from './object-table.ts';
import { isOlderVersion } from './resource-version.ts';
import { watchResource } from './watcher.ts';
import type { WatcherEvent } from './watcher-state.ts';

/** How the cache has changed. */
export type CacheEvent<T extends KubeObject> =
  | { readonly kind: 'added' | 'deleted'; readonly object: T }
  | { readonly kind: 'updated'; readonly object: T; readonly old: T };

export interface CacheOptions<T extends KubeObject> {
  readonly client: Client;
  readonly type: ResourceType;
  /** Only this namespace. */
  readonly namespace?: string | undefined;
  /** Only objects with these labels, as kubectl's `-l`. */
  readonly labelSelector?: string | undefined;
  /** Keeps only what is needed of each object. It must keep apiVersion, kind and metadata. */
  readonly project?: ((object: T) => T) | undefined;
  /** Whether `metadata.managedFields`, often half of an object, stays. Default false. */
  readonly keepManagedFields?: boolean | undefined;
  /** Named functions from an object to the values under which `byIndex` finds it. */
  readonly indexes?: Readonly<Record<string, (object: T) => readonly string[]>> | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** The objects of one kind as they are on the server, in memory and deeply frozen. */
export interface Cache<T extends KubeObject> {
  readonly type: ResourceType;
  /** Keeps the cache up to date until `signal` aborts. Call it once. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when the cache has shown the server's state for the first time. */
  readonly synced: Promise<void>;
  get(key: ObjectKey): T | undefined;
  /** Every object, or those of one namespace, in no particular order. */
  list(namespace?: string): readonly T[];
  /** The objects for which the index function `name` gives `value`. */
  byIndex(name: string, value: string): readonly T[];
  /**
   * Calls `listener` for every change; at once with `added` for each object that is there already.
   * The listener must only take note (enqueue a key): it holds up every other one.
   *
   * @returns the function that ends it
   */
  subscribe(listener: (event: CacheEvent<T>) => void): () => void;
  /**
   * Takes the answer of an own write, so that it is read back at once. A watch event that is older
   * does not undo it, and an answer that comes late does not undo the watch.
   */
  observe(object: T): void;
}

/** A cache with one watch, however many read from it. */
export function createCache<T extends KubeObject>(options: CacheOptions<T>): Cache<T> {
  return new WatchedCache(options);
}

/**
 * Owns the objects and the one watch that feeds them.
 *
 * I1. An object is never replaced by one with an older resourceVersion (KEP-5504).
 * I2. `#version` is the newest version up to which the watch has told everything. What `observe`
 *     brings is news only beyond it: otherwise a deletion that was told could be undone.
 * I3. While all objects are read anew, the old ones stay readable; those that were not told again
 *     and are not newer than the new state are deleted at its end.
 */
class WatchedCache<T extends KubeObject> implements Cache<T> {
  readonly type: ResourceType;
  readonly synced: Promise<void>;
  readonly #options: CacheOptions<T>;
  readonly #selector: LabelSelector;
  readonly #objects: ObjectTable<T>;
  readonly #listeners = new Set<(event: CacheEvent<T>) => void>();
  readonly #resolveSynced: () => void;
  #version: string | undefined;
  /** The keys told since the last restart; `undefined` while nothing is read anew. */
  #told: Set<string> | undefined;
  #running = false;

  constructor(options: CacheOptions<T>) {
    this.type = options.type;
    this.#options = options;
    this.#selector = parseLabelSelector(options.labelSelector ?? '');
    this.#objects = new ObjectTable(options.indexes ?? {});
    const { promise, resolve } = Promise.withResolvers<void>();
    this.synced = promise;
    this.#resolveSynced = resolve;
  }

  get(key: ObjectKey): T | undefined {
    return this.#objects.get(key);
  }

  list(namespace?: string): readonly T[] {
    return this.#objects.list(namespace);
  }

  byIndex(name: string, value: string): readonly T[] {
    return this.#objects.byIndex(name, value);
  }

  subscribe(listener: (event: CacheEvent<T>) => void): () => void {
    this.#listeners.add(listener);
    for (const object of this.#objects.list()) this.#call(listener, { kind: 'added', object });
    return () => {
      this.#listeners.delete(listener);
    };
  }

  observe(object: T): void {
    const { namespace, resourceVersion, labels } = object.metadata;
    const wanted = this.#options.namespace;
    if (wanted !== undefined && wanted !== namespace) return;
    if (!matchesLabels(this.#selector, labels)) return;
    if (this.#version !== undefined && !isOlderVersion(this.#version, resourceVersion)) return;
    this.#take(object);
  }

  async run(signal: AbortSignal): Promise<void> {
    assert(!this.#running, 'a cache runs once');
    this.#running = true;
    const { client, type, namespace, labelSelector, clock, random, logger } = this.#options;
    const events = watchResource<T>({
      client: client.of<T>(type),
      select: { namespace, labelSelector },
      clock,
      random,
      logger,
      signal,
    });
    for await (const event of events) this.#follow(event);
  }

  #follow(event: WatcherEvent<T>): void {
    switch (event.kind) {
      case 'restarted':
        this.#told = new Set();
        return;
      case 'applied':
        this.#told?.add(formatObjectKey(objectKey(event.object)));
        this.#advance(event.object.metadata.resourceVersion);
        this.#take(event.object);
        return;
      case 'deleted':
        this.#advance(event.object.metadata.resourceVersion);
        this.#drop(event.object);
        return;
      case 'progressed':
        this.#advance(event.resourceVersion);
        return;
      case 'synced':
        this.#sweep(event.resourceVersion);
        this.#resolveSynced();
    }
  }

  // The objects of a new state come in any order: until its end, nothing is known to be told.
  #advance(version: string | undefined): void {
    if (this.#told === undefined && version !== undefined) this.#version = version;
  }

  #sweep(version: string): void {
    const told = this.#told;
    this.#told = undefined;
    this.#version = version;
    for (const object of this.#objects.list()) {
      const isGone = told?.has(formatObjectKey(objectKey(object))) === false;
      const isNewer = isOlderVersion(version, object.metadata.resourceVersion);
      if (isGone && !isNewer) this.#remove(object);
    }
  }

  #take(object: T): void {
    const old = this.#objects.get(objectKey(object));
    const { resourceVersion } = object.metadata;
    const known = old?.metadata.resourceVersion;
    if (known !== undefined && known === resourceVersion) return;
    if (isOlderVersion(resourceVersion, known)) return;
    const kept = this.#prepare(object);
    this.#objects.set(kept);
    this.#tell(
      old === undefined ? { kind: 'added', object: kept } : { kind: 'updated', object: kept, old },
    );
  }

  #drop(object: T): void {
    const known = this.#objects.get(objectKey(object));
    if (known === undefined) return;
    if (isOlderVersion(object.metadata.resourceVersion, known.metadata.resourceVersion)) return;
    this.#remove(known);
  }

  #remove(object: T): void {
    this.#objects.delete(objectKey(object));
    this.#tell({ kind: 'deleted', object });
  }

  #prepare(object: T): T {
    const { project, keepManagedFields = false } = this.#options;
    const slim = keepManagedFields ? object : withoutManagedFields(object);
    return deepFreeze(project === undefined ? slim : project(slim));
  }

  #tell(event: CacheEvent<T>): void {
    for (const listener of this.#listeners) this.#call(listener, event);
  }

  #call(listener: (event: CacheEvent<T>) => void, event: CacheEvent<T>): void {
    try {
      listener(event);
    } catch (error) {
      const fields = { resource: this.type.plural, error: errorMessage(error) };
      this.#options.logger.error('A cache listener has thrown', fields);
    }
  }
}

function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
