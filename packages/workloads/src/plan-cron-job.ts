import { type KubeObject, toKubeTime } from '@fnlet/machinery';
import type { CronSchedule } from '@fnlet/machinery/cron';
import { type CronJob, scheduledAnnotation } from './cron-job.ts';
import { type Job, jobOutcome } from './job.ts';
import { controllerReference } from './owner.ts';

export interface CronSituation {
  readonly cronJob: CronJob;
  readonly schedule: CronSchedule;
  /** The Jobs that it controls. */
  readonly jobs: readonly Job[];
  readonly nowMs: number;
}

/** What is to be said about a due time that brought no Job, or too many at once. */
export interface CronNotice {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export interface CronPlan {
  readonly start: Job | undefined;
  /** Jobs that go: to make room for the new one, or because the history has none. */
  readonly remove: readonly Job[];
  readonly status: NonNullable<CronJob['status']>;
  readonly notices: readonly CronNotice[];
  /** When it is due next. */
  readonly lookAtMs: number | undefined;
}

/**
 * Decides what a CronJob does now (cronjob/cronjob_controllerv2.go). After a sleep only the latest
 * due time counts, and a due time brings one Job at most: the Job's name is made of it.
 */
export function planCronJob(situation: CronSituation): CronPlan {
  const { cronJob, schedule, jobs, nowMs } = situation;
  const { spec, status } = cronJob;
  const active = jobs.filter((job) => jobOutcome(job) === undefined);
  const isOff = spec.suspend === true || cronJob.metadata.deletionTimestamp !== undefined;
  const dueMs = isOff ? undefined : latestDue(situation);
  const isBlocked = spec.concurrencyPolicy === 'Forbid' && active.length > 0;
  const isStarting = dueMs !== undefined && !isBlocked;
  const start = isStarting ? newJob(cronJob, dueMs) : undefined;
  const isKnown = jobs.some(({ metadata }) => metadata.name === start?.metadata.name);
  const replaced = isStarting && spec.concurrencyPolicy === 'Replace' && !isKnown ? active : [];
  const remaining = active.filter((job) => !replaced.includes(job));
  const lastSuccess = jobs.flatMap((job) =>
    jobOutcome(job) === 'Complete' ? (job.status?.completionTime ?? []) : [],
  );
  const lastSuccessfulTime = [status?.lastSuccessfulTime ?? '', ...lastSuccess].sort().at(-1);
  return {
    start: isKnown ? undefined : start,
    remove: [...replaced, ...planHistory(cronJob, jobs)],
    status: {
      active: remaining.map(reference),
      ...(isStarting ? { lastScheduleTime: toKubeTime(dueMs) } : {}),
      ...(lastSuccessfulTime === '' || lastSuccessfulTime === undefined
        ? {}
        : { lastSuccessfulTime }),
    },
    notices: dueMs !== undefined && isBlocked ? [blockedNotice(active)] : [],
    lookAtMs: isOff ? undefined : schedule.next(nowMs),
  };
}

/** The latest due time that brought nothing yet; `undefined`: there is none, or it is too late. */
function latestDue({ cronJob, schedule, nowMs }: CronSituation): number | undefined {
  const { spec, status, metadata } = cronJob;
  const lastMs = Date.parse(status?.lastScheduleTime ?? metadata.creationTimestamp ?? '');
  const { startingDeadlineSeconds: deadline } = spec;
  const sinceMs = Math.max(
    Number.isNaN(lastMs) ? nowMs : lastMs,
    deadline === undefined ? 0 : nowMs - deadline * 1000,
  );
  // Looks back further and further: after months of sleep nobody counts the minutes.
  for (let windowMs = 3_600_000; ; windowMs *= 2) {
    const fromMs = Math.max(sinceMs, nowMs - windowMs);
    let latestMs: number | undefined;
    for (let dueMs = schedule.next(fromMs); dueMs !== undefined && dueMs <= nowMs; ) {
      latestMs = dueMs;
      dueMs = schedule.next(dueMs);
    }
    if (latestMs !== undefined || fromMs === sinceMs) return latestMs;
  }
}

function blockedNotice(active: readonly Job[]): CronNotice {
  const [job] = active;
  const message = `Not starting job because prior execution is running and concurrency policy is Forbid (${job?.metadata.name})`;
  return { type: 'Normal', reason: 'JobAlreadyActive', message };
}

/** The Job of a due time. */
function newJob(cronJob: CronJob, dueMs: number): Job {
  const { metadata, spec } = cronJob;
  const { jobTemplate } = spec;
  const { namespace } = metadata;
  const minutes = Math.floor(dueMs / 60_000);
  // Several in one minute are only possible with @every.
  const seconds = dueMs % 60_000 === 0 ? '' : `-${(dueMs / 1000) % 60}`;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `${metadata.name}-${minutes}${seconds}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...jobTemplate.metadata?.labels },
      annotations: {
        ...jobTemplate.metadata?.annotations,
        [scheduledAnnotation]: toKubeTime(dueMs),
      },
      ownerReferences: [controllerReference(cronJob)],
    },
    spec: jobTemplate.spec,
  };
}

function planHistory({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = spec;
  const spare = (outcome: 'Complete' | 'Failed', limit: number): readonly Job[] => {
    const ended = jobs
      .filter((job) => jobOutcome(job) === outcome && job.metadata.deletionTimestamp === undefined)
      .toSorted((a, b) => (startOf(a) < startOf(b) ? -1 : 1));
    return ended.slice(0, Math.max(0, ended.length - limit));
  };
  return [
    ...spare('Complete', successfulJobsHistoryLimit),
    ...spare('Failed', failedJobsHistoryLimit),
  ];
}

function startOf({ status, metadata }: Job): string {
  return status?.startTime ?? metadata.creationTimestamp ?? '';
}

function reference({ apiVersion, kind, metadata }: KubeObject): object {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, name, namespace, uid, resourceVersion };
}
