import type { FieldType, JsonSchema } from '@fnlet/machinery';
import { objectMetaSchema } from './object-meta.ts';

const scalar: FieldType = { kind: 'scalar' };
const scalarTypes: Readonly<Record<string, FieldType>> = {
  string: { kind: 'scalar', of: 'string' },
  integer: { kind: 'scalar', of: 'numeric' },
  number: { kind: 'scalar', of: 'numeric' },
  boolean: { kind: 'scalar', of: 'boolean' },
};
const deduced: FieldType = { kind: 'deduced' };

/**
 * How objects of a structural schema are merged and owned by server-side apply: maps are granular
 * and lists atomic unless the schema says otherwise (KEP-555). Where unknown fields are preserved
 * the type is deduced from the value.
 */
export function structuralFieldType(schema: JsonSchema): FieldType {
  if (schema['x-kubernetes-int-or-string'] === true) return scalar;
  if (schema.type === 'array') return listType(schema);
  if (schema.type === 'object') return mapType(schema);
  if (schema.type === undefined) {
    return schema['x-kubernetes-preserve-unknown-fields'] === true ? deduced : scalar;
  }
  return scalarTypes[schema.type] ?? scalar;
}

/** The type of a resource: that of its schema with the real types of apiVersion, kind, metadata. */
export function resourceFieldType(schema: JsonSchema): FieldType {
  const type = structuralFieldType(schema);
  const fields = type.kind === 'map' ? type.fields : {};
  const base: FieldType =
    type.kind === 'map' ? type : { kind: 'map', relationship: 'granular', fields: {} };
  const isOpen = type.kind === 'deduced' && base.kind === 'map';
  return {
    ...base,
    fields: { ...fields, apiVersion: scalar, kind: scalar, metadata: mapType(objectMetaSchema) },
    ...(isOpen ? { element: deduced } : {}),
  };
}

function mapType(schema: JsonSchema): FieldType {
  const properties = Object.entries(schema.properties ?? {});
  const element = elementType(schema);
  const isResource = schema['x-kubernetes-embedded-resource'] === true;
  if (properties.length === 0 && element?.kind === 'deduced' && !isResource) {
    const isAtomic = schema['x-kubernetes-map-type'] === 'atomic';
    if (!isAtomic) return deduced;
  }
  return {
    kind: 'map',
    relationship: schema['x-kubernetes-map-type'] === 'atomic' ? 'atomic' : 'granular',
    fields: {
      ...Object.fromEntries(properties.map(([name, child]) => [name, structuralFieldType(child)])),
      ...(isResource
        ? { apiVersion: scalar, kind: scalar, metadata: mapType(objectMetaSchema) }
        : {}),
    },
    ...(element === undefined ? {} : { element }),
  };
}

function elementType(schema: JsonSchema): FieldType | undefined {
  const additional = schema.additionalProperties;
  if (typeof additional === 'object') return structuralFieldType(additional);
  const isOpen = additional === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  return isOpen ? deduced : undefined;
}

function listType(schema: JsonSchema): FieldType {
  const { items } = schema;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const keyDefaults = keys.flatMap((key) => {
    const value = items?.properties?.[key]?.default;
    return value === undefined ? [] : [[key, value] as const];
  });
  return {
    kind: 'list',
    relationship: schema['x-kubernetes-list-type'] ?? 'atomic',
    element: items === undefined ? deduced : structuralFieldType(items),
    keys,
    keyDefaults: Object.fromEntries(keyDefaults),
  };
}
