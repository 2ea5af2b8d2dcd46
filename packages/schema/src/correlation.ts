import { canonicalJson, isJsonObject } from '@fnlet/base';
import type { JsonSchema } from '@fnlet/machinery';

/**
 * Which part of the old object a part of the new one corresponds to: what ratcheting (KEP-4008)
 * and CEL transition rules (KEP-2876) compare with. Fields correspond by name, items of a map list
 * by their keys; items of other lists correspond to nothing.
 */
export const uncorrelated: unique symbol = Symbol('uncorrelated');

/** The old value of the field `name` of an object whose old value is `old`. */
export function correlateField(old: unknown, name: string): unknown {
  return isJsonObject(old) && Object.hasOwn(old, name) ? old[name] : uncorrelated;
}

/** Finds the old item that an item of the new list corresponds to. */
export type ItemCorrelation = (item: unknown) => unknown;

const nothing: ItemCorrelation = () => uncorrelated;

/** How the items of a list with this schema correspond to those of the `old` list. */
export function correlateItems(schema: JsonSchema, old: unknown): ItemCorrelation {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (schema['x-kubernetes-list-type'] !== 'map' || keys === undefined) return nothing;
  if (!Array.isArray(old) || old.length === 0) return nothing;
  const items = new Map<string, unknown>();
  for (const item of old) {
    const key = itemKey(item, keys);
    if (key !== undefined && !items.has(key)) items.set(key, item);
  }
  return (item) => {
    const key = itemKey(item, keys);
    return key !== undefined && items.has(key) ? items.get(key) : uncorrelated;
  };
}

/** The keys of an item of a map list as one text; `undefined` when it is not an object. */
export function itemKey(item: unknown, keys: readonly string[]): string | undefined {
  return isJsonObject(item) ? canonicalJson(keys.map((key) => item[key] ?? null)) : undefined;
}
