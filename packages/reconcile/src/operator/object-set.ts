import type { Cache } from '@fnlet/client';
import { type KubeObject, type ObjectKey, objectKey } from '@fnlet/machinery';
import type { KeyReference, Kind, KindFacts, ObjectSet, ObjectShape } from '@fnlet/sdk/operator';

/** Where the objects of a set come from. */
export interface ObjectSupply {
  get(key: ObjectKey): KubeObject | undefined;
  list(): readonly KubeObject[];
}

/** All objects of a cache. */
export function fromWholeCache(cache: Cache<KubeObject>): ObjectSupply {
  return { get: (key) => cache.get(key), list: () => cache.list() };
}

/** These objects and no others. */
export function fromList(objects: readonly KubeObject[]): ObjectSupply {
  return {
    list: () => objects,
    get: ({ namespace, name }) =>
      objects.find((object) => {
        const key = objectKey(object);
        return key.name === name && key.namespace === namespace;
      }),
  };
}

/** What is in any of them; the first that has a key wins. */
export function fromAll(supplies: readonly ObjectSupply[]): ObjectSupply {
  const [only] = supplies;
  if (supplies.length === 1 && only !== undefined) return only;
  return {
    get(key) {
      for (const supply of supplies) {
        const found = supply.get(key);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    list() {
      const seen = new Map<string, KubeObject>();
      for (const object of supplies.flatMap((supply) => supply.list())) {
        const { uid = `${object.metadata.namespace}/${object.metadata.name}` } = object.metadata;
        if (!seen.has(uid)) seen.set(uid, object);
      }
      return [...seen.values()];
    },
  };
}

/**
 * The objects of a kind as a reconcile sees them.
 *
 * @param home the namespace that is meant where none is named
 */
export function objectSet<T extends ObjectShape>(
  kind: Kind<T>,
  supply: ObjectSupply,
  home: string,
): ObjectSet<T> {
  const typed = (): T[] => supply.list().filter((object) => isOfKind(object, kind));
  return {
    get size() {
      return supply.list().length;
    },
    get(reference) {
      const found = supply.get(keyIn(kind, reference, home));
      return found !== undefined && isOfKind(found, kind) ? found : undefined;
    },
    [Symbol.iterator]: () => typed()[Symbol.iterator](),
  };
}

function keyIn(kind: KindFacts, reference: KeyReference | string, home: string): ObjectKey {
  const { name, namespace = home } =
    typeof reference === 'string' ? { name: reference } : reference;
  return { name, namespace: kind.scope === 'Cluster' ? '' : namespace };
}

// The kind's type is the author's word for what the server's schema ensures.
function isOfKind<T extends ObjectShape>(object: object, kind: Kind<T>): object is T {
  return 'kind' in object && object.kind === kind.kind;
}
