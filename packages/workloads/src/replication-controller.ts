import type { KubeObject, ResourceType } from '@fnlet/machinery';
import type { PodTemplate } from './pod.ts';
import type { ReplicaSet, ReplicaSetStatus } from './replica-set.ts';

/** core/v1 ReplicationController: the elder of ReplicaSet, with a selector that is plain labels. */
export interface ReplicationController extends KubeObject {
  readonly spec: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    /** The API fills it with the template's labels. */
    readonly selector?: Readonly<Record<string, string>>;
    /** The API refuses one without. */
    readonly template: PodTemplate;
  };
  readonly status?: ReplicaSetStatus;
}

export const replicationControllerType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'ReplicationController',
  plural: 'replicationcontrollers',
  namespaced: true,
};

/** The same object, read as a ReplicaSet is; what it is called stays (replication/conversion.go). */
export function asReplicaSet(controller: ReplicationController): ReplicaSet {
  const { selector = {}, ...spec } = controller.spec;
  return { ...controller, spec: { ...spec, selector: { matchLabels: selector } } };
}
