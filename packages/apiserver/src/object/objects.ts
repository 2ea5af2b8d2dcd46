import { deepFreeze } from '@fnlet/base';
import type { KubeObject, ObjectKey } from '@fnlet/machinery';
import { notFound } from '../answer/status-texts.ts';
import type { ApiContext } from '../api-context.ts';
import type { Resource } from '../resource/resource.ts';
import { KeptObject } from './kept-object.ts';
import { fromStore, toStore } from './object-form.ts';
import { collectionPrefix, storeKey } from './object-keys.ts';

/** An object as read, and the revision that a write of it must expect. */
export interface ReadObject {
  readonly object: KubeObject;
  readonly revision: number;
}

export function readObject(
  context: Pick<ApiContext, 'store'>,
  resource: Resource,
  key: ObjectKey,
): ReadObject | undefined {
  const stored = context.store.get(storeKey(resource.strategy, key));
  if (stored === undefined) return undefined;
  return { object: fromStore(resource, stored.value, stored.revision), revision: stored.revision };
}

/** An object to be shown. @throws StatusError `NotFound` */
export function requireKept(context: ApiContext, resource: Resource, key: ObjectKey): KeptObject {
  const stored = context.store.get(storeKey(resource.strategy, key));
  if (stored === undefined) throw notFound(resource.strategy.type, key.name);
  return new KeptObject(resource, stored);
}

/** @throws StatusError `NotFound` */
export function requireObject(context: ApiContext, resource: Resource, key: ObjectKey): ReadObject {
  const read = readObject(context, resource, key);
  if (read === undefined) throw notFound(resource.strategy.type, key.name);
  return read;
}

/**
 * Every stored object of the kind, or of one namespace of it, as of the moment of the call; read
 * from the store one by one as they are taken.
 */
export function storedObjects(
  context: ApiContext,
  resource: Resource,
  namespace = '',
): IteratorObject<KubeObject> {
  return keptObjects(context, resource, namespace).map(({ value }) => value);
}

/** The same, not looked into yet. */
export function keptObjects(
  context: ApiContext,
  resource: Resource,
  namespace = '',
): IteratorObject<KeptObject> {
  const stored = context.store.scan(collectionPrefix(resource.strategy, namespace));
  return Iterator.from(stored).map((one) => new KeptObject(resource, one));
}

/**
 * Writes one object and returns it with its new resourceVersion; `undefined` deletes it.
 *
 * @throws StoreError `Conflict` when another write came first.
 */
export async function writeObject(
  context: ApiContext,
  resource: Resource,
  write: { key: ObjectKey; object: KubeObject | undefined; expected: number },
): Promise<number> {
  const { key, object, expected } = write;
  // Frozen once here, so that every reader may share it.
  const value = object === undefined ? undefined : deepFreeze(toStore(resource, object));
  const mutation = { key: storeKey(resource.strategy, key), value, expected };
  const [revision = 0] = await context.store.write([mutation]);
  return revision;
}
