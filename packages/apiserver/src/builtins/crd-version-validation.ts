import { isJsonObject, type JsonObject, jsonEqual } from '@fnlet/base';
import { type FieldError, type JsonSchema, nameProblems } from '@fnlet/machinery';
import { checkStructural, type PassedRules } from '@fnlet/schema';
import { listField, objectField, textField } from '../object/object-form.ts';
import { fieldError } from '../request/request-options.ts';
import { duplicate, invalid, missing } from './refusal.ts';

// What may stand in a version of a definition (apiextensions, validation), in its words.

/**
 * What is wrong with the versions of a definition, each looked at for itself; `before` are those
 * that it had.
 */
export function versionErrors(
  versions: readonly JsonObject[],
  before: readonly JsonObject[],
): readonly FieldError[] {
  const passed: PassedRules = new Map();
  return versions.flatMap((version, index) => {
    const at = (field: string): string => partPath(versions, index, field);
    return [
      ...nameErrors(version, `spec.versions[${index}]`),
      ...schemaErrors(version, at('schema'), { before, passed }),
      ...scaleErrors(version, at('subresources')),
      ...listField(version, 'additionalPrinterColumns').flatMap((column, i) =>
        columnErrors(column, `${at('additionalPrinterColumns')}[${i}]`),
      ),
      ...selectableErrors(version, at('selectableFields')),
    ];
  });
}

/**
 * Where a part of a version stands in refusals. What all versions have in common is reported as if
 * it stood at the top, as in the days before versions.
 */
function partPath(versions: readonly JsonObject[], index: number, field: string): string {
  const isCommon = versions.every((other) => jsonEqual(other[field], versions[0]?.[field]));
  if (!isCommon) return `spec.versions[${index}].${field}`;
  return field === 'schema' ? 'spec.validation' : `spec.${field}`;
}

const warningCharactersMax = 256;

function nameErrors(version: JsonObject, path: string): readonly FieldError[] {
  const name = textField(version, 'name');
  const problems = nameProblems('dns1035Label', name);
  const { deprecated, deprecationWarning: warning } = version;
  const warned = `${path}.deprecationWarning`;
  const errors: FieldError[] = [];
  if (problems.length > 0) errors.push(invalid(`${path}.name`, name, problems.join(',')));
  if (typeof warning !== 'string') return errors;
  if (deprecated !== true) {
    errors.push(invalid(warned, warning, 'can only be set for deprecated versions'));
  }
  if (warning.length > warningCharactersMax) {
    errors.push(invalid(warned, warning, `must be <= ${warningCharactersMax} characters long`));
  }
  const unprintable = warning.search(/[^\P{C}]|[^\P{Z} ]/u);
  if (warning === '') errors.push(invalid(warned, warning, 'must not be an empty string'));
  if (unprintable >= 0) {
    const found = `non-printable character found at index ${unprintable}`;
    const text = `must only contain printable UTF-8 characters; ${found}`;
    errors.push(invalid(warned, warning, text));
  }
  return errors;
}

function schemaErrors(
  version: JsonObject,
  path: string,
  known: { readonly before: readonly JsonObject[]; readonly passed: PassedRules },
): readonly FieldError[] {
  const { before, passed } = known;
  const schema = objectField(version, 'schema').openAPIV3Schema;
  const at = `${path}.openAPIV3Schema`;
  if (!isSchema(schema)) {
    return [missing(at.replace('spec.validation', 'spec.versions[0].schema'))];
  }
  const stood = before.find(({ name }) => name === version.name);
  const isKnown = stood !== undefined && jsonEqual(stood.schema, version.schema);
  return checkStructural(schema, { isKnown, passed }).map((error) => {
    const isRoot = error.field === '' || error.field === '<nil>';
    return { ...error, field: isRoot ? at : `${at}.${error.field}` };
  });
}

function isSchema(value: unknown): value is JsonSchema {
  return isJsonObject(value);
}

function scaleErrors(version: JsonObject, path: string): readonly FieldError[] {
  const { scale } = objectField(version, 'subresources');
  if (!isJsonObject(scale)) return [];
  const at = (field: string): string => `${path}.scale.${field}`;
  const below = (field: string, top: string): readonly FieldError[] => {
    const value = textField(scale, field);
    if (value === '') return [missing(at(field))];
    return pathErrors(
      { field: at(field), path: value },
      [`.${top}.`],
      `should be a json path under .${top}`,
    );
  };
  const selector = textField(scale, 'labelSelectorPath');
  const either = 'should be a json path under either .spec or .status';
  return [
    ...below('specReplicasPath', 'spec'),
    ...below('statusReplicasPath', 'status'),
    ...(selector === ''
      ? []
      : pathErrors(
          { field: at('labelSelectorPath'), path: selector },
          ['.spec.', '.status.'],
          either,
        )),
  ];
}

function pathErrors(
  { field, path }: { readonly field: string; readonly path: string },
  tops: readonly string[],
  text: string,
): readonly FieldError[] {
  const simple = simplePathErrors(field, path);
  if (simple.length > 0 || tops.some((top) => path.startsWith(top))) return simple;
  return [invalid(field, path, text)];
}

function simplePathErrors(field: string, path: string): readonly FieldError[] {
  if (path.startsWith('.')) return [];
  return [invalid(field, path, 'must be a simple json path starting with .')];
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = [
  'byte',
  'date',
  'date-time',
  'double',
  'float',
  'int32',
  'int64',
  'password',
];

function columnErrors(column: JsonObject, path: string): readonly FieldError[] {
  const among = (field: string, known: readonly string[]): readonly FieldError[] => {
    const value = textField(column, field);
    if (value === '' || known.includes(value)) return [];
    return [invalid(`${path}.${field}`, value, `must be one of ${known.join(',')}`)];
  };
  const needed = (field: string, name = field): readonly FieldError[] =>
    textField(column, field) === '' ? [missing(`${path}.${name}`)] : [];
  const jsonPath = textField(column, 'jsonPath');
  return [
    ...needed('name'),
    ...needed('type'),
    ...among('type', columnTypes),
    ...among('format', columnFormats),
    ...needed('jsonPath', 'JSONPath'),
    ...(jsonPath === '' ? [] : simplePathErrors(`${path}.JSONPath`, jsonPath)),
  ];
}

const selectableFieldsMax = 8;

function selectableErrors(version: JsonObject, path: string): readonly FieldError[] {
  const schema = objectField(version, 'schema').openAPIV3Schema;
  const seen = new Set<string>();
  const errors = listField(version, 'selectableFields').flatMap((field, index) => {
    const jsonPath = textField(field, 'jsonPath');
    const at = `${path}[${index}]`;
    if (jsonPath === '') return [missing(`${at}.jsonPath`)];
    if (jsonPath.startsWith('.metadata')) {
      return [invalid(at, jsonPath, 'must not point to fields in metadata')];
    }
    const found = isSchema(schema) ? schemaAt(schema, jsonPath) : undefined;
    if (found === undefined) {
      const text = 'is an invalid path: does not refer to a valid field';
      return [invalid(`${at}.jsonPath`, jsonPath, text)];
    }
    if (seen.has(jsonPath)) {
      return [duplicate(at, jsonPath)];
    }
    seen.add(jsonPath);
    if (['string', 'boolean', 'integer'].includes(found.type ?? '')) return [];
    const allowed = 'Enum string fields and strings with formats are allowed.';
    const text = `must point to a field of type string, boolean or integer. ${allowed}`;
    return [invalid(at, jsonPath, text)];
  });
  if (seen.size <= selectableFieldsMax) return errors;
  const text = `Too many: ${seen.size}: must have at most ${selectableFieldsMax} items`;
  return [...errors, fieldError('FieldValueTooMany', path, text)];
}

function schemaAt(schema: JsonSchema, jsonPath: string): JsonSchema | undefined {
  const [first, ...names] = jsonPath.split('.');
  if (first !== '') return undefined;
  return names.reduce<JsonSchema | undefined>((at, name) => at?.properties?.[name], schema);
}
