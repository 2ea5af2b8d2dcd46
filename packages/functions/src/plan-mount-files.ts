import type { Mount } from '@fnlet/api';
import type { VolumeFile } from '@fnlet/executor';
import type { EnvironmentLookup } from './resolve-environment.ts';

/** The files of a mount, or what is missing for them. */
export type MountFiles =
  | { readonly kind: 'complete'; readonly files: readonly VolumeFile[] }
  | { readonly kind: 'missing'; readonly message: string };

const usualMode = 0o644;

/** What a mount shows now (kubelet, volume plugins of Secrets and ConfigMaps). */
export function planMountFiles(mount: Mount, lookup: EnvironmentLookup): MountFiles {
  const { path, items, optional = false, defaultMode = usualMode } = mount;
  const { title, values } = find(mount, lookup);
  if (values === undefined) {
    if (optional) return { kind: 'complete', files: [] };
    return missing(path, `${title} does not exist`);
  }
  const wanted = items ?? [...values.keys()].map((key) => ({ key, path: key }));
  const files: VolumeFile[] = [];
  for (const item of wanted) {
    const content = values.get(item.key);
    const { mode = defaultMode } = 'mode' in item ? item : {};
    if (content !== undefined) files.push({ path: item.path, content, mode });
    else if (!optional) return missing(path, `${title} has no key "${item.key}"`);
  }
  return { kind: 'complete', files };
}

interface Found {
  readonly title: string;
  readonly values: ReadonlyMap<string, Buffer> | undefined;
}

function find({ secret, configMap = '' }: Mount, lookup: EnvironmentLookup): Found {
  if (secret !== undefined) {
    const found = lookup.secret(secret);
    const values = found && new Map(decoded(found.data));
    return { title: `Secret "${secret}"`, values };
  }
  const found = lookup.configMap(configMap);
  const texts = Object.entries(found?.data ?? {});
  const values =
    found &&
    new Map([
      ...decoded(found.binaryData),
      ...texts.map(([key, text]): [string, Buffer] => [key, Buffer.from(text)]),
    ]);
  return { title: `ConfigMap "${configMap}"`, values };
}

function decoded(data: Readonly<Record<string, string>> = {}): [string, Buffer][] {
  return Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64')]);
}

function missing(path: string, what: string): MountFiles {
  const message = `mount at "${path}": ${what}: create it, or mark it optional`;
  return { kind: 'missing', message };
}
