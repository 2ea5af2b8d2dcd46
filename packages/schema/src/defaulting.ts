import { deepFreeze, isJsonObject, type JsonObject } from '@fnlet/base';
import type { JsonSchema } from '@fnlet/machinery';

/** Fills in defaults; returns the very same value when there is nothing to fill in. */
export type Defaulting = (value: unknown) => unknown;

/**
 * Compiles the defaults of a schema (apiextensions: schema/defaulting). A missing field gets its
 * default, deep inside the default itself too; null in a field that is not nullable counts as
 * missing, and is dropped when there is no default. Applying it twice changes nothing more.
 *
 * Defaults are shared between objects, so they are frozen; the caller gives a schema of its own.
 */
export function compileDefaulting(schema: JsonSchema): Defaulting {
  const ofObject = compileObjectDefaulting(schema);
  const ofItems = schema.items === undefined ? undefined : compileItemDefaulting(schema.items);
  return (value) => {
    if (Array.isArray(value)) return ofItems === undefined ? value : ofItems(value);
    return isJsonObject(value) ? ofObject(value) : value;
  };
}

interface FieldDefaulting {
  readonly name: string;
  readonly apply: Defaulting;
  /** The default, defaulted itself; undefined when there is none. */
  readonly missing: unknown;
  readonly nullable: boolean;
}

function compileField(name: string, schema: JsonSchema): FieldDefaulting {
  const apply = compileDefaulting(schema);
  const missing = schema.default === undefined ? undefined : deepFreeze(apply(schema.default));
  return { name, apply, missing, nullable: schema.nullable === true };
}

const dropped = Symbol('dropped');

function defaultField(field: FieldDefaulting, value: unknown): unknown {
  if (value !== null || field.nullable) return field.apply(value);
  return field.missing === undefined ? dropped : field.missing;
}

function compileObjectDefaulting(schema: JsonSchema): (object: JsonObject) => unknown {
  const fields = Object.entries(schema.properties ?? {}).map(([name, property]) =>
    compileField(name, property),
  );
  const byName = new Map(fields.map((field) => [field.name, field]));
  const additional = schema.additionalProperties;
  const others = typeof additional === 'object' ? compileField('*', additional) : undefined;
  const withDefault = fields.filter((field) => field.missing !== undefined);
  return (object) => {
    const changes = new Map<string, unknown>();
    for (const name of Object.keys(object)) {
      const field = byName.get(name) ?? others;
      if (field === undefined) continue;
      const result = defaultField(field, object[name]);
      if (result !== object[name]) changes.set(name, result);
    }
    for (const field of withDefault) {
      if (!Object.hasOwn(object, field.name)) changes.set(field.name, field.missing);
    }
    return changes.size === 0 ? object : withChanges(object, changes);
  };
}

function withChanges(object: JsonObject, changes: ReadonlyMap<string, unknown>): JsonObject {
  const merged = new Map([...Object.entries(object), ...changes]);
  return Object.fromEntries([...merged].filter(([, value]) => value !== dropped));
}

function compileItemDefaulting(schema: JsonSchema): (items: readonly unknown[]) => unknown {
  const field = compileField('items', schema);
  return (items) => {
    let changed = false;
    const results = items.map((item) => {
      const result = defaultField(field, item);
      // An item cannot be missing: a null that must not be there is left for the validation.
      const kept = result === dropped ? item : result;
      changed ||= kept !== item;
      return kept;
    });
    return changed ? results : items;
  };
}
