import { type Clock, FnletError, sleep } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import { type CustomResourceDefinition, findCondition, type ResourceType } from '@fnlet/machinery';

const crdType: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

// The API establishes a definition within milliseconds; a second is for a machine that is busy.
const establishedWithinMs = 10_000;
const pollMs = 1;

/**
 * Brings the definitions of Fnlet's kinds into the API, or up to date, and waits until the API
 * serves them. Applying an unchanged definition writes nothing.
 *
 * @throws FnletError `KindNotServed`
 */
export async function installCrds(
  client: Client,
  definitions: readonly CustomResourceDefinition[],
  clock: Clock,
): Promise<void> {
  const crds = client.of<CustomResourceDefinition>(crdType);
  await Promise.all(definitions.map((definition) => crds.apply(definition, { force: true })));
  for (const { metadata } of definitions) {
    const endMs = clock.monotonicMs() + establishedWithinMs;
    const key = { namespace: '', name: metadata.name };
    while (!isEstablished(await crds.get(key))) {
      if (clock.monotonicMs() > endMs) {
        throw new FnletError('KindNotServed', `Cannot serve "${metadata.name}": not established`);
      }
      await sleep(clock, pollMs);
    }
  }
}

function isEstablished({ status }: CustomResourceDefinition): boolean {
  return findCondition(status?.conditions ?? [], 'Established')?.status === 'True';
}
