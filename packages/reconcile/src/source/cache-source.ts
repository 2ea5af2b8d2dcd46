import type { Cache, CacheEvent } from '@fnlet/client';
import {
  formatObjectKey,
  type KubeObject,
  type ObjectKey,
  objectKey,
  parseApiVersion,
} from '@fnlet/machinery';
import type { Predicate } from '@fnlet/sdk/operator';
import { compilePredicate, type EventFilter } from '../event-filter.ts';
import { initialListPriority } from '../limits.ts';
import type { Source } from './source.ts';

export interface CacheSourceOptions<T extends KubeObject> {
  /** The keys that an object concerns. Default: its own. Asked for old and new state of an update. */
  readonly map?: ((object: T) => Iterable<ObjectKey>) | undefined;
  /** Which events count, as data or as a function. Default: all. */
  readonly predicate?: Predicate | EventFilter<T> | undefined;
  /** The finalizer whose coming and going always counts. Default: any. */
  readonly finalizer?: string | undefined;
}

/**
 * The objects of a cache as a source.
 *
 * @throws ReconcileError `InvalidPredicate`
 */
export function fromCache<T extends KubeObject>(
  cache: Cache<T>,
  options: CacheSourceOptions<T> = {},
): Source {
  const { map = (object: T) => [objectKey(object)], predicate, finalizer } = options;
  let warn = (_message: string): void => {};
  const onError = (message: string): void => warn(message);
  const passes: EventFilter<T> =
    typeof predicate === 'object'
      ? compilePredicate(predicate, { onError, finalizer })
      : (predicate ?? (() => true));
  return {
    synced: cache.synced,
    start(enqueue, { logger }) {
      warn = (message) => logger.warn(message, { resource: cache.type.plural });
      // While it subscribes, a cache tells what exists already: that can wait for real news.
      let priority: number | undefined = initialListPriority;
      const stop = cache.subscribe((event) => {
        if (!passes(event)) return;
        for (const key of concernedBy(event, map)) enqueue(key, { priority, cause: event });
      });
      priority = undefined;
      return stop;
    },
    *known() {
      for (const object of cache.list()) {
        if (passes({ kind: 'added', object })) yield* map(object);
      }
    },
  };
}

/**
 * Old and new targets, each once: a worker that waits takes a key with its first mention, and a
 * second one would make it run again.
 */
function concernedBy<T extends KubeObject>(
  event: CacheEvent<T>,
  map: (object: T) => Iterable<ObjectKey>,
): Iterable<ObjectKey> {
  if (event.kind !== 'updated') return map(event.object);
  const keys = [...map(event.old), ...map(event.object)];
  return new Map(keys.map((key) => [formatObjectKey(key), key])).values();
}

/**
 * Maps an object to its controlling owner of this kind. The version does not count: an owner
 * reference may have been written with another one.
 */
export function toController(type: {
  readonly group: string;
  readonly kind: string;
  /** Whether owners are in the namespace of what they own; of no owner there is a namespace else. */
  readonly namespaced?: boolean;
}): (object: KubeObject) => ObjectKey[] {
  const { group, kind, namespaced = true } = type;
  return ({ metadata }) =>
    (metadata.ownerReferences ?? [])
      .filter((owner) => owner.controller === true && owner.kind === kind)
      .filter((owner) => parseApiVersion(owner.apiVersion).group === group)
      .map(({ name }) => ({ namespace: namespaced ? (metadata.namespace ?? '') : '', name }));
}
