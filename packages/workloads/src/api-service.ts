import { jsonEqual } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import { type KubeObject, objectKey, type ResourceType } from '@fnlet/machinery';
import { endpointSliceType, endpointsType, serviceType } from './service.ts';

/** Where the Kubernetes API listens. */
export interface ApiAddress {
  /** With a name instead of an IP address the Service has no endpoints. */
  readonly host: string;
  readonly port: string;
}

const name = 'kubernetes';
const namespace = 'default';

/** The first address of the Services' network, which a cluster keeps for its API. */
const clusterIP = '10.96.0.1';

/** One of the objects, and what of one that is there must be as in it. */
interface ApiServiceObject {
  readonly type: ResourceType;
  readonly object: KubeObject;
  told(object: KubeObject): unknown;
}

/**
 * The API as the Service `kubernetes` that every cluster has, with its endpoints (kubernetes,
 * pkg/controlplane/controller/kubernetesservice).
 */
function apiServiceObjects({ host, port }: ApiAddress): readonly ApiServiceObject[] {
  const ports = [{ name: 'https', port: Number(port), protocol: 'TCP' }];
  const portsOfService = [{ name: 'https', port: 443, protocol: 'TCP', targetPort: Number(port) }];
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: { clusterIP, ports: portsOfService },
  };
  const served = {
    type: serviceType,
    object: service,
    told: ({ spec }: KubeObject) => portsOf(spec),
  };
  const addressType = familyOf(host);
  if (addressType === undefined) return [served];
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, namespace, labels: { 'kubernetes.io/service-name': name } },
    addressType,
    endpoints: [{ addresses: [host], conditions: { ready: true } }],
    ports,
  };
  const labels = { 'endpointslice.kubernetes.io/skip-mirror': 'true' };
  const endpoints = {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name, namespace, labels },
    subsets: [{ addresses: [{ ip: host }], ports }],
  };
  return [
    served,
    { type: endpointSliceType, object: slice, told: (found) => [found.endpoints, found.ports] },
    { type: endpointsType, object: endpoints, told: ({ subsets }) => subsets },
  ];
}

function familyOf(host: string): 'IPv4' | 'IPv6' | undefined {
  if (host.includes(':')) return 'IPv6';
  return /^\d+(\.\d+){3}$/.test(host) ? 'IPv4' : undefined;
}

function portsOf(spec: unknown): unknown {
  return typeof spec === 'object' && spec !== null && 'ports' in spec ? spec.ports : undefined;
}

/** Writes what is missing of the Service `kubernetes`, or tells another address. */
export async function keepApiService(
  client: Client,
  address: ApiAddress,
  signal: AbortSignal,
): Promise<void> {
  for (const { type, object, told } of apiServiceObjects(address)) {
    const kind = client.of<KubeObject>(type);
    const found = await kind.tryGet(objectKey(object), { signal });
    if (found !== undefined && jsonEqual(told(found), told(object))) continue;
    await kind.apply(object, { force: true, signal });
  }
}
