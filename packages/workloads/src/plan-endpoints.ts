import type { KubeObject } from '@fnlet/machinery';
import { limits } from './limits.ts';
import { controllerReference } from './owner.ts';
import { isFinished, isPodReady, isTerminating, type Pod } from './pod.ts';
import type { Service, ServicePort } from './service.ts';

/** The endpoints of a Service in both of their forms. */
export interface EndpointsPlan {
  readonly slices: readonly KubeObject[];
  readonly endpoints: KubeObject;
}

interface Member {
  readonly pod: Pod;
  readonly address: string;
  readonly ready: boolean;
  readonly ports: readonly object[];
}

/** Who answers for a Service (endpointslice/reconciler.go): its Pods, ready or not yet. */
export function planEndpoints(service: Service, pods: readonly Pod[]): EndpointsPlan {
  const members = pods
    .filter((pod) => !isFinished(pod) && (pod.status?.podIP ?? '') !== '')
    .map((pod) => memberOf(service, pod))
    .toSorted((a, b) => (a.pod.metadata.name < b.pod.metadata.name ? -1 : 1));
  // Pods that give a named port another number are in slices of their own.
  const groups = Map.groupBy(members, ({ ports }) => JSON.stringify(ports));
  if (groups.size === 0) groups.set('', []);
  const slices: KubeObject[] = [];
  for (const group of groups.values()) {
    for (let at = 0; at === 0 || at < group.length; at += limits.endpointsPerSliceMax) {
      const part = group.slice(at, at + limits.endpointsPerSliceMax);
      slices.push(sliceOf(service, part, slices.length));
    }
  }
  return { slices, endpoints: endpointsOf(service, [...groups.values()]) };
}

function memberOf({ spec }: Service, pod: Pod): Member {
  return {
    pod,
    address: pod.status?.podIP ?? '',
    ready: (isPodReady(pod) || spec.publishNotReadyAddresses === true) && !isTerminating(pod),
    ports: (spec.ports ?? []).flatMap((port) => resolvePort(port, pod)),
  };
}

function resolvePort(port: ServicePort, { spec }: Pod): object[] {
  const { name = '', targetPort = port.port, protocol = 'TCP', appProtocol } = port;
  const named = spec.containers
    .flatMap(({ ports = [] }) => ports)
    .find((candidate) => candidate.name === targetPort)?.containerPort;
  const number = typeof targetPort === 'number' ? targetPort : named;
  if (number === undefined) return [];
  return [{ name, port: number, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
}

/** Names the slices of a Service: by its own name and a number. */
export function sliceName(service: Service, number: number): string {
  return `${service.metadata.name}-${number}`;
}

function sliceOf(service: Service, members: readonly Member[], number: number): KubeObject {
  const { name, namespace = '', labels } = service.metadata;
  const headless =
    service.spec.clusterIP === 'None' ? { 'service.kubernetes.io/headless': '' } : {};
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: sliceName(service, number),
      namespace,
      labels: {
        ...labels,
        ...headless,
        'kubernetes.io/service-name': name,
        'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
      },
      ownerReferences: [controllerReference(service)],
    },
    addressType: 'IPv4',
    ports: members[0]?.ports ?? [],
    endpoints: members.map(({ pod, address, ready }) => ({
      addresses: [address],
      conditions: {
        ready,
        serving: isPodReady(pod),
        terminating: isTerminating(pod),
      },
      nodeName: pod.spec.nodeName ?? '',
      targetRef: referenceTo(pod),
    })),
  };
}

function endpointsOf(service: Service, groups: readonly (readonly Member[])[]): KubeObject {
  const { name, namespace = '', labels } = service.metadata;
  const addresses = (members: readonly Member[]): object[] =>
    members.map(({ pod, address }) => ({
      ip: address,
      nodeName: pod.spec.nodeName ?? '',
      targetRef: referenceTo(pod),
    }));
  const subsets = groups
    .map((members) => members.filter(({ pod }) => !isTerminating(pod)))
    .filter((members) => members.length > 0)
    .map((members) => {
      const ready = addresses(members.filter((member) => member.ready));
      const notReady = addresses(members.filter((member) => !member.ready));
      return {
        ...(ready.length === 0 ? {} : { addresses: ready }),
        ...(notReady.length === 0 ? {} : { notReadyAddresses: notReady }),
        ports: members[0]?.ports ?? [],
      };
    });
  return {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: {
      name,
      namespace,
      labels: { ...labels, 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' },
      // It has no owner in Kubernetes; this one lets the garbage collector take it along.
      ownerReferences: [controllerReference(service)],
    },
    subsets,
  };
}

function referenceTo({ metadata }: Pod): object {
  const { name, namespace, uid } = metadata;
  return { kind: 'Pod', name, namespace, uid };
}
