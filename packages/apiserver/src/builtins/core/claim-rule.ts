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

const dataSource: Rule = whenSet(
  all(
    fields({ name: required(), kind: required() }),
    about((source, path) => {
      const isCore = textField(source, 'apiGroup') === '';
      const kind = textField(source, 'kind');
      return isCore && kind !== '' && kind !== 'PersistentVolumeClaim'
        ? [
            invalid(
              path,
              kind,
              "must be 'PersistentVolumeClaim' when referencing the default apiGroup",
            ),
          ]
        : [];
    }),
  ),
);

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
