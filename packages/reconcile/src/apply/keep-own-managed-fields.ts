import { deepFreeze, isJsonObject, type JsonObject } from '@fnlet/base';
import type { KubeObject, ManagedFieldsEntry } from '@fnlet/machinery';
import { sharedFieldsMax } from './limits.ts';
import { RecentMap } from './recent-map.ts';

/**
 * A projection for caches: of managedFields, often half of an object, only what these managers
 * applied stays. With it the first pass after a start needs no write to learn what is there. What
 * objects of one operator own is mostly equal, and then one for all.
 *
 * @example
 * createCache({ …, keep: ['*'], project: keepOwnManagedFields('sites') })
 */
export function keepOwnManagedFields(
  ...managers: readonly string[]
): <T extends KubeObject>(object: T) => T {
  const known = new RecentMap<unknown>(sharedFieldsMax);
  const share = (value: unknown): unknown => {
    const text = JSON.stringify(value);
    const kept = known.get(text) ?? deepFreeze(value);
    known.set(text, kept);
    return kept;
  };
  return (object) => {
    const { managedFields, ...metadata } = object.metadata;
    if (managedFields === undefined) return object;
    const own = managedFields
      .filter(({ manager, operation }) => operation === 'Apply' && managers.includes(manager))
      .map((entry) => ({ ...entry, fieldsV1: sharedFields(entry, share) }));
    return { ...object, metadata: { ...metadata, managedFields: own } };
  };
}

/** What names an object's owner is its own; the rest is the same for all that are alike. */
function sharedFields(
  { fieldsV1 = {} }: Partial<ManagedFieldsEntry>,
  share: (value: unknown) => unknown,
): JsonObject {
  return mapFields(fieldsV1, (part, name) =>
    name === 'f:metadata' && isJsonObject(part) ? mapFields(part, share) : share(part),
  );
}

function mapFields(
  fields: JsonObject,
  change: (part: unknown, name: string) => unknown,
): JsonObject {
  const changed = Object.entries(fields).map(([name, part]) => [name, change(part, name)] as const);
  return Object.fromEntries(changed);
}
