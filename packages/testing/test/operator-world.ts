import { createClient, discover } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import {
  type BreakerOptions,
  type ChildOutcome,
  type ChildWriter,
  createChildWriter,
  type DesiredChildren,
} from '@fnlet/reconcile';
import { startTestCluster, type TestCluster } from '../src/index.ts';

/** A kind of primaries, with a status whose conditions are merged by type. */
export const siteType: ResourceType = {
  group: 'example.com',
  version: 'v1',
  kind: 'Site',
  plural: 'sites',
  namespaced: true,
};

const siteDefinition: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'sites.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'sites', singular: 'site', kind: 'Site' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
              status: {
                type: 'object',
                'x-kubernetes-preserve-unknown-fields': true,
                properties: {
                  observedGeneration: { type: 'integer' },
                  conditions: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['type'],
                    items: {
                      type: 'object',
                      required: ['type'],
                      properties: {
                        type: { type: 'string' },
                        status: { type: 'string' },
                        reason: { type: 'string' },
                        message: { type: 'string' },
                        lastTransitionTime: { type: 'string' },
                        observedGeneration: { type: 'integer' },
                      },
                    },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};

const apiVersions: Readonly<Record<string, string>> = {
  ConfigMap: 'v1',
  Service: 'v1',
  Namespace: 'v1',
  Deployment: 'apps/v1',
  RoleBinding: 'rbac.authorization.k8s.io/v1',
  Site: 'example.com/v1',
};

/** How the observed children come to the writer. */
export type View = (object: KubeObject) => KubeObject;

/** A cluster with an operator's writer, whose view of the children is what the API shows. */
export interface OperatorWorld extends AsyncDisposable {
  readonly cluster: TestCluster;
  readonly writer: ChildWriter;
  readonly typeOf: (apiVersion: string, kind: string) => ResourceType | undefined;
  /** A writer that remembers nothing, as after a restart. */
  restarted(): ChildWriter;
  live(kind: string, name: string, namespace?: string): Promise<KubeObject>;
  tryLive(kind: string, name: string, namespace?: string): Promise<KubeObject | undefined>;
  /** Changes an object as somebody else. */
  meddle(object: KubeObject, manager?: string): Promise<KubeObject>;
  /** One pass over a primary's children; returns the outcomes. */
  pass(
    primary: KubeObject,
    desired: DesiredChildren | undefined,
    options?: { readonly writer?: ChildWriter; readonly view?: View },
  ): Promise<readonly ChildOutcome[]>;
  /** Write requests since the last call, refused ones included, as `patch deployments`. */
  takeWrites(): readonly string[];
}

export async function startOperatorWorld(
  options: { readonly breaker?: BreakerOptions; readonly finalizer?: string } = {},
): Promise<OperatorWorld> {
  const cluster = await startTestCluster({ objects: [siteDefinition] });
  const { clock } = cluster;
  const discovery = await discover(cluster.transport());
  const typeOf: OperatorWorld['typeOf'] = (apiVersion, kind) =>
    discovery.ofKind(apiVersion, kind)?.type;
  const typeOfKind = (kind: string): ResourceType => {
    const type = typeOf(apiVersions[kind] ?? '', kind);
    if (type === undefined) throw new Error(`the world has no kind ${kind}`);
    return type;
  };
  const client = createClient(cluster.transport(), { fieldManager: 'sites', clock });
  const restarted = (): ChildWriter => createChildWriter({ client, typeOf, clock, ...options });
  const writer = restarted();
  const tryLive: OperatorWorld['tryLive'] = (kind, name, namespace = 'default') =>
    client.of<KubeObject>(typeOfKind(kind)).tryGet({ namespace, name });
  const observed = async (): Promise<KubeObject[]> => {
    const kinds = ['ConfigMap', 'Service', 'Deployment', 'RoleBinding', 'Namespace'];
    const lists = await Promise.all(
      kinds.map((kind) => client.of<KubeObject>(typeOfKind(kind)).list()),
    );
    return lists.flatMap(({ items }) => [...items]);
  };
  return {
    cluster,
    writer,
    typeOf,
    restarted,
    tryLive,
    async live(kind, name, namespace) {
      const object = await tryLive(kind, name, namespace);
      if (object === undefined) throw new Error(`${kind} ${name} is gone`);
      return object;
    },
    meddle(object, manager = 'kubectl') {
      const other = createClient(cluster.transport(), { fieldManager: manager, clock });
      return other.of<KubeObject>(typeOfKind(object.kind)).update(object);
    },
    async pass(
      primary,
      desired,
      { writer: other = writer, view = (object: KubeObject) => object } = {},
    ) {
      const { signal } = new AbortController();
      const objects = (await observed()).map(view);
      return other.apply({ primary, desired, observed: objects, signal });
    },
    takeWrites() {
      const writes = cluster.writes.entries.map(({ verb, resource }) => `${verb} ${resource}`);
      cluster.writes.clear();
      return writes;
    },
    [Symbol.asyncDispose]: () => cluster.close(),
  };
}

/** Creates a primary, with a finalizer if asked. */
export async function createSite(
  { cluster }: OperatorWorld,
  name: string,
  finalizers: readonly string[] = [],
): Promise<KubeObject> {
  const metadata = { name, namespace: 'default', finalizers };
  const site = await cluster.client
    .of<KubeObject>(siteType)
    .create({ apiVersion: 'example.com/v1', kind: 'Site', metadata, spec: { replicas: 1 } });
  cluster.writes.clear();
  return site;
}

/** What a cache without managedFields shows. */
export const withoutManagedFields: View = (object) => {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
};

export const configMapType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

export function configMap(name: string, data: Readonly<Record<string, string>> = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

export function deployment(name: string): KubeObject {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          initContainers: [],
          containers: [
            {
              name: 'web',
              image: 'web:1',
              ports: [{ containerPort: 80 }],
              env: [
                { name: 'A', value: '1' },
                { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
              ],
              resources: { requests: { cpu: '1000m', memory: '1024Mi' } },
              volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
            },
          ],
          volumes: [{ name: 'tmp', emptyDir: {} }],
        },
      },
    },
  };
}

export function service(name: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: { app: name }, ports: [{ port: 80 }] },
  };
}

export function roleBinding(name: string): KubeObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
    subjects: [],
  };
}
