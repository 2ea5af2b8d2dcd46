import type { FieldError, KubeObject } from '@fnlet/machinery';
import { ageColumn, nameColumn } from '../answer/column.ts';
import { objectField } from '../object/object-form.ts';
import { immutableField } from '../object/validate-object.ts';
import { fieldError } from '../request/request-options.ts';
import type { Strategy } from '../resource/strategy.ts';
import { builtinStrategy } from './builtin-strategy.ts';
import { dataKey } from './form.ts';
import { invalid, tooLong } from './refusal.ts';
import { entriesOf } from './rule.ts';
import { flag, textMap } from './schema-words.ts';

export const configMapStrategy: Strategy = builtinStrategy({
  kind: 'ConfigMap',
  plural: 'configmaps',
  shortNames: ['cm'],
  description: 'A ConfigMap holds configuration for Pods to use.',
  fields: {
    data: textMap('The configuration as text.'),
    binaryData: textMap('The configuration that is not text, in base64.'),
    immutable: flag('Whether the data can never change.'),
  },
  columns: [
    nameColumn,
    {
      name: 'Data',
      type: 'string',
      description: 'How many keys there are.',
      cell: (map) => keysOf(map).length,
    },
    ageColumn,
  ],
  validate: (map, old) => [
    ...entriesOf(dataKey)(map.data, 'data'),
    ...sharedKeys(map),
    ...entriesOf(dataKey)(map.binaryData, 'binaryData'),
    ...base64Errors(map, 'binaryData'),
    ...sizeErrors(map, ['data', 'binaryData']),
    ...immutableDataErrors(map, old, ['data', 'binaryData']),
  ],
});

function keysOf(map: KubeObject): readonly string[] {
  return [...Object.keys(objectField(map, 'data')), ...Object.keys(objectField(map, 'binaryData'))];
}

function sharedKeys(map: KubeObject): readonly FieldError[] {
  const binary = objectField(map, 'binaryData');
  return Object.keys(objectField(map, 'data'))
    .filter((key) => binary[key] !== undefined)
    .map((key) => invalid(`data[${key}]`, key, 'duplicate of key present in binaryData'));
}

/** More would not fit into etcd; the limit of ConfigMaps and Secrets together with their keys. */
const dataBytesMax = 1024 * 1024;

/** What the values hold, in bytes: base64 counts as what it stands for. */
export function sizeErrors(map: KubeObject, fields: readonly string[]): readonly FieldError[] {
  let bytes = 0;
  for (const field of fields) {
    for (const value of Object.values(objectField(map, field))) {
      const isText = map.kind === 'ConfigMap' && field === 'data';
      bytes += Buffer.byteLength(String(value), isText ? 'utf8' : 'base64');
    }
  }
  // A ConfigMap is too long as a whole: Kubernetes names that path so.
  const [field = ''] = map.kind === 'ConfigMap' ? ['[]'] : fields;
  return bytes > dataBytesMax ? [tooLong(field, dataBytesMax)] : [];
}

/** What is kept as base64 must be base64. */
export function base64Errors(map: KubeObject, field: string): readonly FieldError[] {
  return Object.entries(objectField(map, field))
    .filter(([, value]) => typeof value === 'string' && !isBase64(value))
    .map(([key]) =>
      fieldError('FieldValueInvalid', `${field}[${key}]`, 'Invalid value: illegal base64 data'),
    );
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/\r\n]*={0,2}$/.test(text);
}

/** KEP-1412: what was made immutable stays so. */
export function immutableDataErrors(
  map: KubeObject,
  old: KubeObject | undefined,
  fields: readonly string[],
): readonly FieldError[] {
  if (old?.immutable !== true) return [];
  const text = 'field is immutable when `immutable` is set';
  const errors =
    map.immutable === true
      ? []
      : [fieldError('FieldValueForbidden', 'immutable', `Forbidden: ${text}`)];
  for (const field of fields) {
    if (immutableField(field, map[field] ?? {}, old[field] ?? {}).length === 0) continue;
    errors.push(fieldError('FieldValueForbidden', field, `Forbidden: ${text}`));
  }
  return errors;
}
