import { isJsonObject, type JsonObject, jsonEqual } from '@fnlet/base';
import { type FieldError, type JsonSchema, type KubeObject, validateName } from '@fnlet/machinery';
import { checkStructural } from '@fnlet/schema';
import { listField, objectField, textField } from '../object-form.ts';
import { fieldError } from '../request-options.ts';
import { immutableField } from '../validate-object.ts';

/**
 * What is wrong with a definition (apiextensions, validation). A spec that stands is not looked at
 * again: it was when it came, and every start and every status would pay for compiling its rules.
 */
export function crdErrors(
  definition: KubeObject,
  old: KubeObject | undefined,
): readonly FieldError[] {
  const spec = objectField(definition, 'spec');
  if (old !== undefined && jsonEqual(spec, objectField(old, 'spec'))) return [];
  const versions = listField(spec, 'versions');
  return [
    ...nameErrors(definition, spec, old === undefined),
    ...choiceErrors(spec),
    ...versions.flatMap((version, index) => versionErrors(version, index, versions)),
    ...storageErrors(spec, versions),
    ...conversionErrors(spec),
    ...(old === undefined ? [] : immutableErrors(spec, old)),
  ];
}

function required(field: string): FieldError {
  return fieldError('FieldValueRequired', field, 'Required value');
}

function invalid(field: string, value: unknown, text: string): FieldError {
  return fieldError('FieldValueInvalid', field, `Invalid value: ${JSON.stringify(value)}: ${text}`);
}

function nameErrors(definition: KubeObject, spec: JsonObject, isNew: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const names = objectField(spec, 'names');
  const group = textField(spec, 'group');
  const plural = textField(names, 'plural');
  const { name } = definition.metadata;
  if (isNew && name !== `${plural}.${group}`) {
    errors.push(invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group'));
  }
  if (group === '') errors.push(required('spec.group'));
  else if (!group.includes('.')) {
    errors.push(invalid('spec.group', group, 'should be a domain with at least one dot'));
  }
  for (const field of ['plural', 'kind']) {
    if (textField(names, field) === '') errors.push(required(`spec.names.${field}`));
  }
  for (const field of ['plural', 'singular']) {
    const value = textField(names, field);
    const problem = value === '' ? undefined : validateName('dns1035Label', value);
    if (problem !== undefined) errors.push(invalid(`spec.names.${field}`, value, problem));
  }
  return errors;
}

function choiceErrors(spec: JsonObject): FieldError[] {
  const scope = textField(spec, 'scope');
  if (scope === '') return [required('spec.scope')];
  if (scope === 'Cluster' || scope === 'Namespaced') return [];
  const text = `Unsupported value: "${scope}": supported values: "Cluster", "Namespaced"`;
  return [fieldError('FieldValueNotSupported', 'spec.scope', text)];
}

function versionErrors(
  version: JsonObject,
  index: number,
  all: readonly JsonObject[],
): FieldError[] {
  const path = `spec.versions[${index}]`;
  // A single version is reported as if it stood at the top, as in the days before versions.
  const top = all.length === 1 ? 'spec' : path;
  const schemaPath =
    all.length === 1 ? 'spec.validation.openAPIV3Schema' : `${path}.schema.openAPIV3Schema`;
  const errors: FieldError[] = [];
  const name = textField(version, 'name');
  const problem = validateName('dns1035Label', name);
  if (problem !== undefined) errors.push(invalid(`${path}.name`, name, problem));
  if (all.findIndex((other) => other.name === name) < index) {
    errors.push(fieldError('FieldValueDuplicate', `${path}.name`, `Duplicate value: "${name}"`));
  }
  const schema = objectField(version, 'schema').openAPIV3Schema;
  if (!isSchema(schema)) errors.push(required(`${path}.schema.openAPIV3Schema`));
  else {
    for (const error of checkStructural(schema)) {
      const field =
        error.field === '' || error.field === '<nil>' ? schemaPath : `${schemaPath}.${error.field}`;
      errors.push({ ...error, field });
    }
  }
  listField(version, 'additionalPrinterColumns').forEach((column, i) => {
    errors.push(...columnErrors(column, `${top}.additionalPrinterColumns[${i}]`));
  });
  return [...errors, ...selectableErrors(version, path)];
}

function isSchema(value: unknown): value is JsonSchema {
  return isJsonObject(value);
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];

function columnErrors(column: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const type = textField(column, 'type');
  const jsonPath = textField(column, 'jsonPath');
  if (textField(column, 'name') === '') errors.push(required(`${path}.name`));
  if (type === '') errors.push(required(`${path}.type`));
  else if (!columnTypes.includes(type)) {
    errors.push(invalid(`${path}.type`, type, `must be one of ${columnTypes.join(',')}`));
  }
  if (jsonPath === '') errors.push(required(`${path}.JSONPath`));
  else if (!jsonPath.startsWith('.')) {
    errors.push(
      invalid(`${path}.JSONPath`, jsonPath, 'must be a simple json path starting with .'),
    );
  }
  return errors;
}

function selectableErrors(version: JsonObject, path: string): FieldError[] {
  return listField(version, 'selectableFields').flatMap((field, index) => {
    const jsonPath = textField(field, 'jsonPath');
    if (/^(\.[A-Za-z_][\w-]*)+$/.test(jsonPath) && !jsonPath.startsWith('.metadata.')) return [];
    const text = 'must be a simple path to a field outside metadata, such as .spec.color';
    return [invalid(`${path}.selectableFields[${index}].jsonPath`, jsonPath, text)];
  });
}

function storageErrors(spec: JsonObject, versions: readonly JsonObject[]): FieldError[] {
  const errors: FieldError[] = [];
  if (versions.filter(({ storage }) => storage === true).length !== 1) {
    const text = 'must have exactly one version marked as storage version';
    errors.push(
      invalid(
        'spec.versions',
        versions.map(({ name }) => name),
        text,
      ),
    );
  }
  if (versions.every(({ storage }) => storage !== true)) {
    const text = 'must have at least one stored version';
    errors.push(invalid('status.storedVersions', null, text));
  }
  if (spec.preserveUnknownFields === true) {
    const text = 'must be set to false to create this CustomResourceDefinition';
    errors.push(invalid('spec.preserveUnknownFields', true, text));
  }
  return errors;
}

function conversionErrors(spec: JsonObject): FieldError[] {
  const strategy = textField(objectField(spec, 'conversion'), 'strategy');
  if (strategy === 'None' || strategy === '') return [];
  const text = `Unsupported value: "${strategy}": supported values: "None"`;
  return [fieldError('FieldValueNotSupported', 'spec.conversion.strategy', text)];
}

function immutableErrors(spec: JsonObject, old: KubeObject): readonly FieldError[] {
  const before = objectField(old, 'spec');
  const established = listField(objectField(old, 'status'), 'conditions').some(
    ({ type, status }) => type === 'Established' && status === 'True',
  );
  const group = immutableField('spec.group', spec.group, before.group);
  if (!established) return group;
  const names = objectField(spec, 'names');
  const namesBefore = objectField(before, 'names');
  return [
    ...immutableField('spec.scope', spec.scope, before.scope),
    ...immutableField('spec.names.kind', names.kind, namesBefore.kind),
    ...group,
    ...immutableField('spec.names.plural', names.plural, namesBefore.plural),
  ];
}
