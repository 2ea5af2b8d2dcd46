import { isJsonObject, type JsonObject } from '@fnlet/base';
import {
  countField,
  doubleField,
  flagField,
  messageField,
  textField,
  type WireField,
} from './wire-writer.ts';

/**
 * An OpenAPI v2 document in the protobuf form of gnostic (gnostic-models, OpenAPIv2.proto: the
 * numbers of all fields are from there), the only form that kubectl before 1.29 takes.
 */
export function writeGnostic(document: JsonObject): Uint8Array {
  const { info, paths, definitions, securityDefinitions } = document;
  return Buffer.concat([
    textField(1, document.swagger),
    messageField(2, [textField(1, text(info, 'title')), textField(2, text(info, 'version'))]),
    messageField(
      8,
      entries(paths).map(([path, item]) => named(2, path, pathItem(item))),
    ),
    messageField(
      9,
      entries(definitions).map(([name, item]) => named(1, name, schema(item))),
    ),
    ...entries(securityDefinitions).map(([name]) => messageField(12, [named(1, name, [])])),
    messageField(
      13,
      entries(securityDefinitions).map(([name, item]) => security(name, item)),
    ),
  ]);
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function entries(value: unknown): readonly (readonly [string, JsonObject])[] {
  return Object.entries(objectOf(value)).map(([name, item]) => [name, objectOf(item)] as const);
}

function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown, field: string): unknown {
  return objectOf(value)[field];
}

/** NamedX{name, value}. */
function named(number: number, name: string, value: readonly WireField[]): WireField {
  return messageField(number, [textField(1, name), messageField(2, value)]);
}

function security(name: string, value: JsonObject): WireField {
  const key = [
    textField(1, value.type),
    textField(2, value.name),
    textField(3, value.in),
    textField(4, value.description),
  ];
  return named(1, name, [messageField(2, key)]);
}

const methods: Readonly<Record<string, number>> = {
  get: 2,
  put: 3,
  post: 4,
  delete: 5,
  options: 6,
  head: 7,
  patch: 8,
};

function pathItem(item: JsonObject): readonly WireField[] {
  const operations = Object.entries(methods).flatMap(([method, number]) =>
    item[method] === undefined ? [] : [messageField(number, operation(objectOf(item[method])))],
  );
  return [...operations, ...items(item.parameters).map((value) => parameter(9, objectOf(value)))];
}

function operation(value: JsonObject): readonly WireField[] {
  return [
    ...items(value.tags).map((tag) => textField(1, tag)),
    textField(3, value.description),
    textField(5, value.operationId),
    ...items(value.produces).map((type) => textField(6, type)),
    ...items(value.consumes).map((type) => textField(7, type)),
    ...items(value.parameters).map((item) => parameter(8, objectOf(item))),
    messageField(
      9,
      entries(value.responses).map(([code, item]) => response(code, item)),
    ),
    ...extensions(13, value),
  ];
}

function response(code: string, value: JsonObject): WireField {
  const answer =
    value.schema === undefined ? [] : [messageField(1, schema(objectOf(value.schema)))];
  const content = [textField(1, value.description)];
  if (answer.length > 0) content.push(messageField(2, answer));
  return named(1, code, [messageField(1, content)]);
}

// ParametersItem{parameter: Parameter{body_parameter | non_body_parameter{query | path}}}.
function parameter(number: number, value: JsonObject): WireField {
  if (value.in === 'body') {
    const body = [
      textField(1, value.description),
      textField(2, value.name),
      textField(3, value.in),
      flagField(4, value.required),
      messageField(5, schema(objectOf(value.schema))),
    ];
    return messageField(number, [messageField(1, [messageField(1, body)])]);
  }
  const isQuery = value.in === 'query';
  const plain = [
    flagField(1, value.required),
    textField(2, value.in),
    textField(3, value.description),
    textField(4, value.name),
    textField(isQuery ? 6 : 5, value.type),
    flagField(isQuery ? 20 : 19, value.uniqueItems),
  ];
  const inPlace = messageField(isQuery ? 3 : 4, plain);
  return messageField(number, [messageField(1, [messageField(2, [inPlace])])]);
}

function schema(value: JsonObject): readonly WireField[] {
  const { additionalProperties, items: item, properties, type } = value;
  return [
    textField(1, value.$ref),
    textField(2, value.format),
    textField(3, value.title),
    textField(4, value.description),
    doubleField(6, value.multipleOf),
    doubleField(7, value.maximum),
    flagField(8, value.exclusiveMaximum),
    doubleField(9, value.minimum),
    flagField(10, value.exclusiveMinimum),
    countField(11, value.maxLength),
    countField(12, value.minLength),
    textField(13, value.pattern),
    countField(14, value.maxItems),
    countField(15, value.minItems),
    flagField(16, value.uniqueItems),
    countField(17, value.maxProperties),
    countField(18, value.minProperties),
    ...items(value.required).map((name) => textField(19, name)),
    ...items(value.enum).map((choice) => any(20, choice)),
    ...(isJsonObject(additionalProperties)
      ? [messageField(21, [messageField(1, schema(additionalProperties))])]
      : []),
    ...(typeof type === 'string' ? [messageField(22, [textField(1, type)])] : []),
    ...(isJsonObject(item) ? [messageField(23, [messageField(1, schema(item))])] : []),
    ...(isJsonObject(properties)
      ? [
          messageField(
            25,
            entries(properties).map(([name, child]) => named(1, name, schema(child))),
          ),
        ]
      : []),
    ...extensions(31, value),
  ];
}

function extensions(number: number, value: JsonObject): readonly WireField[] {
  return Object.entries(value)
    .filter(([key]) => key.startsWith('x-'))
    .map(([key, item]) => messageField(number, [textField(1, key), any(2, item)]));
}

// Any{yaml}: JSON is YAML.
function any(number: number, value: unknown): WireField {
  return messageField(number, [textField(2, JSON.stringify(value))]);
}
