import type { KubeObject, LabelSelectorSpec, ResourceType } from '@fnlet/machinery';
import type { PodTemplate } from './pod.ts';

/** apps/v1 DaemonSet, as far as this room runs it. */
export interface DaemonSet extends KubeObject {
  readonly spec: {
    readonly selector: LabelSelectorSpec;
    readonly template: PodTemplate;
    readonly revisionHistoryLimit?: number;
    readonly updateStrategy?: { readonly type?: 'RollingUpdate' | 'OnDelete' };
  };
  readonly status?: DaemonSetStatus;
}

export interface DaemonSetStatus {
  readonly observedGeneration?: number;
  readonly currentNumberScheduled?: number;
  readonly desiredNumberScheduled?: number;
  readonly numberMisscheduled?: number;
  readonly numberReady?: number;
  readonly numberAvailable?: number;
  readonly numberUnavailable?: number;
  readonly updatedNumberScheduled?: number;
}

export const daemonSetType: ResourceType = {
  group: 'apps',
  version: 'v1',
  kind: 'DaemonSet',
  plural: 'daemonsets',
  namespaced: true,
};
