import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { clusterNames, clusterPorts } from '../names.ts';
import { backendRole, routeLabels } from './route-kinds.ts';

/** The port of the Service that leads to the Gateway, here as in its own namespace. */
export const backendPort = 80;

const portName = 'http';

/** What an EndpointSlice holds at most (discovery.k8s.io/v1). */
const endpointsMax = 1000;

/** An EndpointSlice, as far as it is looked at. */
export interface EndpointSlice extends KubeObject {
  readonly addressType?: string;
  readonly endpoints?: readonly Endpoint[];
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[];
}

interface Endpoint {
  readonly addresses: readonly string[];
  readonly conditions?: JsonObject;
  readonly zone?: string;
}

/**
 * What makes the Gateway a backend of routes in a namespace: an Ingress leads to Services of its
 * own namespace alone, and not every controller follows an ExternalName. So there is a Service
 * without a selector, and EndpointSlices with the addresses of the Gateway's Pods.
 *
 * @param slices of the Gateway's own Service
 */
export function planRouteBackend(
  namespace: string,
  slices: readonly EndpointSlice[],
): readonly KubeObject[] {
  const labels = routeLabels(backendRole);
  const name = clusterNames.gateway;
  const service: KubeObject = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels },
    spec: {
      type: 'ClusterIP',
      ports: [
        { name: portName, port: backendPort, targetPort: clusterPorts.http, protocol: 'TCP' },
      ],
    },
  };
  const types = [...new Set(slices.map(({ addressType = 'IPv4' }) => addressType))].sort();
  return [service, ...types.map((type) => planSlice(namespace, type, slices))];
}

function planSlice(
  namespace: string,
  addressType: string,
  slices: readonly EndpointSlice[],
): KubeObject {
  const name = clusterNames.gateway;
  const ofType = slices.filter((slice) => (slice.addressType ?? 'IPv4') === addressType);
  const ports = ofType.flatMap((slice) => slice.ports ?? []);
  const { port = clusterPorts.http } = ports.find((each) => each.name === portName) ?? {};
  const endpoints = ofType
    .flatMap((slice) => slice.endpoints ?? [])
    .map(copyEndpoint)
    .sort((a, b) => (a.addresses.join() < b.addresses.join() ? -1 : 1));
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `${name}-${addressType.toLowerCase()}`,
      namespace,
      labels: {
        ...routeLabels(backendRole),
        'kubernetes.io/service-name': name,
        'endpointslice.kubernetes.io/managed-by': 'fnlet.dev',
      },
    },
    addressType,
    endpoints: endpoints.slice(0, endpointsMax),
    ports: [{ name: portName, port, protocol: 'TCP' }],
  };
}

function copyEndpoint({ addresses, conditions, zone }: Endpoint): Endpoint {
  return {
    addresses,
    ...(isJsonObject(conditions) ? { conditions } : {}),
    ...(zone === undefined ? {} : { zone }),
  };
}
