import type { KubeObject, ObjectKey, ResourceType } from '@fnlet/machinery';
import type { KeyReference, Predicate, Watch } from '@fnlet/sdk/operator';
import { toPrimary } from '../apply/ownership.ts';
import type { EventFilter } from '../event-filter.ts';
import { fromCache } from '../source/cache-source.ts';
import type { Source } from '../source/source.ts';
import type { DeclaredCaches } from './declared-caches.ts';

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
    ...watched.map(({ watch, cache }) => fromCache(cache, { map: mapOf(watch, type) })),
  ];
}

function mapOf({ map }: Watch, { namespaced }: ResourceType): (object: KubeObject) => ObjectKey[] {
  return (object) => {
    const home = namespaced ? (object.metadata.namespace ?? '') : '';
    const keyOf = ({ name, namespace = home }: KeyReference): ObjectKey => ({ name, namespace });
    return [map(object) ?? []].flat().map(keyOf);
  };
}
