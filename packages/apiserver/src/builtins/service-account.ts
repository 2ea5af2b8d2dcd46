import { ageColumn, nameColumn } from '../answer/column.ts';
import { listField } from '../object/object-form.ts';
import { mergedList } from '../patch/patch-annotations.ts';
import type { Strategy } from '../resource/strategy.ts';
import { builtinStrategy } from './builtin-strategy.ts';
import { objectReference } from './object-reference.ts';
import { flag, list, localReference } from './schema-words.ts';

export const serviceAccountStrategy: Strategy = builtinStrategy({
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  shortNames: ['sa'],
  description: 'A ServiceAccount is who a process in a Pod acts as.',
  fields: {
    secrets: mergedList(objectReference('A secret that Pods of the account may use.'), 'name', {
      description: 'Secrets that Pods of the account may use.',
    }),
    imagePullSecrets: list(
      'Secrets for pulling images.',
      localReference('A secret in the same namespace.'),
    ),
    automountServiceAccountToken: flag('Whether Pods get a token of the account by default.'),
  },
  columns: [
    nameColumn,
    {
      name: 'Secrets',
      type: 'string',
      description: 'How many secrets the account names.',
      cell: (account) => listField(account, 'secrets').length,
    },
    ageColumn,
  ],
});
