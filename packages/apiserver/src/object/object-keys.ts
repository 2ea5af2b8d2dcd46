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

/** The group and plural in a key of the store. */
export function parseStoreKey(key: string): { group: string; plural: string } {
  const [, group = '', plural = ''] = key.split('/');
  return { group: group === 'core' ? '' : group, plural };
}
