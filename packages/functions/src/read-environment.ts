import type { Client } from '@fnlet/client';
import { type ConfigMap, configMapType, type Secret, secretType } from './core-kinds.ts';
import { type ReferringSpec, referencedObjects } from './environment-references.ts';
import type { EnvironmentLookup } from './resolve-environment.ts';

/**
 * Reads the Secrets and ConfigMaps that a Revision names, as they are now. The caches hold none
 * of them: of all that there are in a cluster, functions name a few.
 */
export async function readEnvironment(
  client: Client,
  { namespace, spec }: { readonly namespace: string; readonly spec: ReferringSpec },
  signal: AbortSignal,
): Promise<EnvironmentLookup> {
  const secrets = new Map<string, Secret>();
  const configMaps = new Map<string, ConfigMap>();
  for (const { kind, name } of referencedObjects(spec)) {
    const key = { namespace, name };
    if (kind === 'Secret') {
      const secret = await client.of<Secret>(secretType).tryGet(key, { signal });
      if (secret !== undefined) secrets.set(name, secret);
    } else {
      const configMap = await client.of<ConfigMap>(configMapType).tryGet(key, { signal });
      if (configMap !== undefined) configMaps.set(name, configMap);
    }
  }
  return { secret: (name) => secrets.get(name), configMap: (name) => configMaps.get(name) };
}
