import { canonicalJson, isJsonObject, type JsonObject } from '@fnlet/base';
import type { FieldError, JsonSchema } from '@fnlet/machinery';
import { childPath, duplicateField, invalidField } from './field-message.ts';

/** Reports the duplicates in the lists of a value whose list type is `set` or `map`. */
export type ListCheck = (value: unknown, path: string, errors: FieldError[]) => void;

/**
 * Compiles the uniqueness rules of a schema (apiextensions: schema/listtype); `undefined` when it
 * has no set and no map list, so that such a subtree costs nothing.
 */
export function compileListCheck(schema: JsonSchema): ListCheck | undefined {
  const ofList = compileOwnCheck(schema);
  const ofItem = schema.items === undefined ? undefined : compileListCheck(schema.items);
  const ofObject = compileObjectCheck(schema);
  if (ofList === undefined && ofItem === undefined && ofObject === undefined) return undefined;
  return (value, path, errors) => {
    if (Array.isArray(value)) {
      ofList?.(value, path, errors);
      if (ofItem === undefined) return;
      for (let i = 0; i < value.length; i += 1) ofItem(value[i], `${path}[${i}]`, errors);
    } else {
      ofObject?.(value, path, errors);
    }
  };
}

function compileObjectCheck(schema: JsonSchema): ListCheck | undefined {
  const fields = new Map<string, ListCheck>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const check = compileListCheck(property);
    if (check !== undefined) fields.set(name, check);
  }
  const additional = schema.additionalProperties;
  const ofOthers = typeof additional === 'object' ? compileListCheck(additional) : undefined;
  if (fields.size === 0 && ofOthers === undefined) return undefined;
  return (value, path, errors) => {
    if (!isJsonObject(value)) return;
    for (const [name, check] of fields) {
      if (Object.hasOwn(value, name)) check(value[name], childPath(path, name), errors);
    }
    if (ofOthers === undefined) return;
    for (const name of Object.keys(value)) ofOthers(value[name], `${path}[${name}]`, errors);
  };
}

type ItemsCheck = (items: readonly unknown[], path: string, errors: FieldError[]) => void;

function compileOwnCheck(schema: JsonSchema): ItemsCheck | undefined {
  if (schema['x-kubernetes-list-type'] === 'set') return checkSet;
  if (schema['x-kubernetes-list-type'] !== 'map') return undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return (items, path, errors) => {
    const wrong = items.findIndex((item) => item !== null && !isJsonObject(item));
    if (wrong >= 0) {
      const detail = 'must be an object for an array of list-type map';
      errors.push(invalidField(`${path}[${wrong}]`, items[wrong], detail));
      return;
    }
    const keyObjects = items.map((item) => keysOf(item, keys));
    for (const i of repeated(keyObjects)) {
      errors.push(duplicateField(`${path}[${i}]`, keyObjects[i]));
    }
  };
}

const checkSet: ItemsCheck = (items, path, errors) => {
  for (const i of repeated(items)) errors.push(duplicateField(`${path}[${i}]`, items[i]));
};

function keysOf(item: unknown, keys: readonly string[]): JsonObject {
  if (!isJsonObject(item)) return {};
  const present = keys.filter((key) => Object.hasOwn(item, key));
  return Object.fromEntries(present.map((key) => [key, item[key]]));
}

// A value that occurs more than once is reported at its second occurrence only, as upstream does.
function repeated(items: readonly unknown[]): number[] {
  const times = new Map<string, number>();
  const indices: number[] = [];
  items.forEach((item, i) => {
    const text = canonicalJson(item);
    const before = times.get(text) ?? 0;
    times.set(text, before + 1);
    if (before === 1) indices.push(i);
  });
  return indices;
}
