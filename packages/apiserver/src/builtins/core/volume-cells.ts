import type { JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import type { Column } from '../../answer/column.ts';
import { objectField, textField } from '../../object/object-form.ts';
import { wideColumn } from '../cells.ts';

// What the columns of PersistentVolumes and their claims have in common.

const shortModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

/** Access modes as people know them. */
export function modesCell(holder: JsonObject): string {
  const { accessModes } = holder;
  if (!Array.isArray(accessModes)) return '';
  const given = new Set(accessModes.map(String));
  return Object.keys(shortModes)
    .filter((mode) => given.has(mode))
    .map((mode) => shortModes[mode])
    .join(',');
}

/** How much storage there is. */
export function storageCell(holder: JsonObject): string {
  const { storage } = objectField(holder, 'capacity');
  return storage === undefined ? '' : String(storage);
}

/** The phase, unless the object is on its way out. */
export function phaseCell(object: KubeObject): string {
  if (object.metadata.deletionTimestamp !== undefined) return 'Terminating';
  return textField(objectField(object, 'status'), 'phase');
}

/** The class; an annotation is its older home. */
export function classCell(object: KubeObject): string {
  const annotated = object.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'];
  return annotated ?? textField(objectField(object, 'spec'), 'storageClassName');
}

/** The class of attributes that a volume can change while it is in use (KEP-3751). */
export function attributesClassCell(object: KubeObject): string {
  return textField(objectField(object, 'spec'), 'volumeAttributesClassName') || '<unset>';
}

/** Files or a device. */
export const volumeModeColumn: Column = wideColumn(
  'VolumeMode',
  'Files or a device.',
  (object) => textField(objectField(object, 'spec'), 'volumeMode') || '<unset>',
);
