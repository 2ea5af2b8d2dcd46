import type { Cache, CacheEvent } from '@fnlet/client';
import { type KubeObject, type ObjectKey, objectKey, parseApiVersion } from '@fnlet/machinery';
import { initialListPriority } from './limits.ts';
import type { AddOptions } from './work-queue.ts';

/** Asks for a run of a key; takes a note and returns. */
export type Enqueue = (key: ObjectKey, options?: AddOptions) => void;

/** Where a controller hears that a key needs a run. */
export interface Source {
  /** Resolves once everything that existed at the start can be read. */
  readonly synced: Promise<void>;
  /** From now on calls `enqueue`, for what exists already as well; returns the way to stop that. */
  start(enqueue: Enqueue): () => void;
}

/** Whether an event is worth a run. A filter saves work, never memory: selectors do that. */
export type Predicate<T extends KubeObject> = (event: CacheEvent<T>) => boolean;

export interface CacheSourceOptions<T extends KubeObject> {
  /** The keys that an object concerns. Default: its own. Asked for old and new state of an update. */
  readonly map?: (object: T) => Iterable<ObjectKey>;
  /** Which events count. Default: all. */
  readonly predicate?: Predicate<T>;
}

/** The objects of a cache as a source. */
export function fromCache<T extends KubeObject>(
  cache: Cache<T>,
  options: CacheSourceOptions<T> = {},
): Source {
  const { map = (object: T) => [objectKey(object)], predicate = () => true } = options;
  const keysOf = (event: CacheEvent<T>): Iterable<ObjectKey> =>
    event.kind === 'updated' ? [...map(event.old), ...map(event.object)] : map(event.object);
  return {
    synced: cache.synced,
    start(enqueue) {
      // While it subscribes, a cache tells what exists already: that can wait for real news.
      let priority: number | undefined = initialListPriority;
      const stop = cache.subscribe((event) => {
        if (!predicate(event)) return;
        for (const key of keysOf(event)) enqueue(key, { priority });
      });
      priority = undefined;
      return stop;
    },
  };
}

/**
 * Maps an object to its controlling owner of this kind. The version does not count: an owner
 * reference may have been written with another one.
 */
export function toController(type: {
  readonly group: string;
  readonly kind: string;
}): (object: KubeObject) => ObjectKey[] {
  return ({ metadata }) =>
    (metadata.ownerReferences ?? [])
      .filter((owner) => owner.controller === true && owner.kind === type.kind)
      .filter((owner) => parseApiVersion(owner.apiVersion).group === type.group)
      .map((owner) => ({ namespace: metadata.namespace ?? '', name: owner.name }));
}
