import type { JsonObject } from '@fnlet/base';
import type { FieldError } from '@fnlet/machinery';
import { listField, objectField, textField } from '../../object/object-form.ts';
import { named } from '../form.ts';
import { duplicate, forbidden, invalid, missing, unknownReference } from '../refusal.ts';
import { isUnset, oneOf, type Rule, required } from '../rule.ts';
import { descendingPath, volumeSource } from './volume-source-rule.ts';

/** The volumes that containers may use, by name. A broken volume is no volume. */
export type Volumes = ReadonlyMap<string, JsonObject>;

const volumeName: Rule = required(named('dns1123Label'));

/** Checks the volumes of a Pod and tells which can be used. */
export function readVolumes(
  podSpec: JsonObject,
  path: string,
): { readonly errors: readonly FieldError[]; readonly volumes: Volumes } {
  const volumes = new Map<string, JsonObject>();
  const errors: FieldError[] = [];
  for (const [index, volume] of listField(podSpec, 'volumes').entries()) {
    const at = `${path}[${index}]`;
    const name = textField(volume, 'name');
    const found = [...volumeSource(volume, at), ...volumeName(name, `${at}.name`)];
    if (volumes.has(name)) found.push(duplicate(`${at}.name`, name));
    if (found.length === 0) volumes.set(name, volume);
    errors.push(...found);
  }
  return { errors, volumes };
}

/** Where a container sees the volumes of its Pod. */
export function mountErrors(container: JsonObject, path: string, volumes: Volumes): FieldError[] {
  const devices = listField(container, 'volumeDevices');
  const taken = new Set<string>();
  return listField(container, 'volumeMounts').flatMap((mount, index) => {
    const at = `${path}.volumeMounts[${index}]`;
    const name = textField(mount, 'name');
    const mountPath = textField(mount, 'mountPath');
    const errors: FieldError[] = [];
    if (name === '') errors.push(missing(`${at}.name`));
    if (!volumes.has(name)) errors.push(unknownReference(`${at}.name`, name));
    if (mountPath === '') errors.push(missing(`${at}.mountPath`));
    if (taken.has(mountPath)) {
      errors.push(invalid(`${at}.mountPath`, mountPath, 'must be unique'));
    }
    taken.add(mountPath);
    if (devices.some((device) => device.name === name)) {
      errors.push(invalid(`${at}.name`, name, 'must not already exist in volumeDevices'));
    }
    return [
      ...errors,
      ...subPathErrors(mount, `${path}.volumeMounts`),
      ...propagationErrors(mount, at, container),
    ];
  });
}

/** Told at the list, whichever mount it is. */
function subPathErrors(mount: JsonObject, path: string): readonly FieldError[] {
  const { subPath, subPathExpr } = mount;
  const errors = descendingPath(subPath, `${path}.subPath`);
  if (isUnset(subPathExpr)) return errors;
  const text = 'subPathExpr and subPath are mutually exclusive';
  const both = isUnset(subPath) ? [] : [invalid(`${path}.subPathExpr`, subPathExpr, text)];
  return [...errors, ...both, ...descendingPath(subPathExpr, `${path}.subPathExpr`)];
}

const propagation = oneOf('Bidirectional', 'HostToContainer', 'None');

function propagationErrors(
  mount: JsonObject,
  path: string,
  container: JsonObject,
): readonly FieldError[] {
  const at = `${path}.mountPropagation`;
  const errors = propagation(mount.mountPropagation, at);
  const isPrivileged = objectField(container, 'securityContext').privileged === true;
  if (mount.mountPropagation !== 'Bidirectional' || isPrivileged) return errors;
  const text = 'Bidirectional mount propagation is available only to privileged containers';
  return [...errors, forbidden(at, text)];
}

/** The block devices of a container; each is a claimed volume. */
export function deviceErrors(container: JsonObject, path: string, volumes: Volumes): FieldError[] {
  const names = new Set<string>();
  const paths = new Set<string>();
  return listField(container, 'volumeDevices').flatMap((device, index) => {
    const at = `${path}.volumeDevices[${index}]`;
    const name = textField(device, 'name');
    const devicePath = textField(device, 'devicePath');
    const errors: FieldError[] = [];
    if (name === '') errors.push(missing(`${at}.name`));
    if (names.has(name)) errors.push(invalid(`${at}.name`, name, 'must be unique'));
    const volume = volumes.get(name);
    if (volume === undefined) errors.push(unknownReference(`${at}.name`, name));
    else if (isUnset(volume.persistentVolumeClaim) && isUnset(volume.ephemeral)) {
      const text =
        'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
      errors.push(invalid(`${at}.name`, name, text));
    }
    if (devicePath === '') errors.push(missing(`${at}.devicePath`));
    else if (devicePath.split('/').includes('..')) {
      errors.push(invalid(`${at}.devicePath`, devicePath, "can not contain backsteps ('..')"));
    } else if (paths.has(devicePath)) {
      errors.push(invalid(`${at}.devicePath`, devicePath, 'must be unique'));
    }
    names.add(name);
    paths.add(devicePath);
    return errors;
  });
}
