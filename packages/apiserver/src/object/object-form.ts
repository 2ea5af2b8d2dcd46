import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { KubeObject, ObjectMeta } from '@fnlet/machinery';
import type { Resource } from '../resource/resource.ts';

/** Whether the value has the form of an object: a kind, a version and typed metadata. */
export function isKubeObject(value: unknown): value is KubeObject {
  if (!isJsonObject(value) || !isJsonObject(value.metadata)) return false;
  return typeof value.apiVersion === 'string' && typeof value.kind === 'string';
}

/** `object` with some metadata replaced; undefined removes a field. */
export function withMetadata(
  object: KubeObject,
  changes: Partial<Undefinable<ObjectMeta>>,
): KubeObject {
  const metadata: Record<string, unknown> = { ...object.metadata, ...changes };
  for (const [key, value] of Object.entries(changes)) if (value === undefined) delete metadata[key];
  const changed: unknown = { ...object, metadata };
  return isKubeObject(changed) ? changed : object;
}

type Undefinable<T> = { readonly [K in keyof T]: T[K] | undefined };

/** `object` with some top-level fields replaced; undefined removes a field. */
export function withFields(object: KubeObject, fields: JsonObject): KubeObject {
  const changed: Record<string, unknown> = { ...object, ...fields };
  for (const [key, value] of Object.entries(fields)) if (value === undefined) delete changed[key];
  return isKubeObject(changed) ? changed : object;
}

/** A field that is an object, or an empty one. */
export function objectField(object: JsonObject, field: string): JsonObject {
  const value = object[field];
  return isJsonObject(value) ? value : {};
}

/** A field that is a list of objects, or an empty one. */
export function listField(object: JsonObject, field: string): readonly JsonObject[] {
  const value = object[field];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** A field that is text, or an empty one. */
export function textField(object: JsonObject, field: string): string {
  const value = object[field];
  return typeof value === 'string' ? value : '';
}

/**
 * The stored value as `resource` shows it: in its version, with the defaults of its current schema
 * and the resourceVersion of its last write.
 */
export function fromStore(resource: Resource, value: JsonObject, revision: number): KubeObject {
  const { strategy, apiVersion } = resource;
  if (!isKubeObject(value)) throw new Error('Broken invariant: stored value is not an object');
  const resourceVersion = String(revision);
  let object: KubeObject = {
    ...value,
    apiVersion,
    metadata: { ...value.metadata, resourceVersion },
  };
  if (strategy.fromStored !== undefined) object = strategy.fromStored(object);
  if (!strategy.custom) return object;
  // What another version wrote shows only what this one knows (apiextensions, conversion None).
  const known = value.apiVersion === apiVersion ? object : resource.schema.prune(object).value;
  // A CRD may have gained defaults since the object was written (KEP-1152: defaulting on read).
  const defaulted = resource.schema.applyDefaults(known);
  return isKubeObject(defaulted) ? defaulted : object;
}

/**
 * The form that is kept: in the stored version, without what the store itself knows, and with the
 * head first by which `KeptObject` knows it. A custom resource is kept as it was written: its
 * versions differ in nothing but what they know, which is looked at when it is read.
 */
export function toStore(resource: Resource, object: KubeObject): KubeObject {
  const { strategy } = resource;
  const kept = strategy.toStored === undefined ? object : strategy.toStored(object);
  const bare = withMetadata(kept, { resourceVersion: undefined });
  const { apiVersion: _shown, kind, metadata, ...rest } = bare;
  const apiVersion = strategy.custom ? resource.apiVersion : strategy.stored.apiVersion;
  return { apiVersion, kind, metadata, ...rest };
}
