import type { KubeObject, LabelSelectorSpec, ResourceType } from '@fnlet/machinery';
import type { PodTemplate } from './pod.ts';

/** apps/v1 StatefulSet, as far as this room runs it. */
export interface StatefulSet extends KubeObject {
  readonly spec: {
    readonly replicas?: number;
    readonly selector: LabelSelectorSpec;
    readonly template: PodTemplate;
    readonly serviceName?: string;
    readonly podManagementPolicy?: 'OrderedReady' | 'Parallel';
    readonly updateStrategy?: {
      readonly type?: 'RollingUpdate' | 'OnDelete';
      readonly rollingUpdate?: { readonly partition?: number };
    };
    readonly ordinals?: { readonly start?: number };
    readonly revisionHistoryLimit?: number;
    readonly volumeClaimTemplates?: readonly object[];
  };
  readonly status?: StatefulSetStatus;
}

export interface StatefulSetStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly currentReplicas?: number;
  readonly updatedReplicas?: number;
  readonly currentRevision?: string;
  readonly updateRevision?: string;
}

export const statefulSetType: ResourceType = {
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  namespaced: true,
};

/** Which template a Pod of a StatefulSet or DaemonSet was made of. */
export const revisionHashLabel = 'controller-revision-hash';

/** The number of a Pod among its siblings. */
export const podIndexLabel = 'apps.kubernetes.io/pod-index';
