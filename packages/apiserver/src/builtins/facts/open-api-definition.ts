import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { JsonSchema } from '@fnlet/machinery';
import type { BuiltinFacts } from './builtin-facts.ts';
import type { FieldFact, MessageFact, ScalarName, TypeFact } from './message-fact.ts';

/** Where the schemas of a package stand in OpenAPI, as upstream names them. */
const prefixes: Readonly<Record<string, string>> = {
  apiextensions: 'io.k8s.apiextensions-apiserver.pkg.apis',
  apiregistration: 'io.k8s.kube-aggregator.pkg.apis',
  meta: 'io.k8s.apimachinery.pkg.apis',
  metrics: 'io.k8s.metrics.pkg.apis',
};

/** The name of a message's schema: `io.k8s.api.core.v1.Pod`. */
export function definitionName(message: string): string {
  const [label = ''] = message.split('.');
  return `${prefixes[label] ?? 'io.k8s.api'}.${message}`;
}

/** A kind, and what is said about its fields. */
export interface DescribedKind {
  readonly message: string;
  readonly type: { readonly group: string; readonly version: string; readonly kind: string };
  readonly schema: JsonSchema;
}

/** Message -> field, or nothing for the message itself -> description. */
type Descriptions = Map<string, Map<string, string>>;

/**
 * The OpenAPI schemas of kinds and of everything that they refer to, by name. Structure comes from
 * the facts; descriptions from whatever kind, also one of `others`, says something about a field of
 * the same Go type.
 */
export function builtinDefinitions(
  facts: BuiltinFacts,
  kinds: readonly DescribedKind[],
  others: readonly DescribedKind[],
): Readonly<Record<string, JsonObject>> {
  const descriptions: Descriptions = new Map();
  for (const { message, schema } of [...kinds, ...others]) {
    describe(facts, descriptions, { message, schema });
  }
  const types = new Map(kinds.map(({ message, type }) => [message, type]));
  const definitions = new Map<string, JsonObject>();
  const waiting = [...types.keys()];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (definitions.has(definitionName(name))) continue;
    const message = facts.message(name);
    const definition = definitionOf(facts, message, descriptions.get(name));
    const type = types.get(name);
    const extension = type === undefined ? {} : { 'x-kubernetes-group-version-kind': [gvk(type)] };
    definitions.set(definitionName(name), { ...definition, ...extension });
    for (const { type: field } of message.fields.values()) waiting.push(...referred(facts, field));
  }
  return Object.fromEntries(definitions);
}

function gvk({ group, version, kind }: DescribedKind['type']): JsonObject {
  return { group, kind, version };
}

/** The messages that have schemas of their own; named lists are written where they are used. */
function referred(facts: BuiltinFacts, type: TypeFact): readonly string[] {
  if (type.kind === 'scalar') return [];
  if (type.kind !== 'message') return referred(facts, type.item);
  const { isList, fields } = facts.message(type.message);
  const items = isList ? fields.get('items') : undefined;
  return items === undefined ? [type.message] : referred(facts, items.type);
}

function describe(
  facts: BuiltinFacts,
  descriptions: Descriptions,
  { message, schema }: { readonly message: string; readonly schema: JsonSchema },
): void {
  const known = descriptions.get(message) ?? new Map<string, string>();
  descriptions.set(message, known);
  const say = (field: string, text: string | undefined): void => {
    if (text !== undefined && !known.has(field)) known.set(field, text);
  };
  say('', schema.description);
  const { fields } = facts.message(message);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const field = fields.get(name);
    if (field === undefined) continue;
    say(name, property.description);
    const [inner, below] = innermost(field.type, property);
    if (inner.kind === 'message' && below !== undefined) {
      // What is said here is about this field, not about the type.
      const { description: _, ...rest } = below;
      describe(facts, descriptions, { message: inner.message, schema: rest });
    }
  }
}

function innermost(
  type: TypeFact,
  schema: JsonSchema | undefined,
): readonly [TypeFact, JsonSchema | undefined] {
  if (type.kind === 'list') return innermost(type.item, schema?.items);
  if (type.kind !== 'map') return [type, schema];
  const values = schema?.additionalProperties;
  return innermost(type.item, typeof values === 'object' ? values : undefined);
}

function definitionOf(
  facts: BuiltinFacts,
  message: MessageFact,
  descriptions: ReadonlyMap<string, string> | undefined,
): JsonObject {
  const fields = [...message.fields.values()];
  const properties = fields.map((field) => {
    const description = descriptions?.get(field.name);
    return [field.name, fieldSchema(facts, field, description)] as const;
  });
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  const description = descriptions?.get('');
  return {
    ...(description === undefined ? {} : { description }),
    type: 'object',
    ...(required.length === 0 ? {} : { required: required.sort() }),
    properties: { ...(message.isKind ? typeMeta : {}), ...Object.fromEntries(properties) },
    ...(message.isAtomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
  };
}

const typeMeta = {
  apiVersion: { type: 'string', description: 'The version of the API that the object is in.' },
  kind: { type: 'string', description: 'The kind of the object.' },
};

function fieldSchema(
  facts: BuiltinFacts,
  field: FieldFact,
  description: string | undefined,
): JsonObject {
  const { type, list, patch, ownership } = field;
  const own = typeSchema(facts, type, field.enum);
  const said = description === undefined ? {} : { description };
  const patched = {
    ...(patch === undefined ? {} : { 'x-kubernetes-patch-strategy': patch.strategy.join(',') }),
    ...(patch?.mergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': patch.mergeKey }),
  };
  const owned = ownership === undefined ? {} : { 'x-kubernetes-map-type': ownership };
  const rest = { ...said, ...listExtensions(list), ...owned, ...patched };
  if (own.$ref === undefined) {
    return { ...own, ...(field.default === undefined ? {} : { default: field.default }), ...rest };
  }
  // Beside a bare $ref nothing else may stand.
  return Object.keys(rest).length === 0 ? own : { allOf: [own], ...rest };
}

function listExtensions(list: FieldFact['list']): JsonObject {
  if (list === undefined) return {};
  const keys = list.keys.length === 0 ? {} : { 'x-kubernetes-list-map-keys': list.keys };
  return { 'x-kubernetes-list-type': list.type, ...keys };
}

function typeSchema(
  facts: BuiltinFacts,
  type: TypeFact,
  values: readonly string[] | undefined,
): JsonObject {
  switch (type.kind) {
    case 'list':
      return { type: 'array', items: typeSchema(facts, type.item, values) };
    case 'map':
      return { type: 'object', additionalProperties: typeSchema(facts, type.item, values) };
    case 'message': {
      const { isList, fields } = facts.message(type.message);
      const items = isList ? fields.get('items') : undefined;
      if (items !== undefined) return typeSchema(facts, items.type, values);
      return { $ref: `#/components/schemas/${definitionName(type.message)}` };
    }
    case 'scalar': {
      const schema = scalars[type.scalar];
      return isJsonObject(schema) && values !== undefined ? { ...schema, enum: values } : schema;
    }
  }
}

const scalars: Readonly<Record<ScalarName, JsonObject>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  float64: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
  Time: { type: 'string', format: 'date-time' },
  MicroTime: { type: 'string', format: 'date-time' },
  Duration: { type: 'string' },
  Quantity: { type: 'string' },
  IntOrString: { type: 'string', format: 'int-or-string' },
  RawExtension: { type: 'object' },
  FieldsV1: { type: 'object' },
  JSON: {},
  JSONSchemaPropsOrArray: {},
  JSONSchemaPropsOrBool: {},
  JSONSchemaPropsOrStringArray: {},
};
