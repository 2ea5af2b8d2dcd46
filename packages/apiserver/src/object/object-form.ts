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
  const changed: unknown = { ...object, metadata: replaceFields(object.metadata, changes) };
  return isKubeObject(changed) ? changed : object;
}

type Undefinable<T> = { readonly [K in keyof T]: T[K] | undefined };

/** `object` with some top-level fields replaced; undefined removes a field. */
export function withFields(object: KubeObject, fields: JsonObject): KubeObject {
  const changed = replaceFields(object, fields);
  return isKubeObject(changed) ? changed : object;
}

// Without `delete`: V8 keeps an object that has lost a field as a hash table, and whoever reads it
// or writes it out from then on pays for that.
function replaceFields(object: object, changes: JsonObject): JsonObject {
  const replaced: Record<string, unknown> = { ...object };
  let losesFields = false;
  for (const [name, value] of Object.entries(changes)) {
    if (value !== undefined) replaced[name] = value;
    else if (Object.hasOwn(replaced, name)) losesFields = true;
  }
  if (!losesFields) return replaced;
  const isKept = ([name]: readonly [string, unknown]): boolean =>
    changes[name] !== undefined || !Object.hasOwn(changes, name);
  return Object.fromEntries(Object.entries(replaced).filter(isKept));
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
  if (strategy.asKept === true) {
    return { ...value, metadata: { ...value.metadata, resourceVersion } };
  }
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
  const { apiVersion: own, kind, metadata: shown, ...rest } = kept;
  const { resourceVersion: _, ...metadata } = shown;
  const version = strategy.custom ? resource.apiVersion : strategy.stored.apiVersion;
  const apiVersion = strategy.asKept === true ? own : version;
  return { apiVersion, kind, metadata, ...rest };
}
