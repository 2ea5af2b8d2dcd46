import type { Condition, KubeObject, LabelSelectorSpec, ResourceType } from '@fnlet/machinery';
import type { IntOrPercent } from './int-or-percent.ts';
import type { PodTemplate } from './pod.ts';

/** apps/v1 Deployment. */
export interface Deployment extends KubeObject {
  readonly spec: {
    readonly replicas?: number;
    readonly selector: LabelSelectorSpec;
    readonly template: PodTemplate;
    readonly strategy?: {
      readonly type?: 'RollingUpdate' | 'Recreate';
      readonly rollingUpdate?: {
        readonly maxSurge?: IntOrPercent;
        readonly maxUnavailable?: IntOrPercent;
      };
    };
    readonly minReadySeconds?: number;
    readonly revisionHistoryLimit?: number;
    readonly paused?: boolean;
    readonly progressDeadlineSeconds?: number;
  };
  readonly status?: DeploymentStatus;
}

export interface DeploymentCondition extends Condition {
  /** When it was last said, RFC 3339. */
  readonly lastUpdateTime?: string;
}

export interface DeploymentStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly collisionCount?: number;
  readonly conditions?: readonly DeploymentCondition[];
}

export const deploymentType: ResourceType = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};

/** Which rollout a ReplicaSet, and the Deployment now, belongs to. */
export const revisionAnnotation = 'deployment.kubernetes.io/revision';

/** Earlier numbers of a ReplicaSet that was rolled back to. */
export const revisionHistoryAnnotation = 'deployment.kubernetes.io/revision-history';

/** How many replicas the Deployment wanted when the ReplicaSet was scaled last. */
export const desiredReplicasAnnotation = 'deployment.kubernetes.io/desired-replicas';

/** How many there might be at most, surge included. */
export const maxReplicasAnnotation = 'deployment.kubernetes.io/max-replicas';

/** Tells the Pods of one template from those of another. */
export const templateHashLabel = 'pod-template-hash';
