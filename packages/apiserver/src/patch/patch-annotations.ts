import type { JsonSchema } from '@fnlet/machinery';
import type { StrategicType } from './strategic-merge.ts';

// How strategic merge patches treat a field stands in the schema itself, in the words that OpenAPI
// has for it: kubectl reads them there too, so both sides merge by the same facts.

interface PatchAnnotations {
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
}

/** A list of maps that patches merge by `key`; `mapKeys` are what server-side apply goes by. */
export function mergedList(
  items: JsonSchema,
  key: string,
  rest: JsonSchema & { readonly mapKeys?: readonly string[] } = {},
): JsonSchema & PatchAnnotations {
  const { mapKeys = [key], ...schema } = rest;
  return {
    type: 'array',
    ...schema,
    items,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': mapKeys,
    'x-kubernetes-patch-strategy': 'merge',
    'x-kubernetes-patch-merge-key': key,
  };
}

/** The merge rules of a whole object; those of its metadata are the same for every kind. */
export function strategicType(schema: JsonSchema): StrategicType {
  const own = typeOf(schema);
  const owners = { strategy: ['merge'], mergeKey: 'uid' };
  const finalizers = { strategy: ['merge'] };
  const metadata = { fields: { ownerReferences: owners, finalizers } };
  return { ...own, fields: { ...own.fields, metadata } };
}

function typeOf(schema: JsonSchema & PatchAnnotations): StrategicType {
  const fields = Object.entries(schema.properties ?? {})
    .map(([name, field]): [string, StrategicType] => [name, typeOf(field)])
    .filter(([, type]) => Object.keys(type).length > 0);
  const items = schema.items === undefined ? {} : typeOf(schema.items);
  const strategy = schema['x-kubernetes-patch-strategy'];
  const mergeKey = schema['x-kubernetes-patch-merge-key'];
  return {
    ...(fields.length === 0 ? {} : { fields: Object.fromEntries(fields) }),
    ...(Object.keys(items).length === 0 ? {} : { items }),
    ...(strategy === undefined ? {} : { strategy: strategy.split(',') }),
    ...(mergeKey === undefined ? {} : { mergeKey }),
  };
}
