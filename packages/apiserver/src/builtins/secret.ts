import type { FieldError, KubeObject } from '@fnlet/machinery';
import { accountNameAnnotation, tokenSecretType } from '../auth/token-secret-type.ts';
import { ageColumn, nameColumn } from '../column.ts';
import { objectField, textField, withFields } from '../object-form.ts';
import { fieldError } from '../request-options.ts';
import type { Strategy } from '../strategy.ts';
import { immutableField } from '../validate-object.ts';
import { builtinStrategy } from './builtin-strategy.ts';
import { base64Errors, dataKeyErrors, immutableDataErrors } from './config-map.ts';
import { flag, text, textMap } from './schema-words.ts';

/** The keys that a Secret of a known type must have. */
const requiredKeys: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
};

export const secretStrategy: Strategy = builtinStrategy({
  kind: 'Secret',
  plural: 'secrets',
  description: 'A Secret holds data that not everybody may see.',
  fields: {
    type: text('What the data is for.'),
    data: textMap('The data in base64.'),
    stringData: textMap('Data as plain text; written into data, never read back.'),
    immutable: flag('Whether the data can never change.'),
  },
  columns: [
    nameColumn,
    {
      name: 'Type',
      type: 'string',
      description: 'What the data is for.',
      cell: (secret) => textField(secret, 'type'),
    },
    {
      name: 'Data',
      type: 'string',
      description: 'How many keys there are.',
      cell: (secret) => Object.keys(objectField(secret, 'data')).length,
    },
    ageColumn,
  ],
  selectableFields: { type: (secret) => textField(secret, 'type') },
  defaults: (secret) => mergeTexts(withType(secret)),
  validate: (secret, old) => [
    ...dataKeyErrors(secret, ['data']),
    ...base64Errors(secret, 'data'),
    ...missingKeys(secret),
    ...missingAccount(secret),
    ...(old === undefined ? [] : immutableField('type', secret.type, old.type)),
    ...immutableDataErrors(secret, old, ['data']),
  ],
});

function withType(secret: KubeObject): KubeObject {
  return textField(secret, 'type') === '' ? withFields(secret, { type: 'Opaque' }) : secret;
}

function mergeTexts(secret: KubeObject): KubeObject {
  if (secret.stringData === undefined) return secret;
  const data: Record<string, unknown> = { ...objectField(secret, 'data') };
  for (const [key, value] of Object.entries(objectField(secret, 'stringData'))) {
    data[key] = Buffer.from(String(value)).toString('base64');
  }
  return withFields(secret, { data, stringData: undefined });
}

function missingKeys(secret: KubeObject): readonly FieldError[] {
  const keys = requiredKeys[textField(secret, 'type')] ?? [];
  const data = objectField(secret, 'data');
  return keys
    .filter((key) => data[key] === undefined)
    .map((key) => fieldError('FieldValueRequired', `data[${key}]`, 'Required value'));
}

function missingAccount({ type, metadata }: KubeObject): readonly FieldError[] {
  if (type !== tokenSecretType) return [];
  if ((metadata.annotations?.[accountNameAnnotation] ?? '') !== '') return [];
  const field = `metadata.annotations[${accountNameAnnotation}]`;
  return [fieldError('FieldValueRequired', field, 'Required value')];
}
