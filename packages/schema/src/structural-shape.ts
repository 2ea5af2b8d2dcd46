import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { FieldError } from '@fnlet/machinery';
import { childPath, forbiddenField, invalidField, notSupported } from './field-message.ts';

type Kind = 'string' | 'number' | 'boolean' | 'strings' | 'array';

/** The keywords of a schema and the JSON that each takes; those of sub-schemas are below. */
const keywords: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['type', 'string'],
  ['title', 'string'],
  ['description', 'string'],
  ['format', 'string'],
  ['pattern', 'string'],
  ['nullable', 'boolean'],
  ['exclusiveMinimum', 'boolean'],
  ['exclusiveMaximum', 'boolean'],
  ['uniqueItems', 'boolean'],
  ['minimum', 'number'],
  ['maximum', 'number'],
  ['multipleOf', 'number'],
  ['minLength', 'number'],
  ['maxLength', 'number'],
  ['minItems', 'number'],
  ['maxItems', 'number'],
  ['minProperties', 'number'],
  ['maxProperties', 'number'],
  ['required', 'strings'],
  ['enum', 'array'],
  ['x-kubernetes-preserve-unknown-fields', 'boolean'],
  ['x-kubernetes-embedded-resource', 'boolean'],
  ['x-kubernetes-int-or-string', 'boolean'],
  ['x-kubernetes-list-type', 'string'],
  ['x-kubernetes-list-map-keys', 'strings'],
  ['x-kubernetes-map-type', 'string'],
  ['x-kubernetes-validations', 'array'],
]);

const unsupported: ReadonlyMap<string, string> = new Map([
  ['id', 'id is not supported'],
  ['$ref', '$ref is not supported'],
  ['additionalItems', 'additionalItems is not supported'],
  ['patternProperties', 'patternProperties is not supported'],
  ['definitions', 'definitions is not supported'],
  ['dependencies', 'dependencies is not supported'],
]);

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** Reports what is no schema at all: values of the wrong JSON type, unsupported keywords. */
export function checkShape(schema: unknown, path: string): readonly FieldError[] {
  if (!isJsonObject(schema)) return [invalidField(path, schema, 'must be a schema')];
  const errors: FieldError[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (value === undefined) continue;
    const field = childPath(path, keyword);
    const reason = unsupported.get(keyword);
    if (reason !== undefined) errors.push(forbiddenField(field, reason));
    const kind = keywords.get(keyword);
    if (kind !== undefined && !isOfKind(value, kind)) {
      errors.push(invalidField(field, value, `must be ${kindNames[kind]}`));
    }
  }
  errors.push(...checkType(schema, path), ...checkRuleShapes(schema, path));
  return [...errors, ...checkChildren(schema, path)];
}

const kindNames = {
  string: 'a string',
  number: 'a number',
  boolean: 'a boolean',
  strings: 'an array of strings',
  array: 'an array',
} as const;

function isOfKind(value: unknown, kind: Kind): boolean {
  if (kind === 'array') return Array.isArray(value);
  if (kind !== 'strings') return typeof value === kind;
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function checkType(schema: JsonObject, path: string): readonly FieldError[] {
  const { type } = schema;
  if (typeof type !== 'string' || type === '' || types.includes(type)) return [];
  const field = childPath(path, 'type');
  if (type !== 'null') return [notSupported(field, type, types)];
  return [forbiddenField(field, 'type cannot be set to null, use nullable as an alternative')];
}

function checkRuleShapes(schema: JsonObject, path: string): readonly FieldError[] {
  const rules = schema['x-kubernetes-validations'];
  if (!Array.isArray(rules)) return [];
  return rules.flatMap((rule: unknown, i) => {
    const field = `${childPath(path, 'x-kubernetes-validations')}[${i}]`;
    if (!isJsonObject(rule)) return [invalidField(field, rule, 'must be an object')];
    const texts = ['rule', 'message', 'messageExpression', 'reason', 'fieldPath'];
    const wrong = texts.filter((key) => !isOfKind(rule[key] ?? '', 'string'));
    if (!isOfKind(rule.optionalOldSelf ?? false, 'boolean')) wrong.push('optionalOldSelf');
    return wrong.map((key) => invalidField(`${field}.${key}`, rule[key], 'is of the wrong type'));
  });
}

function checkChildren(schema: JsonObject, path: string): readonly FieldError[] {
  const { properties, additionalProperties, items, not } = schema;
  const errors: FieldError[] = [];
  if (isJsonObject(properties)) {
    for (const [name, child] of Object.entries(properties)) {
      errors.push(...checkShape(child, `${childPath(path, 'properties')}[${name}]`));
    }
  } else if (properties !== undefined) {
    errors.push(invalidField(childPath(path, 'properties'), properties, 'must be an object'));
  }
  if (typeof additionalProperties !== 'boolean' && additionalProperties !== undefined) {
    errors.push(...checkShape(additionalProperties, childPath(path, 'additionalProperties')));
  }
  if (Array.isArray(items)) {
    const text = 'items must be a schema object and not an array';
    errors.push(forbiddenField(childPath(path, 'items'), text));
  } else if (items !== undefined) errors.push(...checkShape(items, childPath(path, 'items')));
  if (not !== undefined) errors.push(...checkShape(not, childPath(path, 'not')));
  for (const junctor of ['allOf', 'anyOf', 'oneOf']) {
    errors.push(...checkJunctor(schema[junctor], childPath(path, junctor)));
  }
  return errors;
}

function checkJunctor(alternatives: unknown, path: string): readonly FieldError[] {
  if (alternatives === undefined) return [];
  if (!Array.isArray(alternatives)) return [invalidField(path, alternatives, 'must be an array')];
  return alternatives.flatMap((child, i) => checkShape(child, `${path}[${i}]`));
}
