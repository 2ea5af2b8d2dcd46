import { type JsonObject, jsonEqual } from '@fnlet/base';
import type { FieldError, KubeObject } from '@fnlet/machinery';
import { ageColumn, nameColumn } from '../../answer/column.ts';
import { objectField, textField } from '../../object/object-form.ts';
import { column, specText, statusText } from '../cells.ts';
import { immutableSpec } from '../changes.ts';
import { changeSpec, fill } from '../fill.ts';
import { named, positiveQuantity } from '../form.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { persistentSourceDefaults } from '../pod/pod-spec-defaults.ts';
import { nodeSelector } from '../pod/scheduling-rule.ts';
import { persistentVolumeSource } from '../pod/volume-source-rule.ts';
import { forbidden, notSupported } from '../refusal.ts';
import {
  about,
  accept,
  all,
  entriesOf,
  fields,
  oneOf,
  type Rule,
  required,
  whenSet,
} from '../rule.ts';
import { accessModes, volumeMode } from './claim-rule.ts';
import {
  attributesClassCell,
  classCell,
  modesCell,
  phaseCell,
  storageCell,
  volumeModeColumn,
} from './volume-cells.ts';

const capacity: Rule = required(
  all(
    about((amounts, path) =>
      Object.keys(amounts).join() === 'storage' ? [] : [notSupported(path, amounts, ['storage'])],
    ),
    entriesOf(accept, positiveQuantity),
  ),
);

const specRule: Rule = all(
  fields({
    accessModes: required(accessModes),
    capacity,
    persistentVolumeReclaimPolicy: oneOf('Delete', 'Recycle', 'Retain'),
    nodeAffinity: whenSet(
      fields({ required: required(nodeSelector, 'must specify required node constraints') }),
    ),
  }),
  persistentVolumeSource,
  fields({ storageClassName: named('dns1123Subdomain'), volumeMode }),
);

/** What may change; everything else in a spec is the volume itself. */
const notTheSource: ReadonlySet<string> = new Set([
  'accessModes',
  'capacity',
  'claimRef',
  'mountOptions',
  'nodeAffinity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
]);

function sourceOf(volume: KubeObject): JsonObject {
  const entries = Object.entries(objectField(volume, 'spec'));
  return Object.fromEntries(entries.filter(([field]) => !notTheSource.has(field)));
}

function changeErrors(volume: KubeObject, old: KubeObject): readonly FieldError[] {
  const isSame = jsonEqual(sourceOf(volume), sourceOf(old));
  const why = 'spec.persistentvolumesource is immutable after creation';
  const hasAffinity = objectField(old, 'spec').nodeAffinity !== undefined;
  return [
    ...(isSame ? [] : [forbidden('spec.persistentvolumesource', why)]),
    ...immutableSpec('volumeMode')(volume, old),
    ...(hasAffinity ? immutableSpec('nodeAffinity')(volume, old) : []),
  ];
}

function claimCell(volume: KubeObject): string {
  const { claimRef } = objectField(volume, 'spec');
  if (claimRef === undefined) return '';
  const claim = objectField(objectField(volume, 'spec'), 'claimRef');
  return `${textField(claim, 'namespace')}/${textField(claim, 'name')}`;
}

/** core/v1 PersistentVolume. */
export const persistentVolumeRules: KindRules = {
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  columns: [
    nameColumn,
    column('Capacity', 'How much it holds.', (volume) => storageCell(objectField(volume, 'spec'))),
    column('Access Modes', 'Who may use it.', (volume) => modesCell(objectField(volume, 'spec'))),
    column(
      'Reclaim Policy',
      'What happens when it is released.',
      specText('persistentVolumeReclaimPolicy'),
    ),
    column('Status', 'Whether it is taken.', phaseCell),
    column('Claim', 'Who has taken it.', claimCell),
    column('StorageClass', 'Its class.', classCell),
    column('VolumeAttributesClass', 'The class of its attributes.', attributesClassCell),
    column('Reason', 'Why it failed.', statusText('reason')),
    ageColumn,
    volumeModeColumn,
  ],
  defaults: (volume) =>
    changeSpec(volume, (spec) =>
      persistentSourceDefaults(
        fill(spec, { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' }),
      ),
    ),
  // Nothing here binds volumes, so nothing has to keep one that is in use.
  prepareCreate: (volume) => ({ ...volume, status: { phase: 'Pending' } }),
  validate: validation(fields({ spec: specRule }), changeErrors),
};
