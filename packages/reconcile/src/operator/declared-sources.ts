import type { Cache } from '@fnlet/client';
import type { KubeObject, ObjectKey, ResourceType } from '@fnlet/machinery';
import type { KeyReference, Predicate, Watch } from '@fnlet/sdk/operator';
import { toPrimary } from '../apply/ownership.ts';
import type { EventFilter } from '../event-filter.ts';
import { fromCache } from '../source/cache-source.ts';
import type { Source } from '../source/source.ts';
import type { DeclaredCaches } from './declared-caches.ts';
import { compileKeyMap } from './key-map.ts';

/** What wakes a controller: its own objects, their children, and what is mapped to them. */
export function declaredSources<P extends KubeObject>(
  { primaries, owned, watched }: DeclaredCaches<P>,
  changes: {
    /** Which changes of its own objects count. */
    readonly when: Predicate | EventFilter<P>;
    /** The finalizer whose coming and going counts. Default: any. */
    readonly finalizer?: string | undefined;
  },
): Source[] {
  const { type } = primaries;
  const { when: predicate, finalizer } = changes;
  return [
    fromCache(primaries, { predicate, finalizer }),
    ...owned.map(({ cache }) => fromCache(cache, { map: toPrimary(type) })),
    ...watched.map(({ watch, cache }) => fromWatch(cache, watch, type)),
  ];
}

function fromWatch(cache: Cache<KubeObject>, watch: Watch, type: ResourceType): Source {
  const { expression } = watch;
  if (expression === undefined) return fromCache(cache, { map: mapOf(watch.map, type) });
  let warn = (_message: string): void => {};
  const map = compileKeyMap(expression, (message) => warn(message));
  const source = fromCache(cache, { map: mapOf(map, type) });
  return {
    ...source,
    start(enqueue, surroundings) {
      const { logger } = surroundings;
      warn = (message) => logger.warn(message, { resource: cache.type.plural });
      return source.start(enqueue, surroundings);
    },
  };
}

function mapOf(
  map: Watch['map'] = () => undefined,
  { namespaced }: ResourceType,
): (object: KubeObject) => ObjectKey[] {
  return (object) => {
    const home = namespaced ? (object.metadata.namespace ?? '') : '';
    const keyOf = ({ name, namespace = home }: KeyReference): ObjectKey => ({ name, namespace });
    return [map(object) ?? []].flat().map(keyOf);
  };
}
