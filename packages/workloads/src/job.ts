import type { Condition, KubeObject, LabelSelectorSpec, ResourceType } from '@fnlet/machinery';
import type { PodTemplate } from './pod.ts';

/** One rule about Pods that fail (KEP-3329). */
export interface PodFailureRule {
  readonly action: 'FailJob' | 'Ignore' | 'Count' | 'FailIndex';
  readonly onExitCodes?: {
    readonly containerName?: string;
    readonly operator: 'In' | 'NotIn';
    readonly values: readonly number[];
  };
  readonly onPodConditions?: readonly { readonly type: string; readonly status?: string }[];
}

/** batch/v1 JobSpec. */
export interface JobSpec {
  readonly parallelism?: number;
  readonly completions?: number;
  readonly completionMode?: 'NonIndexed' | 'Indexed';
  readonly backoffLimit?: number;
  readonly activeDeadlineSeconds?: number;
  readonly ttlSecondsAfterFinished?: number;
  readonly suspend?: boolean;
  readonly podFailurePolicy?: { readonly rules?: readonly PodFailureRule[] };
  readonly selector?: LabelSelectorSpec;
  readonly template: PodTemplate;
}

/** Pods that have ended and are not counted yet, by uid. */
export interface UncountedPods {
  readonly succeeded?: readonly string[];
  readonly failed?: readonly string[];
}

export interface JobStatus {
  readonly conditions?: readonly Condition[];
  readonly startTime?: string | null;
  readonly completionTime?: string;
  readonly active?: number;
  readonly ready?: number;
  readonly terminating?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly completedIndexes?: string;
  readonly uncountedTerminatedPods?: UncountedPods;
}

/** batch/v1 Job. */
export interface Job extends KubeObject {
  readonly spec: JobSpec;
  readonly status?: JobStatus;
}

export const jobType: ResourceType = {
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
  namespaced: true,
};

/** Keeps a Pod that has ended until its Job has counted it (KEP-2307). */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';

/** Which of the completions of an Indexed Job a Pod works on. */
export const indexAnnotation = 'batch.kubernetes.io/job-completion-index';

/** How a Job ended; `undefined` while it has not. */
export function jobOutcome({ status }: Job): 'Complete' | 'Failed' | undefined {
  const ended = (status?.conditions ?? []).find(
    ({ type, status: truth }) => (type === 'Complete' || type === 'Failed') && truth === 'True',
  );
  return ended?.type === 'Complete' ? 'Complete' : ended === undefined ? undefined : 'Failed';
}
