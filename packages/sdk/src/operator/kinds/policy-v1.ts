// Written by tooling/builtin-types.ts from the facts of Kubernetes 1.36.

import type { ObjectMeta } from '../object.ts';
import type * as metaV1 from './meta-v1.ts';

export interface PodDisruptionBudget {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec?: PodDisruptionBudgetSpec;
  readonly status?: PodDisruptionBudgetStatus;
}

export interface PodDisruptionBudgetSpec {
  readonly minAvailable?: string | number;
  readonly selector?: metaV1.LabelSelector;
  readonly maxUnavailable?: string | number;
  readonly unhealthyPodEvictionPolicy?: 'AlwaysAllow' | 'IfHealthyBudget';
}

export interface PodDisruptionBudgetStatus {
  readonly observedGeneration?: number;
  readonly disruptedPods?: Readonly<Record<string, string>>;
  readonly disruptionsAllowed?: number;
  readonly currentHealthy?: number;
  readonly desiredHealthy?: number;
  readonly expectedPods?: number;
  readonly conditions?: readonly metaV1.Condition[];
}
