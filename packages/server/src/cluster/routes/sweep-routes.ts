import { hasCode } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { routeLabel, routeTypes } from './route-kinds.ts';
import type { RouteSettings } from './route-settings.ts';

/**
 * Removes what earlier settings asked for and these do not, as far as it still may: the rights go
 * with the settings, and then whoever changes these removes what is left (`fnlet upgrade`).
 */
export async function sweepRoutes(
  client: Client,
  { ingress, parent }: RouteSettings,
  signal: AbortSignal,
): Promise<void> {
  const none = ingress === undefined && parent === undefined;
  const unwanted: readonly ResourceType[] = [
    ...(ingress === undefined ? [routeTypes.ingress] : []),
    ...(parent === undefined ? [routeTypes.httpRoute] : []),
    ...(none ? [routeTypes.endpointSlice, routeTypes.service] : []),
  ];
  for (const type of unwanted) await removeAll(client, type, signal);
}

async function removeAll(client: Client, type: ResourceType, signal: AbortSignal): Promise<void> {
  const objects = client.of<KubeObject>(type);
  try {
    for await (const { metadata } of objects.listAll({
      ...{ labelSelector: routeLabel, metadataOnly: true, signal },
    })) {
      const { namespace = '', name } = metadata;
      await objects.delete({ namespace, name }, { signal }).catch((error: unknown) => {
        if (!hasCode(error, 'NotFound')) throw error;
      });
    }
  } catch (error) {
    // A cluster that does not know the kind has none of them.
    if (!hasCode(error, 'NotFound') && !hasCode(error, 'Forbidden')) throw error;
  }
}

/** Whether the API serves objects of this kind. */
export async function isServed(
  client: Client,
  type: ResourceType,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await client.of(type).list({ labelSelector: routeLabel, limit: 1, metadataOnly: true, signal });
    return true;
  } catch (error) {
    if (hasCode(error, 'NotFound')) return false;
    throw error;
  }
}
