import type { KubeObject, ResourceType } from '@fnlet/machinery';
import type { JobSpec } from './job.ts';

/** batch/v1 CronJob. */
export interface CronJob extends KubeObject {
  readonly spec: {
    readonly schedule: string;
    readonly timeZone?: string;
    readonly startingDeadlineSeconds?: number;
    readonly concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace';
    readonly suspend?: boolean;
    readonly jobTemplate: {
      readonly metadata?: {
        readonly labels?: Readonly<Record<string, string>>;
        readonly annotations?: Readonly<Record<string, string>>;
      };
      readonly spec: JobSpec;
    };
    readonly successfulJobsHistoryLimit?: number;
    readonly failedJobsHistoryLimit?: number;
  };
  readonly status?: {
    readonly active?: readonly object[];
    readonly lastScheduleTime?: string;
    readonly lastSuccessfulTime?: string;
  };
}

export const cronJobType: ResourceType = {
  group: 'batch',
  version: 'v1',
  kind: 'CronJob',
  plural: 'cronjobs',
  namespaced: true,
};

/** The due time that a Job was started for. */
export const scheduledAnnotation = 'batch.kubernetes.io/cronjob-scheduled-timestamp';
