import type { FieldType } from '../src/field-type.ts';

/** An atom or reference of a structured-merge-diff schema, as the recorded cases write it. */
export interface VectorType {
  readonly namedType?: string;
  readonly elementRelationship?: string;
  readonly scalar?: string;
  readonly list?: {
    readonly elementRelationship?: string;
    readonly elementType: VectorType;
    readonly keys?: readonly string[];
  };
  readonly map?: {
    readonly elementRelationship?: string;
    readonly fields?: readonly {
      readonly name: string;
      readonly type: VectorType;
      readonly default?: unknown;
    }[];
    readonly elementType?: VectorType;
  };
}

export interface VectorSchema {
  readonly types: readonly (VectorType & { readonly name: string })[];
}

/** Says that FieldType cannot express a schema. */
export class InexpressibleSchema extends Error {}

/** The named type of a schema. */
export function vectorFieldType(schema: VectorSchema, name: string): FieldType {
  const known = new Map<string, FieldType>();
  const named = (wanted: string): FieldType => {
    const type = known.get(wanted) ?? build(schema, atom(schema, { namedType: wanted }), named);
    known.set(wanted, type);
    return type;
  };
  return named(name);
}

/** The atom that a reference means, its relationship overridden where the reference says so. */
function atom(schema: VectorSchema, type: VectorType): VectorType {
  if (type.namedType === undefined) return override(type, type.elementRelationship);
  const found = schema.types.find(({ name }) => name === type.namedType);
  if (found === undefined) throw new InexpressibleSchema(`no type ${type.namedType}`);
  return override(found, type.elementRelationship);
}

function override(type: VectorType, elementRelationship: string | undefined): VectorType {
  if (elementRelationship === undefined) return type;
  return {
    ...type,
    ...(type.list === undefined ? {} : { list: { ...type.list, elementRelationship } }),
    ...(type.map === undefined ? {} : { map: { ...type.map, elementRelationship } }),
  };
}

type Named = (name: string) => FieldType;

function build(schema: VectorSchema, type: VectorType, named: Named): FieldType {
  const { scalar, list, map } = type;
  if (list !== undefined && map !== undefined) {
    if (map.elementRelationship === 'atomic') return { kind: 'scalar' };
    if (list.elementRelationship === 'atomic') return { kind: 'deduced' };
    throw new InexpressibleSchema('a deduced type whose lists are sets');
  }
  const reference = (to: VectorType): FieldType => {
    const { namedType } = to;
    const isPlain = namedType !== undefined && to.elementRelationship === undefined;
    return {
      kind: 'lazy',
      type: () => (isPlain ? named(namedType) : build(schema, atom(schema, to), named)),
    };
  };
  if (map !== undefined) return buildMap(map, reference);
  if (list !== undefined) return buildList(schema, list, reference);
  if (scalar !== undefined) return scalarType(scalar);
  throw new InexpressibleSchema('an empty type');
}

function scalarType(scalar: string): FieldType {
  const isTyped = scalar === 'string' || scalar === 'numeric' || scalar === 'boolean';
  return isTyped ? { kind: 'scalar', of: scalar } : { kind: 'scalar' };
}

function buildMap(
  map: NonNullable<VectorType['map']>,
  reference: (to: VectorType) => FieldType,
): FieldType {
  return {
    kind: 'map',
    relationship: map.elementRelationship === 'atomic' ? 'atomic' : 'granular',
    fields: Object.fromEntries(
      (map.fields ?? []).map(({ name, type }) => [name, reference(type)] as const),
    ),
    ...(map.elementType === undefined ? {} : { element: reference(map.elementType) }),
  };
}

function buildList(
  schema: VectorSchema,
  list: NonNullable<VectorType['list']>,
  reference: (to: VectorType) => FieldType,
): FieldType {
  const keys = list.keys ?? [];
  const fields = keys.length === 0 ? [] : (atom(schema, list.elementType).map?.fields ?? []);
  const defaults = fields.filter(
    (field) => keys.includes(field.name) && field.default !== undefined,
  );
  const isAssociative = list.elementRelationship === 'associative';
  return {
    kind: 'list',
    relationship: isAssociative ? (keys.length === 0 ? 'set' : 'map') : 'atomic',
    element: reference(list.elementType),
    keys,
    keyDefaults: Object.fromEntries(defaults.map((field) => [field.name, field.default])),
  };
}
