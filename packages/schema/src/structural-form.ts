import { errorMessage, jsonEqual } from '@fnlet/base';
import type { FieldError, JsonSchema } from '@fnlet/machinery';
import { childPath, forbiddenField, invalidField, requiredField } from './field-message.ts';
import { compileRegex } from './regex.ts';

type Level = 'root' | 'item' | 'field';

/** The rules that make a schema structural (apiextensions: schema/validation.go). */
export function checkForm(schema: JsonSchema, path: string): readonly FieldError[] {
  return checkLevel(schema, path, 'root');
}

function checkLevel(schema: JsonSchema, path: string, level: Level): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { items, properties = {}, additionalProperties } = schema;
  if (schema.type === 'array' && items === undefined) {
    errors.push(requiredField(childPath(path, 'items'), 'must be specified'));
  }
  if (items !== undefined) errors.push(...checkLevel(items, childPath(path, 'items'), 'item'));
  for (const [name, property] of Object.entries(properties)) {
    errors.push(...checkLevel(property, `${childPath(path, 'properties')}[${name}]`, 'field'));
  }
  if (additionalProperties !== undefined) {
    const field = childPath(path, 'additionalProperties');
    if (level === 'root') errors.push(forbiddenField(field, 'must not be used at the root'));
    if (typeof additionalProperties === 'object') {
      errors.push(...checkLevel(additionalProperties, field, 'field'));
    }
  }
  return [
    ...errors,
    ...checkFlags(schema, path),
    ...checkValidations(schema, path, level),
    ...checkType(schema, path, level),
    ...checkMetadata(schema, path, level),
  ];
}

function checkFlags(schema: JsonSchema, path: string): readonly FieldError[] {
  if (schema['x-kubernetes-int-or-string'] !== true) return [];
  const flags = ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const;
  return flags
    .filter((flag) => schema[flag] === true)
    .map((flag) => {
      const detail = 'must be false if x-kubernetes-int-or-string is true';
      return invalidField(childPath(path, flag), true, detail);
    });
}

const missingType = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
} as const;

function checkType(schema: JsonSchema, path: string, level: Level): readonly FieldError[] {
  const field = childPath(path, 'type');
  const { type } = schema;
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const preserves = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const errors: FieldError[] = [];
  if (isEmbedded && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(
      type === undefined ? requiredField(field, detail) : invalidField(field, type, detail),
    );
  } else if (type === undefined && !schema['x-kubernetes-int-or-string'] && !preserves) {
    errors.push(requiredField(field, missingType[level]));
  }
  if (isEmbedded && schema.additionalProperties !== undefined) {
    const detail = 'must not be used if x-kubernetes-embedded-resource is set';
    errors.push(forbiddenField(childPath(path, 'additionalProperties'), detail));
  }
  if (level === 'root' && type !== undefined && type !== 'object') {
    errors.push(invalidField(field, type, 'must be object at the root'));
  }
  if (isEmbedded && !preserves && Object.keys(schema.properties ?? {}).length === 0) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without ' +
      'x-kubernetes-preserve-unknown-fields';
    errors.push(requiredField(childPath(path, 'properties'), detail));
  }
  return errors;
}

/** Of metadata a schema may only restrict the names; the rest is the same for every kind. */
function checkMetadata(schema: JsonSchema, path: string, level: Level): readonly FieldError[] {
  const isResource = level === 'root' || schema['x-kubernetes-embedded-resource'] === true;
  if (!isResource) return [];
  const at = (name: string): string => `${childPath(path, 'properties')}[${name}]`;
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  const errors: FieldError[] = [];
  for (const [name, property] of Object.entries({ kind, apiVersion })) {
    if (property === undefined || property.type === 'string') continue;
    errors.push(invalidField(`${at(name)}.type`, property.type ?? '', 'must be string'));
  }
  if (metadata === undefined) return errors;
  if (metadata.type !== 'object') {
    errors.push(invalidField(`${at('metadata')}.type`, metadata.type ?? '', 'must be object'));
  }
  const { type: _type, default: _default, properties = {}, ...rest } = metadata;
  const others = Object.keys(properties).filter((name) => !['name', 'generateName'].includes(name));
  if (level === 'root' && (others.length > 0 || Object.keys(rest).length > 0)) {
    const detail =
      'must not specify anything other than name and generateName, but metadata is ' +
      'implicitly specified';
    errors.push(forbiddenField(at('metadata'), detail));
  }
  return errors;
}

const intOrString: readonly JsonSchema[] = [{ type: 'integer' }, { type: 'string' }];

/** What stands in junctors only restricts: it gives no types, defaults or descriptions. */
function checkValidations(schema: JsonSchema, path: string, level: Level): readonly FieldError[] {
  const skipsAnyOf = jsonEqual(schema.anyOf, intOrString);
  const skipsFirst = jsonEqual(schema.allOf?.[0]?.anyOf, intOrString);
  return checkJunctors(schema, path, { level, skipsAnyOf, skipsFirst });
}

interface JunctorOptions {
  readonly level: Level;
  /** Whether anyOf is the one way to say int-or-string, which is allowed to name types. */
  readonly skipsAnyOf: boolean;
  /** The same for the anyOf inside the first schema of allOf. */
  readonly skipsFirst: boolean;
}

function checkJunctors(
  schema: JsonSchema,
  path: string,
  { level, skipsAnyOf, skipsFirst }: JunctorOptions,
): readonly FieldError[] {
  const nested = (child: JsonSchema, field: string, skips = false): readonly FieldError[] =>
    checkNested(child, childPath(path, field), { level, skipsAnyOf: skips, skipsFirst: false });
  const { allOf = [], anyOf = [], oneOf = [], not } = schema;
  return [
    ...(skipsAnyOf ? [] : anyOf.flatMap((child, i) => nested(child, `anyOf[${i}]`))),
    ...allOf.flatMap((child, i) => nested(child, `allOf[${i}]`, skipsFirst && i === 0)),
    ...oneOf.flatMap((child, i) => nested(child, `oneOf[${i}]`)),
    ...(not === undefined ? [] : nested(not, 'not')),
    ...checkPattern(schema, path),
  ];
}

function checkPattern({ pattern }: JsonSchema, path: string): readonly FieldError[] {
  if (pattern === undefined || pattern === '') return [];
  try {
    compileRegex(pattern);
    return [];
  } catch (error) {
    const detail = `must be a valid regular expression, but isn't: ${errorMessage(error)}`;
    return [invalidField(childPath(path, 'pattern'), pattern, detail)];
  }
}

const forbiddenInJunctors = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
] as const;

function checkNested(
  schema: JsonSchema,
  path: string,
  options: JunctorOptions,
): readonly FieldError[] {
  const plain = { level: options.level, skipsAnyOf: false, skipsFirst: false };
  const errors = [...checkJunctors(schema, path, options)];
  if (schema.items !== undefined) {
    errors.push(...checkNested(schema.items, childPath(path, 'items'), plain));
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const field = `${childPath(path, 'properties')}[${name}]`;
    errors.push(...checkNested(property, field, { ...plain, level: 'field' }));
  }
  for (const [keyword, detail] of forbiddenInJunctors) {
    if (isSet(schema[keyword])) errors.push(forbiddenField(childPath(path, keyword), detail));
  }
  if (schema.properties?.metadata !== undefined) {
    const detail = 'must not be specified in a nested context';
    errors.push(forbiddenField(childPath(path, 'properties[metadata]'), detail));
  }
  return errors;
}

function isSet(value: unknown): boolean {
  const isEmpty = Array.isArray(value) && value.length === 0;
  return value !== undefined && value !== false && value !== '' && !isEmpty;
}
