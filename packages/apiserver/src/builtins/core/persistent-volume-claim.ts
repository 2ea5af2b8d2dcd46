import { type JsonObject, jsonEqual } from '@fnlet/base';
import { compareQuantities, type FieldError, type KubeObject } from '@fnlet/machinery';
import { ageColumn, nameColumn } from '../../answer/column.ts';
import { objectField, textField } from '../../object/object-form.ts';
import type { HookContext } from '../../resource/strategy.ts';
import { column, specText } from '../cells.ts';
import { changeSpec } from '../fill.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { quantityOf } from '../pod/resource-rule.ts';
import { forbidden } from '../refusal.ts';
import { fields } from '../rule.ts';
import { isDefaultClass } from '../storage/storage-class.ts';
import { claimDefaults, claimSpec, withBothSources } from './claim-rule.ts';
import {
  attributesClassCell,
  classCell,
  modesCell,
  phaseCell,
  storageCell,
  volumeModeColumn,
} from './volume-cells.ts';

function requestOf(claim: KubeObject): unknown {
  const resources = objectField(objectField(claim, 'spec'), 'resources');
  return objectField(resources, 'requests').storage;
}

/** Kept by the binding of a claim, and by whoever resizes it. */
function fixedPart(claim: KubeObject, isBound: boolean): JsonObject {
  const spec = objectField(claim, 'spec');
  const resizable = isBound ? { resources: undefined } : {};
  return { ...spec, ...resizable, volumeAttributesClassName: undefined };
}

function changeErrors(claim: KubeObject, old: KubeObject): readonly FieldError[] {
  const isBound = textField(objectField(old, 'status'), 'phase') === 'Bound';
  const before = fixedPart(old, isBound);
  // Binding names the volume once; a claim without a class may still be given one.
  const next = { ...fixedPart(claim, isBound) };
  for (const field of ['volumeName', 'storageClassName']) {
    if (before[field] === undefined) next[field] = undefined;
  }
  const errors: FieldError[] = [];
  if (!jsonEqual(next, before)) {
    const which = 'resources.requests and volumeAttributesClassName for bound claims';
    errors.push(forbidden('spec', `spec is immutable after creation except ${which}`));
  }
  const size = quantityOf(requestOf(claim));
  const least = quantityOf(objectField(objectField(old, 'status'), 'capacity').storage);
  if (isBound && size !== undefined && least !== undefined && compareQuantities(size, least) < 0) {
    const why = 'field can not be less than status.capacity';
    errors.push(forbidden('spec.resources.requests.storage', why));
  }
  return errors;
}

function boundCell(show: (holder: JsonObject) => string): (claim: KubeObject) => string {
  return (claim) =>
    specText('volumeName')(claim) === '' ? '' : show(objectField(claim, 'status'));
}

const classAnnotation = 'volume.beta.kubernetes.io/storage-class';

// A claim that names no class gets the newest default (the admission plugin DefaultStorageClass).
function withDefaultClass(claim: KubeObject, { others }: HookContext): KubeObject {
  const isNamed = objectField(claim, 'spec').storageClassName !== undefined;
  if (isNamed || claim.metadata.annotations?.[classAnnotation] !== undefined) return claim;
  const [newest] = [...others('storage.k8s.io', 'storageclasses')]
    .filter(isDefaultClass)
    .sort((a, b) => (creationOf(a) < creationOf(b) ? 1 : -1));
  if (newest === undefined) return claim;
  return changeSpec(claim, (spec) => ({ ...spec, storageClassName: newest.metadata.name }));
}

function creationOf(object: KubeObject): string {
  return object.metadata.creationTimestamp ?? '';
}

/** core/v1 PersistentVolumeClaim. */
export const persistentVolumeClaimRules: KindRules = {
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  columns: [
    nameColumn,
    column('Status', 'Whether it has its volume.', phaseCell),
    column('Volume', 'Its volume.', specText('volumeName')),
    column('Capacity', 'How much the volume holds.', boundCell(storageCell)),
    column('Access Modes', 'Who may use it.', boundCell(modesCell)),
    column('StorageClass', 'Its class.', classCell),
    column('VolumeAttributesClass', 'The class of its attributes.', attributesClassCell),
    ageColumn,
    volumeModeColumn,
  ],
  defaults: (claim) => changeSpec(claim, claimDefaults),
  // Nothing here binds claims, so nothing has to keep one that is in use.
  prepareCreate: (claim, context) => ({
    ...withDefaultClass(changeSpec(claim, withBothSources), context),
    status: { phase: 'Pending' },
  }),
  prepareUpdate: (claim, { subresource }) =>
    subresource === undefined ? changeSpec(claim, withBothSources) : claim,
  validate: validation(fields({ spec: claimSpec }), changeErrors),
};
