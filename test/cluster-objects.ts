/** What tests of a cluster write there, and wait for. */
import {
  type Condition,
  findCondition,
  type KubeObject,
  type ResourceType,
} from '@fnlet/machinery';
import type { ClusterParts } from './cluster-parts.ts';
import { until } from './until.ts';

/** A machine with one or two cores starts all parts of a cluster beside other tests. */
export const clusterWaitMs = 60_000;

/** Where tests have their objects. */
export const testNamespace = 'default';

export const functionType: ResourceType = fnletType('Function', 'functions');
export const triggerType: ResourceType = fnletType('Trigger', 'triggers');
export const brokerType: ResourceType = fnletType('Broker', 'brokers');
export const operatorType: ResourceType = fnletType('Operator', 'operators');
export const podType: ResourceType = coreType('Pod', 'pods');
export const configMapType: ResourceType = coreType('ConfigMap', 'configmaps');
export const secretType: ResourceType = coreType('Secret', 'secrets');
export const accountType: ResourceType = coreType('ServiceAccount', 'serviceaccounts');
export const roleType: ResourceType = rbacType('Role', true);
export const roleBindingType: ResourceType = rbacType('RoleBinding', true);
export const clusterRoleType: ResourceType = rbacType('ClusterRole', false);
export const clusterRoleBindingType: ResourceType = rbacType('ClusterRoleBinding', false);

function fnletType(kind: string, plural: string): ResourceType {
  return { group: 'fnlet.dev', version: 'v1alpha1', kind, plural, namespaced: true };
}

function coreType(kind: string, plural: string): ResourceType {
  return { group: '', version: 'v1', kind, plural, namespaced: true };
}

function rbacType(kind: string, namespaced: boolean): ResourceType {
  const plural = `${kind.toLowerCase()}s`;
  return { group: 'rbac.authorization.k8s.io', version: 'v1', kind, plural, namespaced };
}

/** Writes an object as its author: the fields beside its name. */
export async function applyObject(
  cluster: ClusterParts,
  type: ResourceType,
  object: Readonly<Record<string, unknown>> & { readonly name: string },
): Promise<void> {
  const { name, labels, ...fields } = object;
  const apiVersion = type.group === '' ? type.version : `${type.group}/${type.version}`;
  const metadata = {
    name,
    ...(type.namespaced ? { namespace: testNamespace } : {}),
    ...(labels === undefined ? {} : { labels: Object(labels) }),
  };
  const whole = { apiVersion, kind: type.kind, metadata, ...fields };
  await cluster.client.of<KubeObject>(type).apply(whole, { force: true });
}

interface Judged extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** Waits for a condition of an object to be as wanted, about its newest generation. */
export async function awaitCondition(
  cluster: ClusterParts,
  type: ResourceType,
  wanted: {
    readonly name: string;
    /** Default `Ready`. */
    readonly condition?: string;
    /** Default `True`. */
    readonly status?: string;
    /** Default: anything. */
    readonly reason?: string;
    /** What the message says among other things. Default: anything. */
    readonly says?: string;
  },
): Promise<void> {
  const { name, condition = 'Ready', status: holds = 'True', reason, says = '' } = wanted;
  let last: Condition | undefined;
  await until(
    async () => {
      const key = { namespace: testNamespace, name };
      const { status, metadata } = await cluster.client.of<Judged>(type).get(key);
      last = findCondition(status?.conditions ?? [], condition);
      const isCurrent = (last?.observedGeneration ?? metadata.generation) === metadata.generation;
      if (reason !== undefined && last?.reason !== reason) return false;
      return isCurrent && last?.status === holds && last.message?.includes(says) === true;
    },
    { what: `${condition} of ${type.kind} ${name} to be ${holds}`, timeoutMs: clusterWaitMs },
  ).catch((error: unknown) => {
    throw new Error(`${JSON.stringify(last)}\n${cluster.output()}`, { cause: error });
  });
}
