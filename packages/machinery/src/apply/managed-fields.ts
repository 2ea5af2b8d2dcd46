import { isJsonObject } from '@fnlet/base';
import { updateManagersMax } from '../limits.ts';
import type { KubeObject, ManagedFieldsEntry } from '../object.ts';
import { type FieldOwner, type FieldOwners, ownerKey } from './field-owner.ts';
import { differenceOf, isEmptyFieldSet, parseFieldSet, toFieldsV1, unionOf } from './field-set.ts';

const noOwners: FieldOwners = new Map();

/** Whether a write asks to forget all owners: an empty list, or one empty entry. */
export function isReset(managedFields: unknown): boolean {
  if (!Array.isArray(managedFields)) return false;
  if (managedFields.length === 0) return true;
  const [first]: unknown[] = managedFields;
  return managedFields.length === 1 && isJsonObject(first) && Object.keys(first).length === 0;
}

/** The owners that a managedFields list names; undefined when it cannot be read. */
export function decodeManagedFields(managedFields: unknown): FieldOwners | undefined {
  if (managedFields === undefined || managedFields === null) return noOwners;
  if (!Array.isArray(managedFields)) return undefined;
  const owners = new Map<string, FieldOwner>();
  for (const entry of managedFields) {
    const owner = decodeEntry(entry);
    if (owner === undefined) return undefined;
    owners.set(ownerKey(owner), owner);
  }
  return owners;
}

function decodeEntry(entry: unknown): FieldOwner | undefined {
  if (!isJsonObject(entry)) return undefined;
  const { manager = '', operation, apiVersion, time, subresource = '', fieldsV1 = {} } = entry;
  if (typeof manager !== 'string' || typeof subresource !== 'string') return undefined;
  if (operation !== 'Apply' && operation !== 'Update') return undefined;
  if (typeof apiVersion !== 'string' || apiVersion === '') return undefined;
  try {
    return {
      manager,
      operation,
      apiVersion,
      ...(typeof time === 'string' ? { time } : {}),
      ...(subresource === '' ? {} : { subresource }),
      fields: parseFieldSet(fieldsV1),
    };
  } catch {
    // Who sent it did not understand managedFields; the caller falls back to the live ones.
    return undefined;
  }
}

/** The managedFields list of an object's owners, in Kubernetes' order. */
export function encodeManagedFields(owners: FieldOwners): readonly ManagedFieldsEntry[] {
  return [...owners.values()].sort(compareOwners).map(encodeOwner);
}

function encodeOwner(owner: FieldOwner): ManagedFieldsEntry {
  const { manager, operation, apiVersion, time, subresource, fields } = owner;
  return {
    manager,
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: toFieldsV1(fields),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

function compareOwners(a: FieldOwner, b: FieldOwner): number {
  return (
    compareTexts(a.operation, b.operation) ||
    seconds(a) - seconds(b) ||
    compareTexts(a.manager, b.manager) ||
    compareTexts(a.apiVersion, b.apiVersion) ||
    compareTexts(a.subresource ?? '', b.subresource ?? '')
  );
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function seconds({ time }: FieldOwner): number {
  const epochMs = time === undefined ? 0 : Date.parse(time);
  return Number.isNaN(epochMs) ? 0 : Math.floor(epochMs / 1000);
}

/** The object without managedFields, which nobody owns and nothing merges. */
export function withoutManagedFields(object: KubeObject): KubeObject {
  if (object.metadata?.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** The object with these owners. */
export function withManagedFields(object: KubeObject, owners: FieldOwners): KubeObject {
  const bare = withoutManagedFields(object);
  if (owners.size === 0) return bare;
  return { ...bare, metadata: { ...bare.metadata, managedFields: encodeManagedFields(owners) } };
}

// What the server itself keeps, and the name, are nobody's (managedfields stripMeta).
const serverFields = parseFieldSet({
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': {
    '.': {},
    'f:name': {},
    'f:namespace': {},
    'f:creationTimestamp': {},
    'f:selfLink': {},
    'f:uid': {},
    'f:clusterName': {},
    'f:generation': {},
    'f:managedFields': {},
    'f:resourceVersion': {},
  },
});

/** The owners without what one of them cannot own; who owns nothing is no owner. */
export function stripServerFields(owners: FieldOwners, key: string): FieldOwners {
  const owner = owners.get(key);
  if (owner === undefined) return owners;
  const fields = differenceOf(owner.fields, serverFields);
  const stripped = new Map(owners);
  if (isEmptyFieldSet(fields)) stripped.delete(key);
  else stripped.set(key, { ...owner, fields });
  return stripped;
}

/**
 * At most ten owners by Update: the oldest ones become one, `ancient-changes`, per version of the
 * API (k8s.io/apimachinery, managedfields capManagers).
 */
export function capUpdateOwners(owners: FieldOwners): FieldOwners {
  if (owners.size <= updateManagersMax) return owners;
  const updaters = [...owners].filter(([, owner]) => owner.operation === 'Update');
  if (updaters.length <= updateManagersMax) return owners;
  updaters.sort(([, a], [, b]) => seconds(a) - seconds(b) || compareOwners(a, b));
  const capped = new Map(owners);
  const firstKeys = new Map<string, string>();
  let count = updaters.length;
  for (const [key, owner] of updaters) {
    if (count <= updateManagersMax) break;
    const { apiVersion, time } = owner;
    const firstKey = firstKeys.get(apiVersion);
    if (firstKey === undefined) {
      firstKeys.set(apiVersion, key);
      continue;
    }
    const bucket = { manager: 'ancient-changes', operation: 'Update', apiVersion } as const;
    const bucketKey = ownerKey(bucket);
    const gathered = capped.get(bucketKey) ?? capped.get(firstKey) ?? owner;
    capped.delete(firstKey);
    capped.delete(key);
    capped.set(bucketKey, {
      ...bucket,
      // The younger time of the two.
      ...(time === undefined ? {} : { time }),
      fields: unionOf(gathered.fields, owner.fields),
    });
    count--;
  }
  return capped;
}
