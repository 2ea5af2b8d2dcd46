import { type Client, createClient, createHttpTransport, loadKubeconfig } from '@fnlet/client';
import {
  type Condition,
  findCondition,
  type KubeObject,
  type ResourceType,
} from '@fnlet/machinery';
import { until } from './until.ts';

/** What the tests look at of a Pod. */
export interface ObservedPod {
  readonly name: string;
  readonly isReady: boolean;
  readonly restarts: number;
  readonly waiting: string | undefined;
  readonly lastExitCode: number | undefined;
  readonly lastExitReason: string | undefined;
}

/** The few things that the tests of the whole house do with the API, over real HTTPS. */
export interface TestApi {
  applyFunction(name: string, spec: Readonly<Record<string, unknown>>): Promise<void>;
  getFunction(name: string): Promise<{ readonly ready: boolean; readonly revision: string }>;
  deleteFunction(name: string): Promise<void>;
  /** Until Ready is true for the newest generation. */
  waitReady(name: string): Promise<void>;
  /** Until Ready is false for the newest generation; returns why. */
  waitNotReady(name: string): Promise<{ readonly reason: string; readonly message: string }>;
  podsOf(name: string): Promise<readonly ObservedPod[]>;
  deletePod(name: string, gracePeriodSeconds: number): Promise<void>;
  /** Creates a ConfigMap and returns its name once the API has answered. */
  createConfigMap(name: string): Promise<string>;
  configMapNames(): Promise<readonly string[]>;
  /** Applies an object of the core API in the namespace of the tests. */
  applyCore(plural: string, object: CoreObject): Promise<void>;
  deleteCore(plural: string, name: string): Promise<void>;
  /** Lets the ServiceAccount of this name do this in the namespace of the tests. */
  applyRole(
    name: string,
    rule: { readonly resources: readonly string[]; readonly verbs: readonly string[] },
  ): Promise<void>;
  /** What a GET of this path answers, as JSON. */
  getJson(path: string): Promise<unknown>;
  /** What a GET of this path answers, as text. */
  getText(path: string): Promise<string>;
  close(): Promise<void>;
}

/** An object of v1, without what is the same in all tests. */
export interface CoreObject {
  readonly kind: string;
  readonly name: string;
  readonly [field: string]: unknown;
}

interface FunctionLike extends KubeObject {
  readonly status?: {
    readonly revision?: string;
    readonly conditions?: readonly Condition[];
  };
}

interface PodLike extends KubeObject {
  readonly status?: {
    readonly containerStatuses?: readonly {
      readonly ready?: boolean;
      readonly restartCount?: number;
      readonly state?: { readonly waiting?: { readonly reason?: string } };
      readonly lastState?: {
        readonly terminated?: { readonly exitCode?: number; readonly reason?: string };
      };
    }[];
  };
}

const functionType: ResourceType = {
  group: 'fnlet.dev',
  version: 'v1alpha1',
  kind: 'Function',
  plural: 'functions',
  namespaced: true,
};
const podType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  namespaced: true,
};
const configMapType: ResourceType = { ...podType, kind: 'ConfigMap', plural: 'configmaps' };
const namespace = 'default';

export async function createApi(kubeconfig: string): Promise<TestApi> {
  const transport = createHttpTransport(await loadKubeconfig({ file: kubeconfig, env: {} }));
  const client = createClient(transport, { fieldManager: 'test' });
  return { ...functionCalls(client), ...otherCalls(client), close: () => transport.close() };
}

type FunctionCalls = Pick<
  TestApi,
  'applyFunction' | 'getFunction' | 'deleteFunction' | 'waitReady' | 'waitNotReady'
>;

function functionCalls(client: Client): FunctionCalls {
  const functions = client.of<FunctionLike>(functionType);
  /** The Ready condition, once it says something about the newest generation. */
  const readDecided = async (name: string): Promise<Condition | undefined> => {
    const { metadata, status } = await functions.get({ namespace, name });
    const ready = findCondition(status?.conditions, 'Ready');
    const isCurrent = ready?.observedGeneration === metadata.generation;
    return isCurrent && ready?.status !== 'Unknown' ? ready : undefined;
  };
  return {
    async applyFunction(name, spec) {
      await functions.apply(
        {
          apiVersion: 'fnlet.dev/v1alpha1',
          kind: 'Function',
          metadata: { name, namespace },
          spec: { runtime: 'nodejs24', ...spec },
        },
        { force: true },
      );
    },
    async getFunction(name) {
      const { status } = await functions.get({ namespace, name });
      const ready = findCondition(status?.conditions, 'Ready')?.status === 'True';
      return { ready, revision: status?.revision ?? '' };
    },
    deleteFunction: (name) => functions.delete({ namespace, name }),
    async waitReady(name) {
      const what = `Function ${name} to be ready`;
      const { status, reason, message } = await until(() => readDecided(name), { what });
      if (status !== 'True') throw new Error(`${what}: ${reason}: ${message}`);
    },
    async waitNotReady(name) {
      const { reason = '', message = '' } = await until(
        async () => {
          const decided = await readDecided(name);
          return decided?.status === 'False' ? decided : undefined;
        },
        { what: `Function ${name} to be not ready` },
      );
      return { reason, message };
    },
  };
}

function otherCalls(client: Client): Omit<TestApi, keyof FunctionCalls | 'close'> {
  const pods = client.of<PodLike>(podType);
  const configMaps = client.of<KubeObject>(configMapType);
  return {
    async podsOf(name) {
      const labelSelector = `fnlet.dev/function=${name}`;
      const { items } = await pods.list({ namespace, labelSelector });
      return items.map(({ metadata, status }) => {
        const container = status?.containerStatuses?.[0];
        return {
          name: metadata.name,
          isReady: container?.ready === true,
          restarts: container?.restartCount ?? 0,
          waiting: container?.state?.waiting?.reason,
          lastExitCode: container?.lastState?.terminated?.exitCode,
          lastExitReason: container?.lastState?.terminated?.reason,
        };
      });
    },
    deletePod: (name, gracePeriodSeconds) =>
      pods.delete({ namespace, name }, { gracePeriodSeconds }),
    async createConfigMap(name) {
      const created = await configMaps.create({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace },
        data: { key: 'value' },
      });
      return created.metadata.name;
    },
    async configMapNames() {
      const all = await Array.fromAsync(configMaps.listAll({ namespace }));
      return all.map(({ metadata }) => metadata.name);
    },
    async applyCore(plural, { kind, name, ...fields }) {
      const object = { apiVersion: 'v1', kind, metadata: { name, namespace }, ...fields };
      await client.of<KubeObject>({ ...podType, kind, plural }).apply(object, { force: true });
    },
    async applyRole(name, rule) {
      const apiGroup = 'rbac.authorization.k8s.io';
      const base = { apiVersion: `${apiGroup}/v1`, metadata: { name, namespace } };
      const type = { group: apiGroup, version: 'v1', namespaced: true };
      const roles = client.of<KubeObject>({ ...type, kind: 'Role', plural: 'roles' });
      const role = { ...base, kind: 'Role', rules: [{ apiGroups: [''], ...rule }] };
      await roles.apply(role, { force: true });
      const bindings = client.of<KubeObject>({
        ...{ ...type, kind: 'RoleBinding', plural: 'rolebindings' },
      });
      const binding = {
        ...{ ...base, kind: 'RoleBinding', roleRef: { apiGroup, kind: 'Role', name } },
        subjects: [{ kind: 'ServiceAccount', name, namespace }],
      };
      await bindings.apply(binding, { force: true });
    },
    async getJson(path) {
      const answer = await client.transport.request({ method: 'GET', path });
      return answer.json();
    },
    async getText(path) {
      const answer = await client.transport.request({ method: 'GET', path });
      return Buffer.concat(await Array.fromAsync(answer.bytes())).toString();
    },
    deleteCore: (plural, name) => client.of({ ...podType, plural }).delete({ namespace, name }),
  };
}
