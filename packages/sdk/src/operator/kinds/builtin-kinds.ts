/**
 * Kubernetes' own kinds, each a value (to own, to watch, to write) and the type of its objects.
 * Their fields are all optional: a projection leaves some out, and what is wanted holds only what
 * it is about.
 */
import { type Kind, type KindFacts, kind } from '../kind.ts';
import type { ObjectShape } from '../object.ts';
import { pluralOf } from '../plural.ts';
import type * as appsV1 from './apps-v1.ts';
import type * as autoscalingV2 from './autoscaling-v2.ts';
import type * as batchV1 from './batch-v1.ts';
import type * as coordinationV1 from './coordination-v1.ts';
import type * as coreV1 from './core-v1.ts';
import type * as discoveryV1 from './discovery-v1.ts';
import type * as networkingV1 from './networking-v1.ts';
import type * as policyV1 from './policy-v1.ts';
import type * as rbacV1 from './rbac-v1.ts';

export type ConfigMap = coreV1.ConfigMap;
export const ConfigMap: Kind<ConfigMap> = own({ group: '', version: 'v1', kind: 'ConfigMap' });

export type Endpoints = coreV1.Endpoints;
export const Endpoints: Kind<Endpoints> = own({
  group: '',
  version: 'v1',
  kind: 'Endpoints',
  plural: 'endpoints',
});

export type Event = coreV1.Event;
export const Event: Kind<Event> = own({ group: '', version: 'v1', kind: 'Event' });

export type Namespace = coreV1.Namespace;
export const Namespace: Kind<Namespace> = own({
  group: '',
  version: 'v1',
  kind: 'Namespace',
  scope: 'Cluster',
});

export type Node = coreV1.Node;
export const Node: Kind<Node> = own({ group: '', version: 'v1', kind: 'Node', scope: 'Cluster' });

export type PersistentVolume = coreV1.PersistentVolume;
export const PersistentVolume: Kind<PersistentVolume> = own({
  group: '',
  version: 'v1',
  kind: 'PersistentVolume',
  scope: 'Cluster',
});

export type PersistentVolumeClaim = coreV1.PersistentVolumeClaim;
export const PersistentVolumeClaim: Kind<PersistentVolumeClaim> = own({
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
});

export type Pod = coreV1.Pod;
export const Pod: Kind<Pod> = own({ group: '', version: 'v1', kind: 'Pod' });

export type Secret = coreV1.Secret;
export const Secret: Kind<Secret> = own({ group: '', version: 'v1', kind: 'Secret' });

export type Service = coreV1.Service;
export const Service: Kind<Service> = own({ group: '', version: 'v1', kind: 'Service' });

export type ServiceAccount = coreV1.ServiceAccount;
export const ServiceAccount: Kind<ServiceAccount> = own({
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
});

export type DaemonSet = appsV1.DaemonSet;
export const DaemonSet: Kind<DaemonSet> = own({ group: 'apps', version: 'v1', kind: 'DaemonSet' });

export type Deployment = appsV1.Deployment;
export const Deployment: Kind<Deployment> = own({
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
});

export type ReplicaSet = appsV1.ReplicaSet;
export const ReplicaSet: Kind<ReplicaSet> = own({
  group: 'apps',
  version: 'v1',
  kind: 'ReplicaSet',
});

export type StatefulSet = appsV1.StatefulSet;
export const StatefulSet: Kind<StatefulSet> = own({
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
});

export type CronJob = batchV1.CronJob;
export const CronJob: Kind<CronJob> = own({ group: 'batch', version: 'v1', kind: 'CronJob' });

export type Job = batchV1.Job;
export const Job: Kind<Job> = own({ group: 'batch', version: 'v1', kind: 'Job' });

export type Ingress = networkingV1.Ingress;
export const Ingress: Kind<Ingress> = own({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'Ingress',
});

export type NetworkPolicy = networkingV1.NetworkPolicy;
export const NetworkPolicy: Kind<NetworkPolicy> = own({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'NetworkPolicy',
});

export type ClusterRole = rbacV1.ClusterRole;
export const ClusterRole: Kind<ClusterRole> = own({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  scope: 'Cluster',
});

export type ClusterRoleBinding = rbacV1.ClusterRoleBinding;
export const ClusterRoleBinding: Kind<ClusterRoleBinding> = own({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRoleBinding',
  scope: 'Cluster',
});

export type Role = rbacV1.Role;
export const Role: Kind<Role> = own({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'Role',
});

export type RoleBinding = rbacV1.RoleBinding;
export const RoleBinding: Kind<RoleBinding> = own({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'RoleBinding',
});

export type Lease = coordinationV1.Lease;
export const Lease: Kind<Lease> = own({
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
});

export type HorizontalPodAutoscaler = autoscalingV2.HorizontalPodAutoscaler;
export const HorizontalPodAutoscaler: Kind<HorizontalPodAutoscaler> = own({
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
});

export type PodDisruptionBudget = policyV1.PodDisruptionBudget;
export const PodDisruptionBudget: Kind<PodDisruptionBudget> = own({
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
});

export type EndpointSlice = discoveryV1.EndpointSlice;
export const EndpointSlice: Kind<EndpointSlice> = own({
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
});

function own<T extends ObjectShape>(
  facts: Pick<KindFacts, 'group' | 'version' | 'kind'> & Partial<KindFacts>,
): Kind<T> {
  return kind<T>({ plural: pluralOf(facts.kind), scope: 'Namespaced', ...facts });
}
