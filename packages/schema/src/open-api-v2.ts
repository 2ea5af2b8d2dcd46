import { isJsonObject, type JsonObject } from '@fnlet/base';

// OpenAPI v2 (Swagger) is what kubectl before 1.29 reads. It knows less than v3: what it cannot say
// is left out, and never said wrongly (apiextensions, ToStructuralOpenAPIV2).

/** One OpenAPI v2 document that says what these v3 documents say together. Pure. */
export function toOpenApiV2(
  documents: readonly JsonObject[],
  info: { readonly title: string; readonly version: string },
): JsonObject {
  const paths = new Map<string, JsonObject>();
  const definitions = new Map<string, JsonObject>();
  for (const document of documents) {
    for (const [path, item] of fieldsOf(document.paths)) paths.set(path, pathItem(item));
    const { schemas } = objectOf(document.components);
    for (const [name, schema] of fieldsOf(schemas)) definitions.set(name, definition(schema));
  }
  return {
    swagger: '2.0',
    info,
    paths: Object.fromEntries([...paths].sort(byName)),
    definitions: Object.fromEntries([...definitions].sort(byName)),
    securityDefinitions: {
      BearerToken: {
        type: 'apiKey',
        description: 'Bearer Token authentication',
        name: 'authorization',
        in: 'header',
      },
    },
    security: [{ BearerToken: [] }],
  };
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function fieldsOf(value: unknown): readonly (readonly [string, JsonObject])[] {
  return Object.entries(objectOf(value)).map(([name, item]) => [name, objectOf(item)] as const);
}

function itemsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

function pathItem(item: JsonObject): JsonObject {
  const entries = Object.entries(item).map(([key, value]) => {
    if (key === 'parameters') return [key, itemsOf(value).map(parameter)];
    return [key, operation(objectOf(value))];
  });
  return Object.fromEntries(entries);
}

function parameter({ schema, ...rest }: JsonObject): JsonObject {
  return { ...rest, ...objectOf(schema) };
}

const produced = ['application/json', 'application/yaml'];

function operation({ requestBody, responses, parameters, ...rest }: JsonObject): JsonObject {
  const { content, required = false } = objectOf(requestBody);
  const bodies = fieldsOf(content);
  const [, first] = bodies[0] ?? [];
  const body =
    first === undefined
      ? []
      : [{ name: 'body', in: 'body', required, schema: toV2Schema(objectOf(first.schema)) }];
  return {
    ...rest,
    consumes: bodies.map(([type]) => type),
    produces: produced,
    parameters: [...body, ...itemsOf(parameters).map(parameter)],
    responses: Object.fromEntries(
      fieldsOf(responses).map(([code, value]) => [code, answer(value)]),
    ),
  };
}

function answer({ description, content }: JsonObject): JsonObject {
  const [, first] = fieldsOf(content)[0] ?? [];
  if (first === undefined) return { description };
  return { description, schema: toV2Schema(objectOf(first.schema)) };
}

/** What only v3 has. */
const onlyV3 = ['nullable', 'oneOf', 'anyOf', 'not', 'allOf'];

const kindsOf = 'x-kubernetes-group-version-kind';
const preserves = 'x-kubernetes-preserve-unknown-fields';

/**
 * Schema of a definition. Of an object that keeps unknown fields nothing is told but its kind, not
 * even its metadata: a client that checks by v2 would refuse all other fields
 * (apiextensions, builder.go, buildKubeNative).
 */
function definition(schema: JsonObject): JsonObject {
  const { [kindsOf]: kinds, [preserves]: isOpen } = schema;
  if (kinds !== undefined && isOpen === true) return { type: 'object', [kindsOf]: kinds };
  return toV2Schema(schema);
}

function toV2Schema(schema: JsonObject): JsonObject {
  const reference = referenceOf(schema);
  if (reference !== undefined) {
    const { description } = schema;
    return { $ref: reference, ...(description === undefined ? {} : { description }) };
  }
  const dropped = new Set(onlyV3);
  // A client that checks by v2 would refuse a null, and fields that are kept though unknown.
  if (schema.nullable === true) for (const key of ['type', ...shape]) dropped.add(key);
  if (schema[preserves] === true) for (const key of shape) dropped.add(key);
  const hasItems = schema.items !== undefined && !dropped.has('items');
  // kubectl copes neither with an array of it does not know what, nor with an object that is open.
  if (schema.type === 'array' && !hasItems) dropped.add('type');
  if (schema.type === 'object' && schema[preserves] === true) dropped.add('type');
  const required = requiredFields(schema);
  if (required.length === 0) dropped.add('required');
  const entries = Object.entries(schema).filter(([key]) => !dropped.has(key));
  return Object.fromEntries(
    entries.map(([key, value]) => [key, key === 'required' ? required : below(key, value)]),
  );
}

const shape = ['items', 'properties'];

// A field that may be null counts as missing where null cannot be told.
function requiredFields({ required, properties, additionalProperties }: JsonObject): unknown[] {
  if (!Array.isArray(required) || objectOf(additionalProperties).nullable === true) return [];
  const known = objectOf(properties);
  return required.filter((name) => objectOf(known[String(name)]).nullable !== true);
}

function below(key: string, value: unknown): unknown {
  if (key === 'items') return toV2Schema(objectOf(value));
  if (key === 'additionalProperties') {
    return typeof value === 'boolean' ? value : toV2Schema(objectOf(value));
  }
  if (key !== 'properties') return value;
  return Object.fromEntries(fieldsOf(value).map(([name, item]) => [name, toV2Schema(item)]));
}

// v3 wraps a reference that has something beside it: {allOf: [{$ref}]}.
function referenceOf(schema: JsonObject): string | undefined {
  const [only] = Array.isArray(schema.allOf) && schema.allOf.length === 1 ? schema.allOf : [schema];
  const { $ref } = objectOf(only);
  if (typeof $ref !== 'string') return undefined;
  return $ref.replace('#/components/schemas/', '#/definitions/');
}
