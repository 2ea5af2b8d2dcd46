import type { JsonObject } from '@fnlet/base';
import { objectField, textField } from '../../object/object-form.ts';
import { fill } from '../fill.ts';
import { named, positiveQuantity } from '../form.ts';
import { labelSelector } from '../label-selector-rule.ts';
import { forbidden, invalid, missing, notSupported } from '../refusal.ts';
import { about, all, fields, isUnset, oneOf, type Rule, required, whenSet } from '../rule.ts';

// core/v1 PersistentVolumeClaimSpec: in a claim, in the template of one, in an ephemeral volume.

/** How volumes can be mounted. */
const modes = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'];

/** Told at the list, as Kubernetes does, whichever mode it is. */
export const accessModes: Rule = all(
  (value, path) =>
    Array.isArray(value)
      ? value
          .filter((mode) => !modes.includes(String(mode)))
          .map((mode) => notSupported(path, mode, [...modes].sort()))
      : [],
  (value, path) => {
    const isShared = Array.isArray(value) && value.length > 1 && value.includes(modes[3]);
    const why = 'may not use ReadWriteOncePod with other access modes';
    return isShared ? [forbidden(path, why)] : [];
  },
);

/** A volume of files, or a device. */
export const volumeMode: Rule = oneOf('Block', 'Filesystem');

const requestedStorage: Rule = about((resources, path) => {
  const { storage } = objectField(resources, 'requests');
  const at = `${path}[storage]`;
  return isUnset(storage) ? [missing(at)] : positiveQuantity(storage, at);
});

const coreSource: Rule = about((source, path) => {
  const kind = textField(source, 'kind');
  const isForeign = textField(source, 'apiGroup') !== '';
  if (isForeign || kind === '' || kind === 'PersistentVolumeClaim') return [];
  const text = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
  return [invalid(path, kind, text)];
});

const dataSource: Rule = whenSet(all(fields({ name: required(), kind: required() }), coreSource));

/** What a claim asks for. */
export const claimSpec: Rule = fields({
  accessModes: required(accessModes, 'at least 1 access mode is required'),
  selector: labelSelector,
  resources: requestedStorage,
  storageClassName: named('dns1123Subdomain'),
  volumeMode,
  dataSource,
  dataSourceRef: dataSource,
});

/** What a claim asks for, with its defaults. */
export function claimDefaults(spec: JsonObject): JsonObject {
  return fill(spec, { volumeMode: 'Filesystem' });
}

/**
 * A new claim, which says twice what it is made of: a source that the older field cannot name is
 * left out of it, and each field says what the other one does (KEP-1495).
 */
export function withBothSources(spec: JsonObject): JsonObject {
  const { dataSource, dataSourceRef, ...rest } = spec;
  const older = isOldSource(objectField(spec, 'dataSource')) ? { dataSource } : {};
  const newer = isUnset(dataSourceRef) ? {} : { dataSourceRef };
  // The older field cannot say that the source is in another namespace.
  const isElsewhere = textField(objectField(spec, 'dataSourceRef'), 'namespace') !== '';
  if (isElsewhere) return { ...rest, ...older, ...newer };
  const source = older.dataSource ?? newer.dataSourceRef;
  if (source === undefined) return rest;
  return { ...rest, dataSource: source, dataSourceRef: newer.dataSourceRef ?? source };
}

/** Whether claims could be made of it before they could be made of anything. */
function isOldSource(source: JsonObject): boolean {
  const group = textField(source, 'apiGroup');
  const kind = textField(source, 'kind');
  if (kind === 'PersistentVolumeClaim') return group === '';
  return kind === 'VolumeSnapshot' && group === 'snapshot.storage.k8s.io';
}
