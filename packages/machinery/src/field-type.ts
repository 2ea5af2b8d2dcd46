import { isJsonObject } from '@fnlet/base';

/**
 * How a value is merged and who can own which part of it: the schema of server-side apply
 * (KEP-555), reduced to what merging needs. A tree by value; recursion goes through `lazy`.
 */
export type FieldType =
  /** A leaf: owned and replaced as a whole. Of anything, unless it says `of` what. */
  | { readonly kind: 'scalar'; readonly of?: 'string' | 'numeric' | 'boolean' }
  /** An object. `granular`: each field has its own owner. `atomic`: a leaf. */
  | {
      readonly kind: 'map';
      readonly relationship: 'granular' | 'atomic';
      readonly fields: Readonly<Record<string, FieldType>>;
      /** The type of every field that is not in `fields`; absent when there are no others. */
      readonly element?: FieldType;
    }
  | {
      readonly kind: 'list';
      /** `atomic`: a leaf. `set`: items own themselves by value. `map`: by their `keys`. */
      readonly relationship: 'atomic' | 'set' | 'map';
      readonly element: FieldType;
      readonly keys: readonly string[];
      /** Values that a missing key stands for, such as `protocol: TCP`. */
      readonly keyDefaults: Readonly<Record<string, unknown>>;
    }
  /** No schema: deduced from the value. Objects are granular, lists atomic. */
  | { readonly kind: 'deduced' }
  | { readonly kind: 'lazy'; readonly type: () => FieldType };

export type ScalarType = Extract<FieldType, { readonly kind: 'scalar' }>;
export type MapType = Extract<FieldType, { readonly kind: 'map' }>;
export type ListType = Extract<FieldType, { readonly kind: 'list' }>;
/** A type that says how its value is walked, whatever the value is. */
export type ResolvedType = Extract<FieldType, { readonly kind: 'scalar' | 'map' | 'list' }>;

const deduced: FieldType = { kind: 'deduced' };
const deducedScalar: ResolvedType = { kind: 'scalar' };
const deducedMap: ResolvedType = {
  kind: 'map',
  relationship: 'granular',
  fields: {},
  element: deduced,
};
const deducedList: ResolvedType = {
  kind: 'list',
  relationship: 'atomic',
  element: deduced,
  keys: [],
  keyDefaults: {},
};

/** The type by which this value is walked. A missing or null value counts as a map. */
export function resolveType(type: FieldType, value: unknown): ResolvedType {
  let resolved = type;
  while (resolved.kind === 'lazy') resolved = resolved.type();
  if (resolved.kind !== 'deduced') return resolved;
  if (Array.isArray(value)) return deducedList;
  return value === undefined || value === null || isJsonObject(value) ? deducedMap : deducedScalar;
}

/** Whether a value of this type has one owner as a whole. */
export function isLeafType(type: ResolvedType): boolean {
  return type.kind === 'scalar' || type.relationship === 'atomic';
}

/** The type of a field of a map; what the schema does not know is deduced. */
export function typeOfField(type: MapType, name: string): FieldType {
  return declaredField(type, name) ?? type.element ?? deduced;
}

/** The type of a field that the schema declares by name. */
export function declaredField(type: MapType, name: string): FieldType | undefined {
  return Object.hasOwn(type.fields, name) ? type.fields[name] : undefined;
}
