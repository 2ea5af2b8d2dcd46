import type { FieldError, JsonSchema } from '@fnlet/machinery';
import {
  childPath,
  forbiddenField,
  invalidField,
  notSupported,
  requiredField,
} from './field-message.ts';

/**
 * The rules for lists and maps, and the keywords that CRDs must not use (apiextensions:
 * ValidateCustomResourceDefinitionOpenAPISchema).
 */
export function checkExtensions(schema: JsonSchema, path: string): readonly FieldError[] {
  return [...checkRootNullable(schema, path), ...checkSchema(schema, path)];
}

function checkRootNullable(schema: JsonSchema, path: string): readonly FieldError[] {
  if (schema.nullable !== true) return [];
  return [forbiddenField(childPath(path, 'nullable'), 'nullable cannot be true at the root')];
}

function checkSchema(schema: JsonSchema, path: string): readonly FieldError[] {
  return [
    ...checkKeywords(schema, path),
    ...checkChildren(schema, path),
    ...checkMapType(schema, path),
    ...checkListType(schema, path),
    ...checkListMapKeys(schema, path),
    ...checkListItems(schema, path),
  ];
}

function checkKeywords(schema: JsonSchema, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (schema.uniqueItems === true) {
    const detail =
      'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.push(forbiddenField(childPath(path, 'uniqueItems'), detail));
  }
  const { additionalProperties, properties = {} } = schema;
  const restricts = additionalProperties !== undefined && additionalProperties !== true;
  if (restricts && Object.keys(properties).length > 0) {
    const detail = 'additionalProperties and properties are mutual exclusive';
    errors.push(forbiddenField(childPath(path, 'additionalProperties'), detail));
  }
  const preserve = 'x-kubernetes-preserve-unknown-fields';
  if (schema[preserve] === false) {
    errors.push(invalidField(childPath(path, preserve), false, 'must be true or undefined'));
  }
  return errors;
}

function checkChildren(schema: JsonSchema, path: string): readonly FieldError[] {
  const { additionalProperties, properties = {}, items, not } = schema;
  const nested = (child: JsonSchema, field: string): readonly FieldError[] =>
    checkSchema(child, childPath(path, field));
  return [
    ...(typeof additionalProperties === 'object'
      ? nested(additionalProperties, 'additionalProperties')
      : []),
    ...Object.entries(properties).flatMap(([name, child]) => nested(child, `properties[${name}]`)),
    ...(not === undefined ? [] : nested(not, 'not')),
    ...(['allOf', 'oneOf', 'anyOf'] as const).flatMap((junctor) =>
      (schema[junctor] ?? []).flatMap((child, i) => nested(child, `${junctor}[${i}]`)),
    ),
    ...(items === undefined ? [] : nested(items, 'items')),
  ];
}

function checkMapType(schema: JsonSchema, path: string): readonly FieldError[] {
  const mapType: string | undefined = schema['x-kubernetes-map-type'];
  if (mapType === undefined) return [];
  const errors: FieldError[] = [];
  if (schema.type !== 'object') {
    const detail = 'must be object if x-kubernetes-map-type is specified';
    errors.push(wrongType(schema, path, detail));
  }
  if (mapType !== 'atomic' && mapType !== 'granular') {
    const field = childPath(path, 'x-kubernetes-map-type');
    errors.push(notSupported(field, mapType, ['atomic', 'granular']));
  }
  return errors;
}

function wrongType(schema: JsonSchema, path: string, detail: string): FieldError {
  const field = childPath(path, 'type');
  return schema.type === undefined
    ? requiredField(field, detail)
    : invalidField(field, schema.type, detail);
}

function checkListType(schema: JsonSchema, path: string): readonly FieldError[] {
  const listType: string | undefined = schema['x-kubernetes-list-type'];
  if (listType === undefined) return [];
  const errors: FieldError[] = [];
  if (schema.type !== 'array') {
    errors.push(wrongType(schema, path, 'must be array if x-kubernetes-list-type is specified'));
  } else if (listType === 'set') errors.push(...checkSetItems(schema, path));
  if (!['atomic', 'set', 'map'].includes(listType)) {
    const field = childPath(path, 'x-kubernetes-list-type');
    errors.push(notSupported(field, listType, ['atomic', 'set', 'map']));
  }
  return errors;
}

// The items of a set are owned as a whole, so nothing inside them can have an owner of its own.
function checkSetItems({ items }: JsonSchema, path: string): readonly FieldError[] {
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = items?.['x-kubernetes-list-type'];
  if (items?.type === 'array' && listType !== undefined && listType !== 'atomic') {
    return [invalidField(childPath(path, 'items.x-kubernetes-list-type'), listType, detail)];
  }
  if (items?.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
    const mapType = items['x-kubernetes-map-type'] ?? null;
    return [invalidField(childPath(path, 'items.x-kubernetes-map-type'), mapType, detail)];
  }
  return [];
}

function checkListMapKeys(schema: JsonSchema, path: string): readonly FieldError[] {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const listType = schema['x-kubernetes-list-type'];
  const typeField = childPath(path, 'x-kubernetes-list-type');
  const keysField = childPath(path, 'x-kubernetes-list-map-keys');
  const errors: FieldError[] = [];
  if (keys.length > 0 && listType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    errors.push(
      listType === undefined
        ? requiredField(typeField, detail)
        : invalidField(typeField, listType, detail),
    );
  }
  if (listType !== 'map') return errors;
  const { items } = schema;
  if (keys.length === 0) {
    const detail = 'must not be empty if x-kubernetes-list-type is map';
    errors.push(requiredField(keysField, detail));
  }
  if (items === undefined) {
    const detail = 'must have a schema if x-kubernetes-list-type is map';
    return [...errors, requiredField(childPath(path, 'items'), detail)];
  }
  if (items.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return [...errors, invalidField(childPath(path, 'items.type'), items.type ?? '', detail)];
  }
  keys.forEach((key, i) => {
    const property = items.properties?.[key];
    if (property === undefined) {
      errors.push(invalidField(keysField, keys, 'entries must all be names of item properties'));
    } else if (property.type === 'array' || property.type === 'object') {
      const field = childPath(path, `items.properties[${key}].type`);
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalidField(field, items.type, detail));
    }
    if (keys.indexOf(key) < i) {
      errors.push(invalidField(keysField, keys, 'must not contain duplicate entries'));
    }
  });
  return errors;
}

function checkListItems(schema: JsonSchema, path: string): readonly FieldError[] {
  const { items } = schema;
  const listType = schema['x-kubernetes-list-type'];
  if (items === undefined || (listType !== 'set' && listType !== 'map')) return [];
  const errors: FieldError[] = [];
  if (items.nullable === true) {
    const detail = `cannot be nullable when x-kubernetes-list-type is ${listType}`;
    errors.push(forbiddenField(childPath(path, 'items.nullable'), detail));
  }
  if (listType === 'set') return errors;
  const isKey = 'this property is in x-kubernetes-list-map-keys, so it';
  for (const key of schema['x-kubernetes-list-map-keys'] ?? []) {
    const property = items.properties?.[key];
    if (property === undefined) continue;
    const field = childPath(path, `items.properties[${key}]`);
    if (items.required?.includes(key) !== true && property.default === undefined) {
      const detail = `${isKey} must have a default or be a required property`;
      errors.push(requiredField(`${field}.default`, detail));
    }
    if (property.nullable === true) {
      errors.push(forbiddenField(`${field}.nullable`, `${isKey} cannot be nullable`));
    }
  }
  return errors;
}
