import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { FieldError, KubeObject } from '@fnlet/machinery';
import { ageColumn, nameColumn } from '../answer/column.ts';
import { accountNameAnnotation, tokenSecretType } from '../auth/token-secret-type.ts';
import { objectField, textField, withFields } from '../object/object-form.ts';
import type { Strategy } from '../resource/strategy.ts';
import { builtinStrategy } from './builtin-strategy.ts';
import { immutable } from './changes.ts';
import { base64Errors, immutableDataErrors, sizeErrors } from './config-map.ts';
import { dataKey } from './form.ts';
import { invalid, missing } from './refusal.ts';
import { entriesOf, isUnset } from './rule.ts';
import { flag, text, textMap } from './schema-words.ts';

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
    ...entriesOf(dataKey)(secret.data, 'data'),
    ...base64Errors(secret, 'data'),
    ...sizeErrors(secret, ['data']),
    ...typeErrors(secret),
    ...(old === undefined ? [] : immutable('type')(secret, old)),
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

/** What a Secret of a known type must hold. */
function typeErrors(secret: KubeObject): readonly FieldError[] {
  const data = objectField(secret, 'data');
  const absent = (...keys: readonly string[]): readonly FieldError[] =>
    keys.filter((key) => data[key] === undefined).map((key) => missing(`data[${key}]`));
  switch (textField(secret, 'type')) {
    case 'kubernetes.io/tls':
      return absent('tls.crt', 'tls.key');
    case 'kubernetes.io/dockerconfigjson':
      return [...absent('.dockerconfigjson'), ...jsonErrors(data, '.dockerconfigjson')];
    case 'kubernetes.io/dockercfg':
      return [...absent('.dockercfg'), ...jsonErrors(data, '.dockercfg')];
    case 'kubernetes.io/ssh-auth':
      return isUnset(data['ssh-privatekey']) ? [missing('data[ssh-privatekey]')] : [];
    case 'kubernetes.io/basic-auth': {
      // One of the two is enough.
      const errors = absent('username', 'password');
      return errors.length === 2 ? errors : [];
    }
    case tokenSecretType: {
      const named = secret.metadata.annotations?.[accountNameAnnotation];
      return isUnset(named) ? [missing(`metadata.annotations[${accountNameAnnotation}]`)] : [];
    }
    default:
      return [];
  }
}

function jsonErrors(data: JsonObject, key: string): readonly FieldError[] {
  const value = data[key];
  if (typeof value !== 'string') return [];
  try {
    const parsed: unknown = JSON.parse(Buffer.from(value, 'base64').toString());
    if (isJsonObject(parsed)) return [];
  } catch {
    // What it holds instead is a secret too.
  }
  const problem = 'expected a JSON object';
  return [invalid(`data[${key}]`, '<secret contents redacted>', problem)];
}
