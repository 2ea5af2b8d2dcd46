import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { JsonSchema } from '@fnlet/machinery';
import { parseCelDuration, parseTimestamp } from './cel-time.ts';
import { celReservedWords } from './cel-token.ts';
import { type CelObjectType, type CelType, dynType } from './cel-type.ts';
import type { CelList, CelMap, CelValue, ListIdentity } from './cel-value.ts';

/**
 * How CEL sees the values of a schema: their static type, and the reading of JSON as values of
 * that type. Reading is lazy: fields and items are read when an expression asks for them.
 */
export interface CelBinding {
  readonly type: CelType;
  read(json: unknown): CelValue;
}

/** How expressions write the name of a field; `undefined` for one that they cannot reach. */
type NameField = (name: string) => string | undefined;

/** The binding of a value about which nothing is known: integers are int, other numbers double. */
export const dynBinding: CelBinding = { type: dynType, read: readAny };

/**
 * The binding of a structural schema (apiserver: SchemaDeclType); `undefined` where rules cannot
 * see the value because the schema gives it no type. A resource has apiVersion, kind, and of its
 * metadata only name and generateName.
 */
export function bindSchema(
  schema: JsonSchema,
  isResource = false,
  nameField: NameField = escapeField,
): CelBinding | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return dynBinding;
  switch (schema.type) {
    case 'array':
      return bindList(schema, nameField);
    case 'object':
      return typeof schema.additionalProperties === 'object'
        ? bindMap(schema.additionalProperties, nameField)
        : bindObject(isResource ? withTypeAndObjectMeta(schema) : schema, nameField);
    case 'string':
      return bindString(schema.format);
    case 'boolean':
      return { type: { kind: 'bool' }, read: readAny };
    case 'integer':
      return { type: { kind: 'int' }, read: readAny };
    case 'number':
      return { type: { kind: 'double' }, read: (json) => (typeof json === 'number' ? json : null) };
    default:
      return undefined;
  }
}

// A name has 253 characters; one that is generated gets at least one more.
const nameMax = 253;

/** The schema with what rules see of every resource. */
export function withTypeAndObjectMeta(schema: JsonSchema): JsonSchema {
  const text: JsonSchema = { type: 'string' };
  const stated = schema.properties?.metadata?.properties ?? {};
  const capped = (name: string, most: number): JsonSchema => ({
    type: 'string',
    maxLength: Math.min(stated[name]?.maxLength ?? most, most),
  });
  const names = {
    name: capped('name', nameMax),
    generateName: capped('generateName', nameMax - 1),
  };
  const metadata: JsonSchema = { type: 'object', properties: names };
  return {
    ...schema,
    properties: { ...schema.properties, apiVersion: text, kind: text, metadata },
  };
}

function bindString(format: string | undefined): CelBinding {
  switch (format) {
    case 'byte':
      return { type: { kind: 'bytes' }, read: readText((text) => Buffer.from(text, 'base64')) };
    case 'duration':
      return { type: { kind: 'duration' }, read: readText((text) => parseCelDuration(text)) };
    case 'date':
      return {
        type: { kind: 'timestamp' },
        read: readText((text) => parseTimestamp(`${text}T00:00:00Z`)),
      };
    case 'date-time':
      return { type: { kind: 'timestamp' }, read: readText((text) => parseTimestamp(text)) };
    default:
      return { type: { kind: 'string' }, read: readAny };
  }
}

// What is not of its format was refused before any rule runs; null stands for what still is.
function readText(parse: (text: string) => CelValue | undefined): (json: unknown) => CelValue {
  return (json) => (typeof json === 'string' ? (parse(json) ?? null) : null);
}

function bindList(schema: JsonSchema, nameField: NameField): CelBinding | undefined {
  const { items } = schema;
  const item = items && bindSchema(items, isEmbedded(items), nameField);
  if (item === undefined) return undefined;
  const identity = identityOf(schema);
  return {
    type: { kind: 'list', element: item.type },
    read: (json) => (Array.isArray(json) ? readList(json, item.read, identity) : null),
  };
}

function identityOf(schema: JsonSchema): ListIdentity | undefined {
  if (schema['x-kubernetes-list-type'] === 'set') return 'set';
  return schema['x-kubernetes-list-type'] === 'map'
    ? schema['x-kubernetes-list-map-keys']
    : undefined;
}

function readList(
  items: readonly unknown[],
  read: (json: unknown) => CelValue,
  identity: ListIdentity | undefined,
): CelList {
  const list: CelList = { kind: 'list', size: items.length, at: (index) => read(items[index]) };
  return identity === undefined ? list : { ...list, identity };
}

function isEmbedded(schema: JsonSchema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

function bindMap(schema: JsonSchema, nameField: NameField): CelBinding | undefined {
  const value = bindSchema(schema, isEmbedded(schema), nameField);
  if (value === undefined) return undefined;
  return {
    type: { kind: 'map', key: { kind: 'string' }, value: value.type },
    read: (json) => (isJsonObject(json) ? readMap(json, () => value.read) : null),
  };
}

function bindObject(schema: JsonSchema, nameField: NameField): CelBinding {
  const reads = new Map<string, (json: unknown) => CelValue>();
  const fields = new Map<string, { name: string; type: CelType }>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const binding = bindSchema(property, isEmbedded(property), nameField);
    const escaped = nameField(name);
    if (binding === undefined || escaped === undefined) continue;
    fields.set(escaped, { name, type: binding.type });
    reads.set(name, binding.read);
  }
  const type: CelObjectType = { kind: 'object', fields };
  return {
    type,
    read: (json) =>
      isJsonObject(json) ? readMap(json, (name) => reads.get(name) ?? readAny) : null,
  };
}

function readMap(
  object: JsonObject,
  readOf: (name: string) => (json: unknown) => CelValue,
): CelMap {
  return {
    kind: 'map',
    get size() {
      return Object.keys(object).length;
    },
    keys: () => Object.keys(object),
    get: (key) =>
      typeof key === 'string' && Object.hasOwn(object, key) ? readOf(key)(object[key]) : undefined,
  };
}

function readAny(json: unknown): CelValue {
  switch (typeof json) {
    case 'string':
    case 'boolean':
      return json;
    case 'number':
      return Number.isInteger(json) ? BigInt(json) : json;
    default:
      if (Array.isArray(json)) return readList(json, readAny, undefined);
      return isJsonObject(json) ? readMap(json, () => readAny) : null;
  }
}

const unusableNames: ReadonlySet<string> = new Set([
  ...celReservedWords,
  ...['true', 'false', 'null', 'in'],
]);

/**
 * A field's name as rules write it: `a-b` is `a__dash__b`, `namespace` is `__namespace__`;
 * `undefined` for names that rules cannot reach (apiserver: cel.Escape).
 */
export function escapeField(name: string): string | undefined {
  if (unusableNames.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|\.|-|\//g, (part) => escapes.get(part) ?? part);
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
]);

/** The JSON of a value; what JSON does not know becomes its text. */
export function celToJson(value: CelValue, textOf: (value: CelValue) => string): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  switch (value.kind) {
    case 'uint':
      return Number(value.value);
    case 'optional':
      return value.value === undefined ? null : celToJson(value.value, textOf);
    case 'list':
      return Array.from({ length: value.size }, (_, i) => celToJson(value.at(i), textOf));
    case 'struct':
      return Object.fromEntries(
        value.fields.entries().map(([name, field]) => [name, celToJson(field, textOf)]),
      );
    case 'map':
      return Object.fromEntries(
        value.keys().map((key) => [textOf(key), celToJson(value.get(key) ?? null, textOf)]),
      );
    default:
      return textOf(value);
  }
}
