/**
 * One definition for a TypeScript type and its JSON schema. A `FieldSchema<T>` is a plain literal
 * that the compiler compares with `T`: a property without a schema, a schema without a property, a
 * wrong type, a missing description or a forgotten default does not compile. `toJsonSchema` turns
 * it into what a CustomResourceDefinition holds; `findMismatch` checks values from outside by it.
 */
import { isJsonObject } from '@fnlet/base';
import type { JsonSchema, ValidationRule } from '@fnlet/machinery';

interface Described {
  /** Plain sentences: this is what `kubectl explain` prints. */
  readonly description: string;
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}

interface StringSchema<T extends string> extends Described {
  readonly type: 'string';
  readonly enum?: readonly T[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
}

interface NumberSchema extends Described {
  readonly type: 'integer' | 'number';
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: string;
}

/** Values that people write with and without a unit: `60s`, and `0`. */
interface IntOrStringSchema extends Described {
  readonly 'x-kubernetes-int-or-string': true;
  readonly type?: never;
  /** For a text. */
  readonly maxLength?: number;
  readonly pattern?: string;
  /** For a number. */
  readonly minimum?: number;
  readonly maximum?: number;
}

interface BooleanSchema extends Described {
  readonly type: 'boolean';
}

interface ListSchema<Item> extends Described {
  readonly type: 'array';
  readonly items: FieldSchema<Item>;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly (keyof Item & string)[];
}

interface MapSchema<Value> extends Described {
  readonly type: 'object';
  readonly additionalProperties: FieldSchema<Value>;
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

interface ObjectSchema<T> extends Described {
  readonly type: 'object';
  /** Whether fields that are not named here are kept; Fnlet takes no notice of them. */
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
  readonly properties: { readonly [K in keyof T]-?: PropertySchema<T, K> };
}

/** A property that is always there says why: the user must give it, or it has a default. */
type PropertySchema<T, K extends keyof T> = FieldSchema<Exclude<T[K], undefined>> &
  (Record<never, never> extends Pick<T, K>
    ? { readonly required?: never; readonly default?: never }
    : { readonly required: true } | { readonly default: T[K] });

/** Values that whoever uses them has to read. */
interface AnythingSchema extends Described {
  readonly type?: 'object';
  readonly 'x-kubernetes-preserve-unknown-fields': true;
}

/** The schema of values of type `T`. */
export type FieldSchema<T> = unknown extends T ? AnythingSchema : KnownSchema<T>;

type KnownSchema<T> = [T] extends [string]
  ? StringSchema<T>
  : [T] extends [number]
    ? NumberSchema
    : [T] extends [boolean]
      ? BooleanSchema
      : [T] extends [string | number]
        ? IntOrStringSchema
        : [T] extends [readonly (infer Item)[]]
          ? ListSchema<Item>
          : string extends keyof T
            ? MapSchema<T[string & keyof T]>
            : ObjectSchema<T>;

/** What every FieldSchema is, once the compiler has compared it with its type. */
interface Literal
  extends Omit<JsonSchema, 'required' | 'properties' | 'items' | 'additionalProperties'> {
  readonly required?: boolean;
  readonly properties?: Readonly<Record<string, Literal>>;
  readonly items?: Literal;
  readonly additionalProperties?: Literal;
}

/** The schema as a CustomResourceDefinition writes it: `required` stands with the object. */
export function toJsonSchema<T>(schema: FieldSchema<T>): JsonSchema;
export function toJsonSchema(schema: Literal): JsonSchema {
  return convert(schema);
}

function convert(schema: Literal): JsonSchema {
  const { required: _required, properties, items, additionalProperties, ...own } = schema;
  const required = Object.entries(properties ?? {}).flatMap(([name, property]) =>
    property.required === true ? [name] : [],
  );
  return {
    ...own,
    ...(required.length === 0 ? {} : { required }),
    ...(properties === undefined ? {} : { properties: mapValues(properties, convert) }),
    ...(items === undefined ? {} : { items: convert(items) }),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: convert(additionalProperties) }),
  };
}

function mapValues<V, W>(object: Readonly<Record<string, V>>, map: (value: V) => W) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}

/**
 * Where and how `value` is not what the schema promises, such as `spec.scale.min: expected integer,
 * found "1"`: types are right and required and defaulted properties are there. Bounds, patterns and
 * rules are the API server's to check.
 */
export function findMismatch(schema: JsonSchema, value: unknown, path: string): string | undefined {
  const { type, properties, additionalProperties, items } = schema;
  if (schema['x-kubernetes-int-or-string'] === true) {
    const fits = typeof value === 'string' || Number.isInteger(value);
    return fits ? undefined : `${path}: expected integer or string, found ${describe(value)}`;
  }
  if (!hasType(type, value)) return `${path}: expected ${type}, found ${describe(value)}`;
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    return `${path}: expected one of ${schema.enum.join(', ')}, found ${describe(value)}`;
  }
  if (Array.isArray(value)) {
    return first(value.entries(), ([index, item]) =>
      findMismatch(items ?? {}, item, `${path}[${index}]`),
    );
  }
  if (!isJsonObject(value)) return undefined;
  if (typeof additionalProperties === 'object') {
    return first(Object.entries(value), ([key, item]) =>
      findMismatch(additionalProperties, item, `${path}[${key}]`),
    );
  }
  return first(Object.entries(properties ?? {}), ([name, property]) => {
    const place = path === '' ? name : `${path}.${name}`;
    if (value[name] !== undefined) return findMismatch(property, value[name], place);
    const promised = schema.required?.includes(name) || property.default !== undefined;
    return promised ? `${place}: expected ${property.type}, found nothing` : undefined;
  });
}

function hasType(type: JsonSchema['type'], value: unknown): boolean {
  switch (type) {
    case undefined:
      return true;
    case 'object':
      return isJsonObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function describe(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

function first<T>(items: Iterable<T>, find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
