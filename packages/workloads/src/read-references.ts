import type { Client } from '@fnlet/client';
import type { Pod } from './pod.ts';
import {
  type ConfigMap,
  configMapType,
  podReferences,
  type ReferencedObjects,
  type Secret,
  secretType,
} from './pod-references.ts';

/** Reads the ConfigMaps and Secrets that a Pod names; those that do not exist are left out. */
export async function readReferences(
  client: Client,
  pod: Pod,
  signal: AbortSignal,
): Promise<ReferencedObjects> {
  const { namespace = '' } = pod.metadata;
  const references = podReferences(pod);
  const configMaps = new Map<string, ConfigMap>();
  const secrets = new Map<string, Secret>();
  for (const name of references.configMaps) {
    const found = await client.of<ConfigMap>(configMapType).tryGet({ namespace, name }, { signal });
    if (found !== undefined) configMaps.set(name, found);
  }
  for (const name of references.secrets) {
    const found = await client.of<Secret>(secretType).tryGet({ namespace, name }, { signal });
    if (found !== undefined) secrets.set(name, found);
  }
  return { configMaps, secrets };
}
