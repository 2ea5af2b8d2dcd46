import { jsonEqual } from '@fnlet/base';
import {
  type CustomResourceDefinition,
  type CustomResourceVersion,
  compareVersions,
  type FieldError,
  formatApiVersion,
  type JsonPath,
  type JsonSchema,
  type KubeObject,
  type PrinterColumn,
  parseJsonPath,
} from '@fnlet/machinery';
import { type Column, formatAge, nameColumn } from '../answer/column.ts';
import { fieldError } from '../request/request-options.ts';
import type { ConvertObjects, ScalePaths, Strategy } from '../resource/strategy.ts';

const nothingKnown: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** The strategies of a definition's served versions, and what converts between them. */
export function customStrategies(
  definition: CustomResourceDefinition,
  convert: ConvertObjects | undefined,
): readonly Strategy[] {
  const { versions } = definition.spec;
  return versions
    .filter(({ served }) => served)
    .map((version) => customStrategy(definition, version))
    .map((strategy) => (convert === undefined ? strategy : { ...strategy, convert }));
}

function customStrategy(
  definition: CustomResourceDefinition,
  version: CustomResourceVersion,
): Strategy {
  const { group, names, scope, versions } = definition.spec;
  const { kind, plural } = names;
  const storage = versions.find((candidate) => candidate.storage) ?? version;
  const { subresources = {} } = version;
  return {
    type: { group, version: version.name, kind, plural, namespaced: scope === 'Namespaced' },
    singular: names.singular ?? kind.toLowerCase(),
    listKind: names.listKind ?? `${kind}List`,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    custom: true,
    stored: { apiVersion: formatApiVersion({ group, version: storage.name }), group, plural },
    schema: version.schema?.openAPIV3Schema ?? nothingKnown,
    nameRule: 'dns1123Subdomain',
    hasStatus: subresources.status !== undefined,
    hasGeneration: true,
    unconditionalUpdate: false,
    scale: subresources.scale,
    columns: columnsOf(version.additionalPrinterColumns),
    selectableFields: selectableFields(version),
    deprecation: deprecationOf(definition, version),
    ...(subresources.scale === undefined ? {} : { validate: scaleErrors(subresources.scale) }),
  };
}

const age: PrinterColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'The time since the object was created.',
};

// Columns that a definition gives replace the default Age; the name always comes first.
function columnsOf(columns: readonly PrinterColumn[] | undefined): readonly Column[] {
  return [nameColumn, ...(columns ?? [age]).map(customColumn)];
}

function customColumn(column: PrinterColumn): Column {
  const { name, type, jsonPath, format = '', priority = 0 } = column;
  const read = readPath(jsonPath);
  return {
    name,
    type,
    format,
    description:
      column.description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority,
    cell: (object, now) => cellOf(type, read(object)[0], now),
  };
}

/** Parsed at first use: a start serves every kind there is, and shows few of them as tables. */
function readPath(jsonPath: string): JsonPath {
  let read: JsonPath | undefined;
  return (object) => {
    read ??= parsePath(jsonPath);
    return read(object);
  };
}

function parsePath(jsonPath: string): JsonPath {
  try {
    return parseJsonPath(jsonPath);
  } catch {
    // A path that was accepted but cannot be read shows nothing rather than breaking the table.
    return () => [];
  }
}

function cellOf(type: PrinterColumn['type'], value: unknown, now: number): unknown {
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? formatAge(value, now) : null;
    case 'string':
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
}

function selectableFields(version: CustomResourceVersion): Strategy['selectableFields'] {
  const fields = (version.selectableFields ?? []).map(({ jsonPath }) => {
    const read = readPath(jsonPath);
    const value = (object: KubeObject): string => String(read(object)[0] ?? '');
    return [jsonPath.replace(/^\./, ''), value] as const;
  });
  return Object.fromEntries(fields);
}

function deprecationOf(
  definition: CustomResourceDefinition,
  version: CustomResourceVersion,
): string | undefined {
  if (version.deprecated !== true) return undefined;
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const { group, names, versions } = definition.spec;
  const [successor] = versions
    .filter(({ served, deprecated }) => served && deprecated !== true)
    .map(({ name }) => name)
    .filter((name) => compareVersions(name, version.name) < 0)
    .sort(compareVersions);
  const text = `${group}/${version.name} ${names.kind} is deprecated`;
  return successor === undefined ? text : `${text}; use ${group}/${successor} ${names.kind}`;
}

// apiextensions, registry/customresource/validator.go
function scaleErrors(paths: ScalePaths): NonNullable<Strategy['validate']> {
  const fields = [paths.specReplicasPath, paths.statusReplicasPath];
  const readers = fields.map((field) => [field, readPath(field)] as const);
  return (object): readonly FieldError[] =>
    readers.flatMap(([field, read]) => {
      const value = read(object)[0];
      if (value === undefined || value === null) return [];
      if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return [];
      const text =
        typeof value === 'number'
          ? `Invalid value: ${value}: should be a non-negative integer`
          : `Invalid value: 0: ${field} accessor error: ${String(value)} is of the type ${typeof value}, expected int64`;
      return [fieldError('FieldValueInvalid', field, text)];
    });
}

/** Whether two definitions are served alike, so that what was compiled can be kept. */
export function isServedAlike(a: CustomResourceDefinition, b: CustomResourceDefinition): boolean {
  // The generation of an object moves with its spec.
  const isSame =
    a.metadata.uid === b.metadata.uid && a.metadata.generation === b.metadata.generation;
  return isSame || jsonEqual(a.spec, b.spec);
}
