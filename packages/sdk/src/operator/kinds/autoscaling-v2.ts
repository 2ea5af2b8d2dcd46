// Written by tooling/builtin-types.ts from the facts of Kubernetes 1.36.

import type { ObjectMeta } from '../object.ts';
import type * as metaV1 from './meta-v1.ts';

export interface ContainerResourceMetricSource {
  readonly name?: string;
  readonly target?: MetricTarget;
  readonly container?: string;
}

export interface ContainerResourceMetricStatus {
  readonly name?: string;
  readonly current?: MetricValueStatus;
  readonly container?: string;
}

export interface CrossVersionObjectReference {
  readonly kind?: string;
  readonly name?: string;
  readonly apiVersion?: string;
}

export interface ExternalMetricSource {
  readonly metric?: MetricIdentifier;
  readonly target?: MetricTarget;
}

export interface ExternalMetricStatus {
  readonly metric?: MetricIdentifier;
  readonly current?: MetricValueStatus;
}

export interface HPAScalingPolicy {
  readonly type?: string;
  readonly value?: number;
  readonly periodSeconds?: number;
}

export interface HPAScalingRules {
  readonly stabilizationWindowSeconds?: number;
  readonly selectPolicy?: string;
  readonly policies?: readonly HPAScalingPolicy[];
  readonly tolerance?: string | number;
}

export interface HorizontalPodAutoscaler {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec?: HorizontalPodAutoscalerSpec;
  readonly status?: HorizontalPodAutoscalerStatus;
}

export interface HorizontalPodAutoscalerBehavior {
  readonly scaleUp?: HPAScalingRules;
  readonly scaleDown?: HPAScalingRules;
}

export interface HorizontalPodAutoscalerCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface HorizontalPodAutoscalerSpec {
  readonly scaleTargetRef?: CrossVersionObjectReference;
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
  readonly metrics?: readonly MetricSpec[];
  readonly behavior?: HorizontalPodAutoscalerBehavior;
}

export interface HorizontalPodAutoscalerStatus {
  readonly observedGeneration?: number;
  readonly lastScaleTime?: string;
  readonly currentReplicas?: number;
  readonly desiredReplicas?: number;
  readonly currentMetrics?: readonly MetricStatus[];
  readonly conditions?: readonly HorizontalPodAutoscalerCondition[];
}

export interface MetricIdentifier {
  readonly name?: string;
  readonly selector?: metaV1.LabelSelector;
}

export interface MetricSpec {
  readonly type?: string;
  readonly object?: ObjectMetricSource;
  readonly pods?: PodsMetricSource;
  readonly resource?: ResourceMetricSource;
  readonly containerResource?: ContainerResourceMetricSource;
  readonly external?: ExternalMetricSource;
}

export interface MetricStatus {
  readonly type?: string;
  readonly object?: ObjectMetricStatus;
  readonly pods?: PodsMetricStatus;
  readonly resource?: ResourceMetricStatus;
  readonly containerResource?: ContainerResourceMetricStatus;
  readonly external?: ExternalMetricStatus;
}

export interface MetricTarget {
  readonly type?: string;
  readonly value?: string | number;
  readonly averageValue?: string | number;
  readonly averageUtilization?: number;
}

export interface MetricValueStatus {
  readonly value?: string | number;
  readonly averageValue?: string | number;
  readonly averageUtilization?: number;
}

export interface ObjectMetricSource {
  readonly describedObject?: CrossVersionObjectReference;
  readonly target?: MetricTarget;
  readonly metric?: MetricIdentifier;
}

export interface ObjectMetricStatus {
  readonly metric?: MetricIdentifier;
  readonly current?: MetricValueStatus;
  readonly describedObject?: CrossVersionObjectReference;
}

export interface PodsMetricSource {
  readonly metric?: MetricIdentifier;
  readonly target?: MetricTarget;
}

export interface PodsMetricStatus {
  readonly metric?: MetricIdentifier;
  readonly current?: MetricValueStatus;
}

export interface ResourceMetricSource {
  readonly name?: string;
  readonly target?: MetricTarget;
}

export interface ResourceMetricStatus {
  readonly name?: string;
  readonly current?: MetricValueStatus;
}
