import { hasCode } from '@fnlet/base';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { clusterNames } from '@fnlet/server/cluster/names';
import { deleteObject } from './apply-objects.ts';
import { type ClusterConnection, clusterTypes } from './cluster-connection.ts';

const ingressType: ResourceType = {
  ...{ group: 'networking.k8s.io', version: 'v1', namespaced: true },
  ...{ kind: 'Ingress', plural: 'ingresses' },
};

const httpRouteType: ResourceType = {
  ...{ group: 'gateway.networking.k8s.io', version: 'v1', namespaced: true },
  ...{ kind: 'HTTPRoute', plural: 'httproutes' },
};

/** Which entrances an installation asks for. */
export interface WantedRoutes {
  readonly ingress: boolean;
  readonly httpRoute: boolean;
}

/**
 * Removes what leads requests of Triggers to the Gateway and is not asked for any more: the
 * controller may do so only while it is.
 */
export async function removeRoutes(
  connection: ClusterConnection,
  { ingress, httpRoute }: WantedRoutes,
): Promise<void> {
  const types = [
    ...(ingress ? [] : [ingressType]),
    ...(httpRoute ? [] : [httpRouteType]),
    ...(ingress || httpRoute ? [] : [clusterTypes.endpointSlice, clusterTypes.service]),
  ];
  for (const type of types) await removeAll(connection, type);
}

async function removeAll(connection: ClusterConnection, type: ResourceType): Promise<void> {
  const { client, signal } = connection;
  const labelSelector = clusterNames.routeLabel;
  const all: KubeObject[] = [];
  try {
    for await (const object of client.of<KubeObject>(type).listAll({ labelSelector, signal })) {
      all.push(object);
    }
  } catch (error) {
    // A cluster that does not know the kind has none of them.
    if (!hasCode(error, 'NotFound')) throw error;
  }
  for (const { metadata } of all) await deleteObject(connection, type, metadata);
}
