import { isJsonObject, jsonEqual } from '@fnlet/base';
import type { FieldError, JsonSchema } from '@fnlet/machinery';
import { correlateField, correlateItems, uncorrelated } from './correlation.ts';
import {
  childPath,
  invalidField,
  notSupported,
  requiredField,
  tooMany,
  wrongType,
} from './field-message.ts';
import { compileJunctorCheck } from './junctor-check.ts';
import { compileNumberCheck } from './number-check.ts';
import { compileStringCheck } from './string-check.ts';
import type { PlainCheck, ValueCheck } from './value-check.ts';

/**
 * Compiles the value validation of a schema. The order of the checks and the texts are those of
 * kube-openapi's validation, which apiextensions uses.
 */
export function compileValueValidation(schema: JsonSchema): ValueCheck {
  const types = schemaTypes(schema);
  const checkType = compileTypeCheck(schema, types);
  const checkJunctors = compileJunctorCheck(schema, compileValueValidation);
  const checkString = compileStringCheck(schema);
  const checkNumber = compileNumberCheck(schema);
  const checkItems = compileItemsCheck(schema);
  const checkFields = compileFieldsCheck(schema);
  const checkEnum = compileEnumCheck(schema);
  return (value, old, path, errors) => {
    let matches = checkType(value, path, errors) ? 1 : 0;
    if (value === null) {
      checkEnum?.(value, path, errors);
      return matches;
    }
    if (checkJunctors !== undefined) matches += checkJunctors(value, old, path, errors);
    if (typeof value === 'string') checkString?.(value, path, errors);
    else if (typeof value === 'number') checkNumber?.(value, path, errors);
    else if (Array.isArray(value)) matches += checkItems(value, old, path, errors);
    checkEnum?.(value, path, errors);
    if (isJsonObject(value)) matches += checkFields(value, old, path, errors);
    return matches;
  };
}

/** A field or an item: what was wrong before the update and did not change is tolerated. */
function ratcheted(check: ValueCheck): ValueCheck {
  return (value, old, path, errors) => {
    const before = errors.length;
    const matches = check(value, old, path, errors);
    if (errors.length > before && old !== uncorrelated && jsonEqual(value, old)) {
      errors.length = before;
    }
    return matches;
  };
}

/** The check of a whole value, tolerant as {@link ratcheted} says. */
export function compileRatchetedValidation(schema: JsonSchema): ValueCheck {
  return ratcheted(compileValueValidation(schema));
}

function schemaTypes(schema: JsonSchema): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  return schema.type === undefined ? [] : [schema.type];
}

/** The JSON type of a value, as error texts name it. */
export function jsonType(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

type TypeCheck = (value: unknown, path: string, errors: FieldError[]) => boolean;

function compileTypeCheck(schema: JsonSchema, types: readonly string[]): TypeCheck {
  if (types.length === 0) return () => true;
  const expected = types.join(',');
  const accepted = new Set(types);
  if (accepted.has('number')) accepted.add('integer');
  if (schema.nullable === true) accepted.add('null');
  return (value, path, errors) => {
    const found = jsonType(value);
    if (accepted.has(found)) return true;
    const detail = `${path} in body must be of type ${expected}: "${found}"`;
    errors.push(wrongType(path, found, detail));
    return false;
  };
}

function compileEnumCheck(schema: JsonSchema): PlainCheck<unknown> | undefined {
  const allowed = schema.enum;
  if (allowed === undefined || allowed.length === 0) return undefined;
  const scalars = new Set(allowed);
  return (value, path, errors) => {
    if (scalars.has(value) || allowed.some((item) => jsonEqual(item, value))) return;
    errors.push(notSupported(path, value, allowed));
  };
}

function compileItemsCheck(
  schema: JsonSchema,
): (items: readonly unknown[], old: unknown, path: string, errors: FieldError[]) => number {
  const { minItems, maxItems, uniqueItems } = schema;
  const checkItem =
    schema.items === undefined ? undefined : compileRatchetedValidation(schema.items);
  return (items, old, path, errors) => {
    let matches = 0;
    if (checkItem !== undefined) {
      const oldItem = correlateItems(schema, old);
      for (let i = 0; i < items.length; i += 1) {
        matches += checkItem(items[i], oldItem(items[i]), `${path}[${i}]`, errors);
      }
    }
    if (minItems !== undefined && items.length < minItems) {
      const detail = `${path} in body should have at least ${minItems} items`;
      errors.push(invalidField(path, items.length, detail));
    }
    if (maxItems !== undefined && items.length > maxItems) {
      errors.push(tooMany(path, items.length, maxItems));
    }
    if (uniqueItems === true && hasDuplicates(items)) {
      errors.push(invalidField(path, '', `${path} in body shouldn't contain duplicates`));
    }
    return matches + 1;
  };
}

function hasDuplicates(items: readonly unknown[]): boolean {
  return items.some((item, i) => items.slice(0, i).some((other) => jsonEqual(item, other)));
}

function compileFieldsCheck(schema: JsonSchema): ValueCheck {
  const properties = new Map<string, ValueCheck>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    properties.set(name, compileRatchetedValidation(property));
  }
  const additional = schema.additionalProperties;
  const checkOther =
    typeof additional === 'object' ? compileRatchetedValidation(additional) : undefined;
  const checkSize = compileSizeCheck(schema);
  const required = schema.required ?? [];
  return (value, old, path, errors) => {
    if (!isJsonObject(value)) return 0;
    let matches = 0;
    const names = Object.keys(value);
    checkSize(names.length, path, errors);
    for (const name of additional === undefined ? [] : names) {
      if (properties.has(name)) continue;
      const field = childPath(path, name);
      if (additional === false) {
        errors.push(invalidField(path, name, `${path}.${name} in body is a forbidden property`));
      } else if (checkOther !== undefined) {
        matches += checkOther(value[name], correlateField(old, name), field, errors);
      }
    }
    for (const [name, check] of properties) {
      if (!Object.hasOwn(value, name)) continue;
      const field = childPath(path, name);
      matches += check(value[name], correlateField(old, name), field, errors);
    }
    for (const name of required) {
      if (!Object.hasOwn(value, name)) errors.push(requiredField(childPath(path, name)));
    }
    return matches;
  };
}

function compileSizeCheck(schema: JsonSchema): PlainCheck<number> {
  const { minProperties, maxProperties } = schema;
  return (size, path, errors) => {
    if (minProperties !== undefined && size < minProperties) {
      const detail = `${path} in body should have at least ${minProperties} properties`;
      errors.push(invalidField(path, size, detail));
    }
    if (maxProperties !== undefined && size > maxProperties) {
      errors.push(tooMany(path, size, maxProperties));
    }
  };
}
