import { type Clock, FnletError, sleep } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import { type CustomResourceDefinition, findCondition, type ResourceType } from '@fnlet/machinery';
import { crdEstablishedMs, crdPollMs } from './limits.ts';

const crdType: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

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
    const endMs = clock.monotonicMs() + crdEstablishedMs;
    const key = { namespace: '', name: metadata.name };
    while (!isEstablished(await crds.get(key))) {
      if (clock.monotonicMs() > endMs) {
        const found = `found it not established after ${crdEstablishedMs} ms`;
        const message = `Cannot serve "${metadata.name}": ${found}, expected the API to serve it`;
        throw new FnletError('KindNotServed', message, {
          remedy: `Look why: kubectl describe crd ${metadata.name}`,
        });
      }
      await sleep(clock, crdPollMs);
    }
  }
}

function isEstablished({ status }: CustomResourceDefinition): boolean {
  return findCondition(status?.conditions ?? [], 'Established')?.status === 'True';
}
