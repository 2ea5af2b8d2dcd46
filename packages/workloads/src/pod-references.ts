import type { KubeObject, ResourceType } from '@fnlet/machinery';
import type { Container } from './container.ts';
import type { Pod } from './pod.ts';

/** A core/v1 ConfigMap. */
export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
  /** Values are base64. */
  readonly binaryData?: Readonly<Record<string, string>>;
}

/** A core/v1 Secret; values are base64. */
export interface Secret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

function coreType(kind: string, plural: string): ResourceType {
  return { group: '', version: 'v1', kind, plural, namespaced: true };
}

export const configMapType: ResourceType = coreType('ConfigMap', 'configmaps');

export const secretType: ResourceType = coreType('Secret', 'secrets');

/** The ConfigMaps and Secrets that a Pod names, as far as they exist. */
export interface ReferencedObjects {
  readonly configMaps: ReadonlyMap<string, ConfigMap>;
  readonly secrets: ReadonlyMap<string, Secret>;
}

/** Names of the objects that a Pod needs to start. */
export interface PodReferences {
  readonly configMaps: ReadonlySet<string>;
  readonly secrets: ReadonlySet<string>;
}

/** What a Pod names in its volumes and in the environment of its containers. */
export function podReferences({ spec }: Pod): PodReferences {
  const configMaps = new Set<string>();
  const secrets = new Set<string>();
  const { containers, initContainers = [], ephemeralContainers = [] } = spec;
  for (const container of [...initContainers, ...containers, ...ephemeralContainers]) {
    addEnvironment(container, configMaps, secrets);
  }
  for (const { configMap, secret, projected } of spec.volumes ?? []) {
    if (configMap !== undefined) configMaps.add(configMap.name);
    if (secret !== undefined) secrets.add(secret.secretName ?? '');
    for (const source of projected?.sources ?? []) {
      if (source.configMap !== undefined) configMaps.add(source.configMap.name);
      if (source.secret !== undefined) secrets.add(source.secret.name ?? '');
    }
  }
  return { configMaps, secrets };
}

function addEnvironment(
  { env = [], envFrom = [] }: Container,
  configMaps: Set<string>,
  secrets: Set<string>,
): void {
  for (const { valueFrom } of env) {
    if (valueFrom?.configMapKeyRef !== undefined) configMaps.add(valueFrom.configMapKeyRef.name);
    if (valueFrom?.secretKeyRef !== undefined) secrets.add(valueFrom.secretKeyRef.name);
  }
  for (const { configMapRef, secretRef } of envFrom) {
    if (configMapRef !== undefined) configMaps.add(configMapRef.name);
    if (secretRef !== undefined) secrets.add(secretRef.name);
  }
}

/** The bytes of a key; `undefined` when the ConfigMap has no such key. */
export function configMapBytes(object: ConfigMap, key: string): Uint8Array | undefined {
  const { data = {}, binaryData = {} } = object;
  if (Object.hasOwn(data, key)) return Buffer.from(data[key] ?? '');
  return Object.hasOwn(binaryData, key) ? Buffer.from(binaryData[key] ?? '', 'base64') : undefined;
}

/** The bytes of a key; `undefined` when the Secret has no such key. */
export function secretBytes({ data = {} }: Secret, key: string): Uint8Array | undefined {
  return Object.hasOwn(data, key) ? Buffer.from(data[key] ?? '', 'base64') : undefined;
}
