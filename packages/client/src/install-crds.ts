import { backoffDelayMs, type Clock, FnletError, sleep } from '@fnlet/base';
import {
  type CustomResourceDefinition,
  findCondition,
  type KubeObject,
  type ResourceType,
} from '@fnlet/machinery';
import type { Client } from './client.ts';
import { limits } from './limits.ts';
import type { CallOptions } from './resource-client.ts';

const crdType: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

/**
 * Brings definitions of kinds into the API, or up to date, and waits until the API serves them.
 * Applying an unchanged definition writes nothing.
 *
 * @throws FnletError `KindNotServed`; StatusError, TransportError
 */
export async function installCrds(
  client: Client,
  definitions: readonly KubeObject[],
  { clock, signal }: CallOptions & { readonly clock: Clock },
): Promise<void> {
  const { crdEstablishedMs, crdPollMs: baseMs, crdPollMaxMs: capMs } = limits;
  const crds = client.of<CustomResourceDefinition>(crdType);
  await Promise.all(
    definitions.map((definition) => crds.apply(definition, { force: true, signal })),
  );
  for (const { metadata } of definitions) {
    const endMs = clock.monotonicMs() + crdEstablishedMs;
    const key = { namespace: '', name: metadata.name };
    for (let looks = 1; !isEstablished(await crds.get(key, { signal })); looks++) {
      if (clock.monotonicMs() > endMs) {
        const found = `found it not established after ${crdEstablishedMs} ms`;
        const message = `Cannot serve "${metadata.name}": ${found}, expected the API to serve it`;
        throw new FnletError('KindNotServed', message, {
          remedy: `Look why: kubectl describe crd ${metadata.name}`,
        });
      }
      await sleep(clock, backoffDelayMs(looks, { baseMs, capMs }), signal);
    }
  }
}

function isEstablished({ status }: CustomResourceDefinition): boolean {
  return findCondition(status?.conditions ?? [], 'Established')?.status === 'True';
}
