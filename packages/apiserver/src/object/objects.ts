import { deepFreeze } from '@fnlet/base';
import { type KubeObject, type ObjectKey, statusError } from '@fnlet/machinery';
import type { Mutation } from '@fnlet/store';
import { notFound } from '../answer/status-texts.ts';
import type { ApiContext } from '../api-context.ts';
import { objectBytesMax } from '../limits.ts';
import { type JsonDocument, LazyDocument } from '../request/json-document.ts';
import type { Resource } from '../resource/resource.ts';
import { KeptObject, shownText } from './kept-object.ts';
import { fromStore, toStore, withMetadata } from './object-form.ts';
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
  context: Pick<ApiContext, 'store'>,
  resource: Resource,
  namespace = '',
): IteratorObject<KubeObject> {
  return keptObjects(context, resource, namespace).map(({ value }) => value);
}

/** The same, not looked into yet. */
export function keptObjects(
  context: Pick<ApiContext, 'store'>,
  resource: Resource,
  namespace = '',
): IteratorObject<KeptObject> {
  const stored = context.store.scan(collectionPrefix(resource.strategy, namespace));
  return Iterator.from(stored).map((one) => new KeptObject(resource, one));
}

/** What is written, and the revision that must be there. */
export interface ObjectWrite {
  readonly key: ObjectKey;
  readonly object: KubeObject;
  readonly expected: number;
  /** Writes it together with what else changes by it. Default: it is written alone. */
  readonly commit?: ((mutation: Mutation) => Promise<readonly number[]>) | undefined;
}

/**
 * Writes one object and returns it with its new resourceVersion.
 *
 * @throws StoreError `Conflict` when another write came first.
 * @throws StatusError `RequestEntityTooLarge`, with the fields that its managers own
 */
export async function writeObject(
  context: ApiContext,
  resource: Resource,
  write: ObjectWrite,
): Promise<JsonDocument<KubeObject>> {
  if (resource.strategy.convert !== undefined) return writeConverted(context, resource, write);
  const { key, object, expected, commit } = write;
  // Frozen once here, so that every reader may share it, and written out once, for all of them.
  const value = deepFreeze(toStore(resource, object));
  const text = JSON.stringify(value);
  checkSize(text);
  const mutation = { key: storeKey(resource.strategy, key), value, text, expected };
  const written = commit === undefined ? context.store.write([mutation]) : commit(mutation);
  const [revision = 0] = await written;
  return new LazyDocument({
    value: () => withMetadata(object, { resourceVersion: String(revision) }),
    text: () => shownText(resource, { text, revision }),
  });
}

/** The object is kept in one version, and answered in the one that it came in. */
async function writeConverted(
  context: ApiContext,
  resource: Resource,
  { object, ...write }: ObjectWrite,
): Promise<JsonDocument<KubeObject>> {
  const { convert, stored } = resource.strategy;
  const isKept = convert === undefined || object.apiVersion === stored.apiVersion;
  const [kept = object] = isKept ? [object] : await convert([object], stored.apiVersion);
  const written = await writeObject(context, resource.kept, { ...write, object: kept });
  return new LazyDocument({
    value: () => {
      const { resourceVersion } = written.value.metadata;
      return withMetadata(object, { resourceVersion });
    },
  });
}

function checkSize(text: string): void {
  // A character takes three bytes at most.
  if (text.length * 3 <= objectBytesMax || Buffer.byteLength(text) <= objectBytesMax) return;
  const limit = `limit is ${objectBytesMax} for an object and who owns its fields`;
  throw statusError('RequestEntityTooLarge', `Request entity too large: ${limit}`);
}

/** Removes one object for good. @throws StoreError `Conflict` when another write came first. */
export async function removeObject(
  context: ApiContext,
  resource: Resource,
  { key, expected }: Omit<ObjectWrite, 'object'>,
): Promise<void> {
  const mutation = { key: storeKey(resource.strategy, key), value: undefined, expected };
  await context.store.write([mutation]);
}
