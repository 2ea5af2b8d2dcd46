import type { KeyReference, Kind, KindFacts } from '../kind.ts';
import type { ObjectShape } from '../object.ts';
import type { ObjectSet } from '../operator.ts';

/**
 * The objects of a kind among those that were sent.
 *
 * @param home the namespace that is meant where none is named
 */
export function sentObjects<T extends ObjectShape>(
  kind: Kind<T>,
  objects: readonly ObjectShape[],
  home: string,
): ObjectSet<T> {
  const found = objects.filter((object) => isOfKind(object, kind));
  return {
    size: found.length,
    get(reference: KeyReference | string) {
      const { name, namespace = home } =
        typeof reference === 'string' ? { name: reference } : reference;
      const place = kind.scope === 'Cluster' ? '' : namespace;
      return found.find(({ metadata }) => {
        return metadata.name === name && (metadata.namespace ?? '') === place;
      });
    },
    [Symbol.iterator]: () => found[Symbol.iterator](),
  };
}

/** Whether two ways to name a kind mean the same one, in whatever version. */
export function isSameKind(
  one: Pick<KindFacts, 'group' | 'kind'>,
  other: { readonly apiVersion: string; readonly kind: string },
): boolean {
  return one.kind === other.kind && one.group === groupOf(other.apiVersion);
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? '' : apiVersion.slice(0, slash);
}

// The kind's type is the author's word for what the server's schema ensures.
function isOfKind<T extends ObjectShape>(object: ObjectShape, kind: Kind<T>): object is T {
  return isSameKind(kind, object);
}
