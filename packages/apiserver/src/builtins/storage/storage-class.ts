import type { KubeObject } from '@fnlet/machinery';
import { ageColumn, nameColumn } from '../../answer/column.ts';
import { textField, withFields } from '../../object/object-form.ts';
import { column } from '../cells.ts';
import { immutable } from '../changes.ts';
import { fill } from '../fill.ts';
import { qualifiedName } from '../form.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { invalid, tooLong } from '../refusal.ts';
import { about, fields, oneOf, type Rule, required } from '../rule.ts';
import { topologies } from './topology-rule.ts';

/** Limits of the parameters (kubernetes, pkg/apis/storage/validation). */
const parametersMax = 512;
const parametersBytesMax = 256 * 1024;

const parameters: Rule = about((map, path) => {
  const entries = Object.entries(map);
  if (entries.length > parametersMax) return [tooLong(path, parametersMax)];
  const bytes = entries.reduce((sum, [key, value]) => sum + key.length + String(value).length, 0);
  return [
    ...entries
      .filter(([key]) => key === '')
      .map(([key]) => invalid(path, key, 'field can not be empty.')),
    ...(bytes > parametersBytesMax ? [tooLong(path, parametersBytesMax)] : []),
  ];
});

const provisioner: Rule = (value, path) => qualifiedName(String(value).toLowerCase(), path);

const defaultAnnotations = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

/** Whether claims that name no class get this one. */
export function isDefaultClass(storageClass: KubeObject): boolean {
  const { annotations } = storageClass.metadata;
  return defaultAnnotations.some((name) => annotations?.[name] === 'true');
}

/** storage.k8s.io/v1 StorageClass. */
export const storageClassRules: KindRules = {
  group: 'storage.k8s.io',
  kind: 'StorageClass',
  plural: 'storageclasses',
  columns: [
    {
      ...nameColumn,
      cell: ({ metadata, ...rest }) =>
        `${metadata.name}${isDefaultClass({ ...rest, metadata }) ? ' (default)' : ''}`,
    },
    column('Provisioner', 'Who makes the volumes.', (one) => textField(one, 'provisioner')),
    column('ReclaimPolicy', 'What happens to a released volume.', (one) =>
      textField(one, 'reclaimPolicy'),
    ),
    column('VolumeBindingMode', 'When a volume is made.', (one) =>
      textField(one, 'volumeBindingMode'),
    ),
    column(
      'AllowVolumeExpansion',
      'Whether volumes can grow.',
      (one) => one.allowVolumeExpansion === true,
    ),
    ageColumn,
  ],
  defaults: (one) =>
    withFields(one, fill(one, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' })),
  validate: validation(
    fields({
      provisioner: required(provisioner),
      parameters,
      reclaimPolicy: oneOf('Delete', 'Retain'),
      volumeBindingMode: required(oneOf('Immediate', 'WaitForFirstConsumer')),
      allowedTopologies: topologies,
    }),
    immutable('parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'),
  ),
};
