import type { Condition, KubeObject, LabelSelectorSpec, ResourceType } from '@fnlet/machinery';
import type { IntOrPercent } from './int-or-percent.ts';

/** policy/v1 PodDisruptionBudget. */
export interface DisruptionBudget extends KubeObject {
  readonly spec: {
    /** Without one it selects nothing, an empty one selects everything. */
    readonly selector?: LabelSelectorSpec;
    readonly minAvailable?: IntOrPercent;
    readonly maxUnavailable?: IntOrPercent;
  };
  readonly status?: DisruptionStatus;
}

export interface DisruptionStatus {
  readonly observedGeneration?: number;
  readonly disruptionsAllowed: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly expectedPods: number;
  /** Pods that were let go and are not seen to go yet, by name: when. Written by evictions. */
  readonly disruptedPods?: Readonly<Record<string, string>>;
  readonly conditions?: readonly Condition[];
}

export const disruptionBudgetType: ResourceType = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  namespaced: true,
};
