import type { Cache } from '@fnlet/client';
import {
  formatObjectKey,
  type KubeObject,
  type ObjectKey,
  objectKey,
  type ResourceType,
} from '@fnlet/machinery';
import {
  type CacheLease,
  type CacheRequest,
  type DeclaredCaches,
  declareCaches,
  type Manager,
  resourceTypeOf,
} from '@fnlet/reconcile';
import type { KeyReference } from '@fnlet/sdk/operator';
import type { DeclaredOperator } from '../plan/declare-operator.ts';

/** Name of the index of watched objects by the objects that they concern. */
const mappedIndex = 'mapped';

/** The caches of one operator, each shared with all others, until it leaves. */
export interface LeasedCaches extends DeclaredCaches {
  /** The objects of a watch that concern the object of this key. */
  mappedTo(watch: number, key: ObjectKey): readonly KubeObject[];
  close(): void;
}

/** Opens what an operator declares to look at; watches without a selection of their own are shared. */
export function leaseCaches(
  operator: DeclaredOperator,
  manager: Pick<Manager, 'openCache'>,
): LeasedCaches {
  const leases: { close(): void }[] = [];
  const cache = <T extends KubeObject>(
    type: ResourceType,
    options: CacheRequest<T> = {},
  ): Cache<T> => {
    const lease: CacheLease<T> = manager.openCache(type, options);
    leases.push(lease);
    return lease.cache;
  };
  const { watches = [], ...rest } = operator;
  const { primaries, owned } = declareCaches(rest, { cache });
  const { namespaces } = operator;
  const watched = watches.map((watch) => {
    const { kind, fields: keep, labels: labelSelector } = watch.view;
    const isPlaced = namespaces !== undefined && kind.scope === 'Namespaced';
    const keysOf = (object: KubeObject): string[] => {
      const home = primaries.type.namespaced ? objectKey(object).namespace : '';
      const keyOf = ({ name, namespace = home }: KeyReference): string =>
        formatObjectKey({ name, namespace });
      return [watch.map?.(object) ?? []].flat().map(keyOf);
    };
    return {
      watch,
      cache: cache<KubeObject>(resourceTypeOf(kind), {
        ...(isPlaced ? { namespaces } : {}),
        ...(keep === undefined ? {} : { keep }),
        ...(labelSelector === undefined ? {} : { labelSelector }),
        indexes: { [mappedIndex]: keysOf },
      }),
    };
  });
  return {
    ...{ primaries, owned, watched },
    mappedTo: (index, key) =>
      watched[index]?.cache.byIndex(mappedIndex, formatObjectKey(key)) ?? [],
    close() {
      for (const lease of leases.splice(0)) lease.close();
    },
  };
}
