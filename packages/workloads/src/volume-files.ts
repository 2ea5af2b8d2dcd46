import type { VolumeContent, VolumeFile } from '@fnlet/executor';
import { downwardField, type PodPlace, resourceField } from '@fnlet/machinery';
import type { AccountFiles, AccountTokens } from './account-files.ts';
import type { Pod } from './pod.ts';
import {
  type ConfigMap,
  configMapBytes,
  type ReferencedObjects,
  type Secret,
  secretBytes,
} from './pod-references.ts';
import type {
  ConfigMapSource,
  DownwardFile,
  KeyToPath,
  Projection,
  SecretSource,
  Volume,
} from './volume.ts';

export interface VolumeContext {
  readonly pod: Pod;
  readonly place: PodPlace;
  readonly objects: ReferencedObjects;
  /** When the Pod has an account to prove. */
  readonly accountFiles: AccountFiles | undefined;
  /** What its projected volumes ask for. */
  readonly tokens: AccountTokens;
}

/** The volumes of a Pod as files, or what is missing for them. */
export type VolumesPlan =
  | { readonly kind: 'complete'; readonly volumes: readonly VolumeContent[] }
  | { readonly kind: 'missing'; readonly volume: string; readonly message: string };

type Files = readonly VolumeFile[] | { readonly missing: string };

const defaultMode = 0o644;

/** The volume of the Pod's account. */
export const accountVolume = 'fnlet-account';

/** What every volume of a Pod holds (kubelet, volume plugins). */
export function planVolumes(context: VolumeContext): VolumesPlan {
  const volumes: VolumeContent[] = [];
  for (const volume of context.pod.spec.volumes ?? []) {
    const files = volumeFiles(volume, context);
    if ('missing' in files) {
      const message = `MountVolume.SetUp failed for volume "${volume.name}" : ${files.missing}`;
      return { kind: 'missing', volume: volume.name, message };
    }
    const hostPath = volume.hostPath?.path;
    volumes.push({ name: volume.name, files, ...(hostPath === undefined ? {} : { hostPath }) });
  }
  const account = Object.entries(context.accountFiles ?? {});
  if (account.length > 0) {
    const files = account.map(([path, text]) => textFile(path, text, 0o600));
    volumes.push({ name: accountVolume, files });
  }
  return { kind: 'complete', volumes };
}

function volumeFiles(volume: Volume, context: VolumeContext): Files {
  const { configMap, secret, downwardAPI, projected, emptyDir, hostPath } = volume;
  if (configMap !== undefined) return configMapFiles(configMap, context);
  if (secret !== undefined) return secretFiles({ ...secret, name: secret.secretName }, context);
  if (downwardAPI !== undefined) {
    return downwardFiles(downwardAPI.items ?? [], downwardAPI.defaultMode, context);
  }
  if (projected !== undefined) {
    return allFiles((projected.sources ?? []).map((source) => projectedFiles(source, context)));
  }
  // A volume with nothing but a name is an emptyDir (core/v1 defaults).
  if (emptyDir !== undefined || hostPath !== undefined || Object.keys(volume).length === 1) {
    return [];
  }
  const [source = ''] = Object.keys(volume).filter((key) => key !== 'name');
  const known = 'emptyDir, configMap, secret, projected, downwardAPI or hostPath';
  return { missing: `Fnlet provides no volumes of type ${source}, expected ${known}` };
}

function projectedFiles(source: Projection, context: VolumeContext): Files {
  if (source.configMap !== undefined) return configMapFiles(source.configMap, context);
  if (source.secret !== undefined) return secretFiles(source.secret, context);
  if (source.downwardAPI !== undefined) {
    return downwardFiles(source.downwardAPI.items ?? [], undefined, context);
  }
  const { serviceAccountToken } = source;
  if (serviceAccountToken === undefined) return [];
  const token = context.tokens.get(serviceAccountToken.audience ?? '');
  if (token === undefined) return { missing: 'the account of the Pod gives no token' };
  return [textFile(serviceAccountToken.path, token, 0o600)];
}

function allFiles(parts: readonly Files[]): Files {
  const files: VolumeFile[] = [];
  for (const part of parts) {
    if ('missing' in part) return part;
    files.push(...part);
  }
  return files;
}

function configMapFiles(source: ConfigMapSource, { objects }: VolumeContext): Files {
  const object = objects.configMaps.get(source.name);
  const keys = [...Object.keys(object?.data ?? {}), ...Object.keys(object?.binaryData ?? {})];
  const read = (key: string): Uint8Array | undefined => object && configMapBytes(object, key);
  return keyFiles({ ...source, object, keys, read, kind: 'configmap' });
}

function secretFiles(
  source: Omit<SecretSource, 'name'> & { readonly name?: string | undefined },
  { objects }: VolumeContext,
): Files {
  const name = source.name ?? '';
  const object = objects.secrets.get(name);
  const keys = Object.keys(object?.data ?? {});
  const read = (key: string): Uint8Array | undefined => object && secretBytes(object, key);
  return keyFiles({ ...source, name, object, keys, read, kind: 'secret' });
}

function keyFiles(
  source: ConfigMapSource & {
    readonly object: ConfigMap | Secret | undefined;
    readonly keys: readonly string[];
    readonly kind: 'configmap' | 'secret';
    read(key: string): Uint8Array | undefined;
  },
): Files {
  const { object, keys, items, optional = false, kind, name, read } = source;
  const mode = source.defaultMode ?? defaultMode;
  if (object === undefined) return optional ? [] : { missing: `${kind} "${name}" not found` };
  const files: VolumeFile[] = [];
  const wanted: readonly KeyToPath[] = items ?? keys.map((key) => ({ key, path: key }));
  for (const item of wanted) {
    const content = read(item.key);
    if (content !== undefined) files.push({ path: item.path, content, mode: item.mode ?? mode });
    else if (!optional) return { missing: `references non-existent config key: ${item.key}` };
  }
  return files;
}

function downwardFiles(
  items: readonly DownwardFile[],
  usual: number | undefined,
  { pod, place }: VolumeContext,
): Files {
  const files: VolumeFile[] = [];
  for (const { path, mode = usual ?? defaultMode, fieldRef, resourceFieldRef } of items) {
    const owner = pod.spec.containers.find(({ name }) => name === resourceFieldRef?.containerName);
    const text =
      fieldRef !== undefined
        ? downwardField(pod, fieldRef.fieldPath, place)
        : owner &&
          resourceFieldRef &&
          resourceField(owner.resources ?? {}, resourceFieldRef, place);
    if (text === undefined) return { missing: `nothing is known for the file ${path}` };
    files.push(textFile(path, text, mode));
  }
  return files;
}

function textFile(path: string, text: string, mode: number): VolumeFile {
  return { path, content: Buffer.from(text), mode };
}
