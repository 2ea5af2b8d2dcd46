import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { FieldError } from '@fnlet/machinery';
import { listField, textField } from '../../object/object-form.ts';
import { claimSpec } from '../core/claim-rule.ts';
import { quantity } from '../form.ts';
import { forbidden, invalid, missing } from '../refusal.ts';
import {
  about,
  accept,
  all,
  between,
  child,
  each,
  fields,
  isUnset,
  must,
  oneOf,
  type Rule,
  required,
  whenSet,
} from '../rule.ts';
import { containerResource, fileField } from './environment-rule.ts';

// core/v1 VolumeSource and PersistentVolumeSource. What mounts a volume is not here; what users write wrongly is.

const mode: Rule = must(
  (value) => typeof value !== 'number' || (value >= 0 && value <= 0o777),
  'must be a number between 0 and 0777 (octal), both inclusive',
);

/** A path that stays below where it starts. */
export const descendingPath: Rule = all(
  must((path) => !String(path).startsWith('/'), 'must be a relative path'),
  must((path) => !String(path).split('/').includes('..'), "must not contain '..'"),
);

const filePath: Rule = all(
  descendingPath,
  must((path) => !/^\.\.[^/]/.test(String(path)), "must not start with '..'"),
);

const keyToPath = fields({ key: required(), path: required(filePath), mode });

const oneValue: Rule = about(({ fieldRef, resourceFieldRef }, path) => {
  if (!isUnset(fieldRef) && !isUnset(resourceFieldRef)) {
    const text = 'fieldRef and resourceFieldRef can not be specified simultaneously';
    return [invalid(path, 'resource', text)];
  }
  if (!isUnset(fieldRef) || !isUnset(resourceFieldRef)) return [];
  return [missing(path, 'one of fieldRef and resourceFieldRef is required')];
});

const podFile: Rule = all(
  fields({
    path: required(filePath),
    fieldRef: whenSet(fileField),
    resourceFieldRef: whenSet(all(fields({ containerName: required() }), containerResource)),
    mode,
  }),
  oneValue,
);

/** Told at the whole source, whichever file it is. */
const podFiles: Rule = about(({ items }, path) =>
  (Array.isArray(items) ? items : []).flatMap((item: unknown) => podFile(item, path)),
);

const tokenSeconds: Rule = all(
  must((value) => Number(value) >= 600, 'may not specify a duration less than 10 minutes'),
  must((value) => Number(value) <= 2 ** 32, 'may not specify a duration larger than 2^32 seconds'),
);

const projections: Readonly<Record<string, Rule>> = {
  secret: fields({ name: required(), items: each(keyToPath) }),
  configMap: fields({ name: required(), items: each(keyToPath) }),
  downwardAPI: podFiles,
  serviceAccountToken: fields({ expirationSeconds: tokenSeconds }),
  clusterTrustBundle: fields({ path: required(filePath) }),
  podCertificate: accept,
};

const sizeLimit: Rule = (value, path) =>
  quantity(value, path).length === 0
    ? []
    : [forbidden(path, 'SizeLimit field must be a valid resource quantity')];

const absolutePath: Rule = must((path) => String(path).startsWith('/'), 'must be an absolute path');

const driverName: Rule = must(
  (name) => /^[a-z0-9A-Z]([-a-z0-9A-Z.]{0,61}[a-z0-9A-Z])?$/.test(String(name)),
  "a valid CSI driver name must consist of alphanumeric characters, '-' or '.'",
);

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

/** Sources that Kubernetes knows, with the rules of those that are in use. */
const sources: Readonly<Record<string, Rule>> = {
  emptyDir: fields({ sizeLimit }),
  hostPath: fields({
    path: required(
      must((path) => !String(path).split('/').includes('..'), "must not contain '..'"),
    ),
    type: oneOf(...hostPathTypes),
  }),
  secret: fields({ secretName: required(), defaultMode: mode, items: each(keyToPath) }),
  configMap: fields({ name: required(), defaultMode: mode, items: each(keyToPath) }),
  downwardAPI: all(fields({ defaultMode: mode }), podFiles),
  projected: all(
    fields({ defaultMode: mode, sources: each(atMostOne(projections)) }),
    (value, path) => projectedPathErrors(value, path),
  ),
  persistentVolumeClaim: fields({ claimName: required() }),
  nfs: fields({ server: required(), path: required(absolutePath) }),
  csi: fields({ driver: required(driverName) }),
  ephemeral: fields({ volumeClaimTemplate: required(fields({ spec: claimSpec })) }),
  image: fields({ reference: required(), pullPolicy: oneOf('Always', 'IfNotPresent', 'Never') }),
  iscsi: fields({ targetPortal: required(), iqn: required(), lun: between(0, 255) }),
  fc: accept,
  rbd: fields({ monitors: required(), image: required() }),
  cephfs: fields({ monitors: required() }),
  cinder: fields({ volumeID: required() }),
  glusterfs: fields({ endpoints: required(), path: required() }),
  flexVolume: fields({ driver: required() }),
  gcePersistentDisk: fields({ pdName: required() }),
  awsElasticBlockStore: fields({ volumeID: required() }),
  azureDisk: fields({ diskName: required(), diskURI: required() }),
  azureFile: fields({ secretName: required(), shareName: required() }),
  vsphereVolume: fields({ volumePath: required() }),
  gitRepo: fields({ repository: required() }),
  portworxVolume: fields({ volumeID: required() }),
  quobyte: fields({ registry: required(), volume: required() }),
  scaleIO: fields({ gateway: required(), system: required(), volumeName: required() }),
  storageos: accept,
  flocker: accept,
  photonPersistentDisk: fields({ pdID: required() }),
};

/**
 * The paths of the files that one source of a projected volume has, and whose they are; where its
 * token is, Kubernetes does not look.
 */
function projectedPaths(source: JsonObject): readonly { path: string; shown: string }[] {
  const { secret, configMap, downwardAPI, clusterTrustBundle } = source;
  const keyed = (from: unknown, shown?: string): { path: string; shown: string }[] =>
    listField(isJsonObject(from) ? from : {}, 'items').map((item) => {
      const path = textField(item, 'path');
      return { path, shown: shown ?? path };
    });
  const nameOf = (from: unknown): string => textField(isJsonObject(from) ? from : {}, 'name');
  const bundle = isJsonObject(clusterTrustBundle) ? textField(clusterTrustBundle, 'path') : '';
  return [
    ...keyed(secret, nameOf(secret)),
    ...keyed(configMap, nameOf(configMap)),
    ...keyed(downwardAPI),
    { path: bundle, shown: bundle },
  ];
}

/** Of all sources of a projected volume together, no two files are at one path. */
function projectedPathErrors(value: unknown, path: string): readonly FieldError[] {
  const projected = isJsonObject(value) ? value : {};
  const taken = new Set<string>();
  return listField(projected, 'sources').flatMap((source) => {
    const token = source.serviceAccountToken;
    const errors = isJsonObject(token)
      ? [...required(filePath)(token.path, child(path, 'path'))]
      : [];
    for (const { path: file, shown } of projectedPaths(source)) {
      if (file === '') continue;
      if (taken.has(file)) errors.push(invalid(path, shown, 'conflicting duplicate paths'));
      taken.add(file);
    }
    return errors;
  });
}

const podSources: ReadonlySet<string> = new Set([
  'emptyDir',
  'secret',
  'configMap',
  'downwardAPI',
  'projected',
  'persistentVolumeClaim',
  'ephemeral',
  'image',
  'gitRepo',
]);

/** Sources of a PersistentVolume; those of a Pod that are files and claims are not among them. */
const persistentSources: Readonly<Record<string, Rule>> = {
  ...Object.fromEntries(Object.entries(sources).filter(([name]) => !podSources.has(name))),
  local: fields({ path: required() }),
};

/** At most one of the named fields is there, and obeys its rule. */
function atMostOne(known: Readonly<Record<string, Rule>>): Rule {
  return about((source, path) => {
    const [first, ...others] = Object.keys(known).filter((name) => !isUnset(source[name]));
    if (first === undefined) return [];
    return [
      ...(known[first]?.(source[first], child(path, first)) ?? []),
      ...others.map((name) =>
        forbidden(child(path, name), 'may not specify more than 1 volume type'),
      ),
    ];
  });
}

function exactlyOne(known: Readonly<Record<string, Rule>>): Rule {
  const some: Rule = about((source, path) =>
    Object.keys(known).some((name) => !isUnset(source[name]))
      ? []
      : [missing(path, 'must specify a volume type')],
  );
  return all(atMostOne(known), some);
}

/** Exactly one source of a Pod's volume. */
export const volumeSource: Rule = exactlyOne(sources);

/** Exactly one source of a PersistentVolume. */
export const persistentVolumeSource: Rule = exactlyOne(persistentSources);
