import type { ObjectKey } from '@fnlet/machinery';
import type { Strategy } from '../resource/strategy.ts';

/** Everything that the API keeps lies under this prefix of the store. */
export const objectsPrefix = 'objects/';

/** `objects/<group>/<plural>/`, or with a namespace only that namespace's part of it. */
export function collectionPrefix(strategy: Strategy, namespace = ''): string {
  const { group, plural } = strategy.stored;
  const prefix = `${objectsPrefix}${group === '' ? 'core' : group}/${plural}/`;
  return namespace === '' || !strategy.type.namespaced ? prefix : `${prefix}${namespace}/`;
}

/** The store's key of one object. */
export function storeKey(strategy: Strategy, key: ObjectKey): string {
  return `${collectionPrefix(strategy, key.namespace)}${key.name}`;
}

/** What a key of the store tells of its object. */
export function parseStoreKey(key: string): ObjectKey & { group: string; plural: string } {
  const [, group = '', plural = '', ...place] = key.split('/');
  const [namespace = '', name = ''] = place.length === 1 ? ['', ...place] : place;
  return { group: group === 'core' ? '' : group, plural, namespace, name };
}
