import type { Condition, KubeObject, LabelSelectorSpec, ResourceType } from '@fnlet/machinery';

/** autoscaling/v2 HorizontalPodAutoscaler, as the API gives it: defaults are filled in. */
export interface HorizontalPodAutoscaler extends KubeObject {
  readonly spec: AutoscalerSpec;
  readonly status?: AutoscalerStatus;
}

export interface AutoscalerSpec {
  readonly scaleTargetRef: ObjectReference;
  readonly minReplicas?: number;
  readonly maxReplicas: number;
  readonly metrics?: readonly MetricSpec[];
  readonly behavior?: {
    readonly scaleUp?: BehaviorRules;
    readonly scaleDown?: BehaviorRules;
  };
}

/** autoscaling/v2 CrossVersionObjectReference. */
export interface ObjectReference {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name: string;
}

/** autoscaling/v2 HPAScalingRules. */
export interface BehaviorRules {
  readonly stabilizationWindowSeconds?: number;
  readonly selectPolicy?: 'Max' | 'Min' | 'Disabled';
  readonly policies?: readonly {
    readonly type: 'Pods' | 'Percent';
    readonly value: number;
    readonly periodSeconds: number;
  }[];
  /** A quantity. */
  readonly tolerance?: string | number;
}

/** autoscaling/v2 MetricTarget; values are quantities. */
export interface MetricTarget {
  readonly type?: string;
  readonly value?: string | number;
  readonly averageValue?: string | number;
  readonly averageUtilization?: number;
}

export interface MetricIdentifier {
  readonly name: string;
  readonly selector?: LabelSelectorSpec;
}

/** autoscaling/v2 MetricSpec: `type` says which of its fields is there. */
export interface MetricSpec {
  readonly type: string;
  readonly resource?: { readonly name: string; readonly target: MetricTarget };
  readonly containerResource?: {
    readonly name: string;
    readonly container: string;
    readonly target: MetricTarget;
  };
  readonly pods?: { readonly metric: MetricIdentifier };
  readonly object?: {
    readonly metric: MetricIdentifier;
    readonly describedObject: ObjectReference;
    readonly target?: MetricTarget;
  };
  readonly external?: { readonly metric: MetricIdentifier; readonly target?: MetricTarget };
}

export interface AutoscalerStatus {
  readonly observedGeneration?: number;
  readonly lastScaleTime?: string;
  readonly currentReplicas?: number;
  readonly desiredReplicas?: number;
  readonly currentMetrics?: readonly object[];
  readonly conditions?: readonly Condition[];
}

export const autoscalerType: ResourceType = {
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  namespaced: true,
};

/** What kubernetes lets the ratio of use to target miss before anything changes. */
const toleranceDefault = 0.1;

/** The tolerance of one direction, as a share. */
export function toleranceOf(rules: BehaviorRules | undefined): number {
  const { tolerance } = rules ?? {};
  if (tolerance === undefined) return toleranceDefault;
  const text = String(tolerance);
  return text.endsWith('m') ? Number(text.slice(0, -1)) / 1000 : Number(text);
}
