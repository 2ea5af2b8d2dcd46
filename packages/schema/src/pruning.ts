import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { JsonSchema } from '@fnlet/machinery';
import { childPath } from './field-message.ts';
import { unknownFieldsMax } from './limits.ts';
import { objectMetaSchema } from './object-meta.ts';

/** Removes what a schema does not know; returns the very same value when it knows everything. */
export type Pruning = (value: unknown, path: string, unknownFields: string[]) => unknown;

/**
 * Compiles the pruning of a schema (apiextensions: schema/pruning). Below
 * `x-kubernetes-preserve-unknown-fields` unknown fields stay, but known ones are pruned inside. A
 * resource (the root, or embedded) keeps apiVersion and kind, and its metadata is pruned by the
 * real ObjectMeta.
 */
export function compilePruning(schema: JsonSchema, root?: 'resource'): Pruning {
  const isResource = root === 'resource' || schema['x-kubernetes-embedded-resource'] === true;
  const ofObject = compileObjectPruning(schema, isResource);
  const ofItems = pruningOfItems(compileItemPruning(schema));
  return (value, path, unknownFields) => {
    if (Array.isArray(value)) return ofItems(value, path, unknownFields);
    return isJsonObject(value) ? ofObject(value, path, unknownFields) : value;
  };
}

const keepAll: Pruning = (value) => value;

// A schema without content: an object loses all its fields, a list keeps its pruned items.
const pruneAll: Pruning = (value, path, unknownFields) => {
  if (Array.isArray(value)) return pruningOfItems(pruneAll)(value, path, unknownFields);
  if (!isJsonObject(value) || Object.keys(value).length === 0) return value;
  for (const name of Object.keys(value)) tell(unknownFields, path, name);
  return {};
};

function tell(unknownFields: string[], path: string, name: string): void {
  if (unknownFields.length < unknownFieldsMax) unknownFields.push(childPath(path, name));
}

function compileItemPruning(schema: JsonSchema): Pruning {
  const preserves = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (schema.items === undefined) return preserves ? keepAll : pruneAll;
  return preserves
    ? compilePruning({ ...schema.items, 'x-kubernetes-preserve-unknown-fields': true })
    : compilePruning(schema.items);
}

type ObjectPruning = (object: JsonObject, path: string, unknownFields: string[]) => unknown;

function compileObjectPruning(schema: JsonSchema, isResource: boolean): ObjectPruning {
  const fields = new Map<string, Pruning>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    fields.set(name, compilePruning(property));
  }
  if (isResource) {
    fields.set('apiVersion', keepAll).set('kind', keepAll);
    fields.set('metadata', compilePruning(objectMetaSchema));
  }
  const others = compileOtherPruning(schema);
  return (object, path, unknownFields) => {
    const kept: [string, unknown][] = [];
    let changed = false;
    for (const [name, value] of Object.entries(object)) {
      const prune = fields.get(name) ?? others;
      if (prune === undefined) {
        tell(unknownFields, path, name);
        changed = true;
        continue;
      }
      const pruned = prune(value, childPath(path, name), unknownFields);
      changed ||= pruned !== value;
      kept.push([name, pruned]);
    }
    return changed ? Object.fromEntries(kept) : object;
  };
}

function compileOtherPruning(schema: JsonSchema): Pruning | undefined {
  const additional = schema.additionalProperties;
  if (typeof additional === 'object') return compilePruning(additional);
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return keepAll;
  return additional === true ? pruneAll : undefined;
}

function pruningOfItems(
  prune: Pruning,
): (items: readonly unknown[], path: string, unknownFields: string[]) => unknown {
  return (items, path, unknownFields) => {
    let changed = false;
    const results = items.map((item, i) => {
      const pruned = prune(item, `${path}[${i}]`, unknownFields);
      changed ||= pruned !== item;
      return pruned;
    });
    return changed ? results : items;
  };
}
