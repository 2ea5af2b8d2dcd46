import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { serviceEndpointsMax } from './limits.ts';

interface Port {
  readonly name?: string;
  readonly port?: number;
  readonly protocol?: string;
}

/** Who an endpoint is. */
interface Named {
  readonly hostname?: string;
  readonly targetRef?: { readonly kind?: string; readonly name?: string };
}

/** core/v1 Service, as far as connecting to it needs. */
export interface Service extends KubeObject {
  readonly spec: {
    readonly type?: string;
    readonly clusterIP?: string;
    readonly externalName?: string;
    readonly ports?: readonly Port[];
  };
}

/** core/v1 Endpoints. */
export interface Endpoints extends KubeObject {
  readonly subsets?: readonly {
    readonly addresses?: readonly ({ readonly ip: string } & Named)[];
    readonly ports?: readonly Port[];
  }[];
}

/** discovery.k8s.io/v1 EndpointSlice. */
export interface EndpointSlice extends KubeObject {
  readonly addressType: string;
  readonly endpoints?: readonly ({
    readonly addresses: readonly string[];
    readonly conditions?: { readonly ready?: boolean };
  } & Named)[];
  readonly ports?: readonly Port[];
}

const core = { group: '', version: 'v1', namespaced: true } as const;
export const serviceType: ResourceType = { ...core, kind: 'Service', plural: 'services' };
export const endpointsType: ResourceType = { ...core, kind: 'Endpoints', plural: 'endpoints' };
export const endpointSliceType: ResourceType = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
};

/** Where one endpoint of a Service listens. */
export interface EndpointAddress {
  readonly host: string;
  readonly port: number;
}

/** What says who answers for a Service. Where there are slices, they alone count. */
export interface EndpointObjects {
  readonly slices: readonly EndpointSlice[];
  readonly endpoints: Endpoints | undefined;
}

/** Of all endpoints those of one Pod, by its name or its host name. */
export function ofPod(pod: string, { slices, endpoints }: EndpointObjects): EndpointObjects {
  const isMeant = ({ hostname, targetRef }: Named): boolean =>
    hostname === pod || (targetRef?.kind === 'Pod' && targetRef.name === pod);
  return {
    slices: slices.map((slice) => {
      return { ...slice, endpoints: (slice.endpoints ?? []).filter(isMeant) };
    }),
    endpoints: endpoints && {
      ...endpoints,
      subsets: (endpoints.subsets ?? []).map((subset) => {
        return { ...subset, addresses: (subset.addresses ?? []).filter(isMeant) };
      }),
    },
  };
}

export type FoundEndpoints =
  | { readonly kind: 'found'; readonly endpoints: readonly EndpointAddress[] }
  | { readonly kind: 'none'; readonly code: 'PortNotFound' | 'NoReadyEndpoint' };

/**
 * Who answers when a Pod connects to this port of a Service, by the rules of kube-proxy: ports of
 * Service and endpoints belong together by their names, and only ready endpoints count. A headless
 * Service has no address and no ports of its own: its name leads to its endpoints, at any port.
 */
export function findEndpoints(
  { spec }: Service,
  objects: EndpointObjects,
  port: number,
): FoundEndpoints {
  const own = spec.ports?.find((one) => one.port === port && isTcp(one));
  const isHeadless = spec.clusterIP === 'None';
  if (own === undefined && !isHeadless) return { kind: 'none', code: 'PortNotFound' };
  const groups = objects.slices.length > 0 ? ofSlices(objects.slices) : ofObject(objects.endpoints);
  const endpoints = groups.flatMap(({ hosts, ports = [] }) => {
    const found = ports.find((one) => (one.name ?? '') === (own?.name ?? '') && isTcp(one));
    const target = isHeadless ? port : found?.port;
    return target === undefined ? [] : hosts.map((host) => ({ host, port: target }));
  });
  return endpoints.length === 0
    ? { kind: 'none', code: 'NoReadyEndpoint' }
    : { kind: 'found', endpoints: endpoints.slice(0, serviceEndpointsMax) };
}

interface EndpointGroup {
  readonly hosts: readonly string[];
  readonly ports: readonly Port[] | undefined;
}

function ofSlices(slices: readonly EndpointSlice[]): readonly EndpointGroup[] {
  return slices
    .filter(({ addressType }) => addressType !== 'FQDN')
    .map(({ endpoints = [], ports }) => ({
      // Whoever does not say that it is not ready is.
      hosts: endpoints
        .filter(({ conditions }) => conditions?.ready !== false)
        .flatMap(({ addresses }) => addresses.slice(0, 1)),
      ports,
    }));
}

function ofObject(object: Endpoints | undefined): readonly EndpointGroup[] {
  return (object?.subsets ?? []).map(({ addresses = [], ports }) => ({
    hosts: addresses.map(({ ip }) => ip),
    ports,
  }));
}

function isTcp({ protocol = 'TCP' }: Port): boolean {
  return protocol === 'TCP';
}
