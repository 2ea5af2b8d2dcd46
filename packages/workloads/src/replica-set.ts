import type { Condition, KubeObject, LabelSelectorSpec, ResourceType } from '@fnlet/machinery';
import type { PodTemplate } from './pod.ts';

/** apps/v1 ReplicaSet. */
export interface ReplicaSet extends KubeObject {
  readonly spec: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly selector: LabelSelectorSpec;
    readonly template: PodTemplate;
  };
  readonly status?: ReplicaSetStatus;
}

export interface ReplicaSetStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly conditions?: readonly Condition[];
}

export const replicaSetType: ResourceType = {
  group: 'apps',
  version: 'v1',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  namespaced: true,
};

/** How many Pods it is to have. */
export function wantedReplicas({ spec }: ReplicaSet): number {
  return spec.replicas ?? 1;
}
