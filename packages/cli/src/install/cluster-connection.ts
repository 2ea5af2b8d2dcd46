import {
  type Client,
  createClient,
  createHttpTransport,
  type Discovery,
  discover,
  type Transport,
} from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import type { CliContext, GlobalOptions } from '../cli-context.ts';
import { findKubeconfig } from '../find-kubeconfig.ts';

/** Owner of the fields that the installation writes. */
export const installManager = 'fnlet-install';

/** The cluster that the kubeconfig names, for whoever installs. */
export interface ClusterConnection extends AsyncDisposable {
  readonly transport: Transport;
  readonly client: Client;
  readonly signal: AbortSignal;
}

/** Connects to the cluster, see `findKubeconfig`. */
export async function connectToCluster(
  options: Pick<GlobalOptions, 'kubeconfig' | 'context'>,
  context: CliContext,
): Promise<ClusterConnection> {
  const transport = createHttpTransport(await findKubeconfig(options, context));
  const client = createClient(transport, { fieldManager: installManager, clock: context.clock });
  const close = (): Promise<void> => transport.close();
  return { transport, client, signal: context.signal, [Symbol.asyncDispose]: close };
}

/** How the API serves kinds, asked anew. */
export function discoverKinds({ transport, signal }: ClusterConnection): Promise<Discovery> {
  return discover(transport, { signal });
}

function coreType(kind: string, plural: string, namespaced = true): ResourceType {
  return { group: '', version: 'v1', kind, plural, namespaced };
}

/** Kinds that the installation looks at, besides those that it plans. */
export const clusterTypes: Readonly<Record<ClusterKind, ResourceType>> = {
  namespace: coreType('Namespace', 'namespaces', false),
  configMap: coreType('ConfigMap', 'configmaps'),
  secret: coreType('Secret', 'secrets'),
  pod: coreType('Pod', 'pods'),
  service: coreType('Service', 'services'),
  deployment: { ...coreType('Deployment', 'deployments'), group: 'apps' },
  statefulSet: { ...coreType('StatefulSet', 'statefulsets'), group: 'apps' },
  lease: { ...coreType('Lease', 'leases'), group: 'coordination.k8s.io' },
  endpointSlice: { ...coreType('EndpointSlice', 'endpointslices'), group: 'discovery.k8s.io' },
  definition: {
    ...coreType('CustomResourceDefinition', 'customresourcedefinitions', false),
    group: 'apiextensions.k8s.io',
  },
  apiService: {
    ...coreType('APIService', 'apiservices', false),
    group: 'apiregistration.k8s.io',
  },
  storageClass: {
    ...coreType('StorageClass', 'storageclasses', false),
    group: 'storage.k8s.io',
  },
};

type ClusterKind =
  | 'namespace'
  | 'configMap'
  | 'secret'
  | 'pod'
  | 'service'
  | 'deployment'
  | 'statefulSet'
  | 'lease'
  | 'endpointSlice'
  | 'definition'
  | 'apiService'
  | 'storageClass';

/** A Deployment or StatefulSet, as far as its rollout is looked at (apps/v1). */
export interface DeploymentObject extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
  };
}
