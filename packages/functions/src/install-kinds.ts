import type { Clock } from '@fnlet/base';
import { type Client, installCrds } from '@fnlet/client';
import { type CustomResourceDefinition, findCondition, type ResourceType } from '@fnlet/machinery';
import { isApplied } from '@fnlet/reconcile';

const crdType: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

/**
 * Brings definitions into the API, or up to date, and waits until the API serves them. Those that
 * stand are only read: an apply that changes nothing still has the API check them whole, and that
 * would be a tenth of a start.
 *
 * @throws FnletError `KindNotServed`
 */
export async function installKinds(
  client: Client,
  definitions: readonly CustomResourceDefinition[],
  clock: Clock,
): Promise<void> {
  const crds = client.of<CustomResourceDefinition>(crdType);
  const stands = async (definition: CustomResourceDefinition): Promise<boolean> => {
    const live = await crds.tryGet({ namespace: '', name: definition.metadata.name });
    return isEstablished(live) && isApplied(definition, { live, manager: client.fieldManager });
  };
  const standing = await Promise.all(definitions.map(stands));
  const others = definitions.filter((_, index) => standing[index] !== true);
  await installCrds(client, others, { clock });
}

function isEstablished(definition: CustomResourceDefinition | undefined): boolean {
  const conditions = definition?.status?.conditions ?? [];
  return findCondition(conditions, 'Established')?.status === 'True';
}
