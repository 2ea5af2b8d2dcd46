import { backoffDelayMs } from '@fnlet/base';
import { type ConditionUpdate, findCondition, mergeConditions, toKubeTime } from '@fnlet/machinery';
import { parseIndexes } from './index-set.ts';
import { type Job, type JobStatus, jobOutcome } from './job.ts';
import {
  type Counting,
  completionIndex,
  failedCount,
  planCounting,
  podOutcome,
  succeededCount,
} from './job-counting.ts';
import { limits } from './limits.ts';
import { isFinished, isPodReady, isTerminating, type Pod } from './pod.ts';
import { fatalFailure } from './pod-failure.ts';

export interface JobSituation {
  readonly job: Job;
  /** The Pods that it controls. */
  readonly pods: readonly Pod[];
  readonly nowMs: number;
}

export interface JobPlan {
  /** Pods to make: the completion index of each, `undefined` where there are none. */
  readonly create: readonly (number | undefined)[];
  readonly remove: readonly Pod[];
  /** Pods to let go, as soon as the status is written. */
  readonly release: readonly Pod[];
  readonly status: JobStatus;
  /** The whole Job is to be deleted. */
  readonly isExpired: boolean;
  readonly lookAtMs: number | undefined;
}

interface Ending {
  readonly type: 'Complete' | 'Failed';
  readonly reason: string;
  readonly message: string;
}

/** Decides the next step of a Job (job/job_controller.go). */
export function planJob(situation: JobSituation): JobPlan {
  const { job, pods, nowMs } = situation;
  const counting = planCounting(job, pods);
  if (jobOutcome(job) !== undefined) return planFinished(situation, counting);
  const active = pods.filter((pod) => !isFinished(pod) && !isTerminating(pod));
  const going = pods.filter((pod) => !isFinished(pod) && isTerminating(pod));
  const { suspend = false } = job.spec;
  const startMs = startOf(job, nowMs);
  const ending = planEnding(situation, { counting, active, startMs });
  const isStopping = ending !== undefined || suspend || isTerminating(job);
  const retryAtMs = nextTryMs(situation, counting);
  const isWaiting = retryAtMs > nowMs;
  const wanted = isStopping ? { create: [], remove: active } : planPods(job, counting, active);
  const create = isWaiting ? [] : wanted.create;
  const isOver = ending !== undefined && active.length === 0 && going.length === 0;
  const updates = planConditions(job, { ending, isOver, suspend });
  const now = toKubeTime(nowMs);
  const deadline = job.spec.activeDeadlineSeconds;
  const times = [
    ...(isWaiting && wanted.create.length > 0 ? [retryAtMs] : []),
    ...(deadline === undefined || suspend ? [] : [startMs + deadline * 1000]),
  ];
  return {
    create,
    remove: wanted.remove,
    release: counting.release,
    isExpired: false,
    lookAtMs: times.length === 0 || isStopping ? undefined : Math.min(...times),
    status: {
      ...counting.counts,
      active: active.length - wanted.remove.length + create.length,
      ready: active.filter(isPodReady).length,
      terminating: going.length + wanted.remove.length,
      // Its deadline counts anew when it is resumed.
      startTime: suspend ? null : (job.status?.startTime ?? now),
      ...(isOver && ending?.type === 'Complete' ? { completionTime: now } : {}),
      conditions: mergeConditions(job.status?.conditions ?? [], updates, now),
    },
  };
}

/** What is left to do for a Job that has ended: to count the last Pods, and to go in time. */
function planFinished({ job, pods, nowMs }: JobSituation, counting: Counting): JobPlan {
  const { ttlSecondsAfterFinished } = job.spec;
  const ended = (job.status?.conditions ?? []).find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
  const endedMs = Date.parse(ended?.lastTransitionTime ?? '') || nowMs;
  const expiryMs =
    ttlSecondsAfterFinished === undefined ? undefined : endedMs + ttlSecondsAfterFinished * 1000;
  return {
    create: [],
    remove: pods.filter((pod) => !isFinished(pod) && !isTerminating(pod)),
    release: counting.release,
    status: { ...counting.counts, active: 0, ready: 0, terminating: 0 },
    isExpired: expiryMs !== undefined && expiryMs <= nowMs && !isTerminating(job),
    lookAtMs: expiryMs,
  };
}

function startOf({ status, metadata }: Job, nowMs: number): number {
  return Date.parse(status?.startTime ?? metadata.creationTimestamp ?? '') || nowMs;
}

function planEnding(
  { job, pods, nowMs }: JobSituation,
  parts: { readonly counting: Counting; readonly active: readonly Pod[]; readonly startMs: number },
): Ending | undefined {
  const { counting, active, startMs } = parts;
  // What was said to be failing stays failing, whatever comes after.
  const target = findCondition(job.status?.conditions, 'FailureTarget');
  if (target?.status === 'True') {
    return { type: 'Failed', reason: target.reason ?? '', message: target.message ?? '' };
  }
  const { backoffLimit = 6, activeDeadlineSeconds, completions } = job.spec;
  const fatal = fatalFailure(job, pods);
  if (fatal !== undefined) return { type: 'Failed', reason: 'PodFailurePolicy', message: fatal };
  const restarts = job.spec.template.spec.restartPolicy === 'OnFailure' ? restartsOf(active) : 0;
  if (failedCount(counting) > backoffLimit || (restarts > 0 && restarts >= backoffLimit)) {
    const message = 'Job has reached the specified backoff limit';
    return { type: 'Failed', reason: 'BackoffLimitExceeded', message };
  }
  const isLate =
    activeDeadlineSeconds !== undefined &&
    job.spec.suspend !== true &&
    nowMs - startMs >= activeDeadlineSeconds * 1000;
  if (isLate) {
    const message = 'Job was active longer than specified deadline';
    return { type: 'Failed', reason: 'DeadlineExceeded', message };
  }
  const succeeded = succeededCount(counting);
  const isComplete =
    completions === undefined ? succeeded > 0 && active.length === 0 : succeeded >= completions;
  if (!isComplete) return undefined;
  const message = 'Reached expected number of succeeded pods';
  return { type: 'Complete', reason: 'CompletionsReached', message };
}

function restartsOf(pods: readonly Pod[]): number {
  return pods
    .flatMap(({ status }) => [
      ...(status?.initContainerStatuses ?? []),
      ...(status?.containerStatuses ?? []),
    ])
    .reduce((total, { restartCount }) => total + restartCount, 0);
}

/** Which Pods there should be, in a Job that goes on. */
function planPods(
  job: Job,
  counting: Counting,
  active: readonly Pod[],
): { readonly create: readonly (number | undefined)[]; readonly remove: readonly Pod[] } {
  const { parallelism = 1, completions, completionMode } = job.spec;
  if (completionMode === 'Indexed') return planIndexedPods(job, counting, active);
  const succeeded = succeededCount(counting);
  const wanted =
    completions === undefined
      ? // Once one has succeeded, the others only finish.
        succeeded > 0
        ? Math.min(active.length, parallelism)
        : parallelism
      : Math.min(parallelism, Math.max(0, completions - succeeded));
  const missing = Math.min(limits.podBurstMax, Math.max(0, wanted - active.length));
  const spare = Math.max(0, active.length - wanted);
  return {
    create: Array.from({ length: missing }, () => undefined),
    // The youngest has done least.
    remove: spare === 0 ? [] : active.toSorted(byAge).slice(-spare),
  };
}

function planIndexedPods(
  { spec }: Job,
  { counts }: Counting,
  active: readonly Pod[],
): { readonly create: readonly number[]; readonly remove: readonly Pod[] } {
  const { parallelism = 1, completions = 1 } = spec;
  const done = parseIndexes(counts.completedIndexes);
  const remove: Pod[] = [];
  const working = new Set<number>();
  for (const pod of active.toSorted(byAge)) {
    const index = completionIndex(pod);
    const isWanted =
      index !== undefined && index < completions && !done.has(index) && !working.has(index);
    if (isWanted && working.size < parallelism) working.add(index);
    else remove.push(pod);
  }
  const create: number[] = [];
  const room = Math.min(parallelism - working.size, limits.podBurstMax);
  for (let index = 0; index < completions && create.length < room; index++) {
    if (!done.has(index) && !working.has(index)) create.push(index);
  }
  return { create, remove };
}

/** When the next Pod may be made: failures in a row are waited out, longer each time. */
function nextTryMs({ job, pods }: JobSituation, counting: Counting): number {
  const ended = pods.flatMap((pod) => {
    const outcome = podOutcome(pod);
    return outcome === undefined ? [] : [{ outcome, atMs: endedAtMs(pod) }];
  });
  const lastSuccessMs = Math.max(
    0,
    ...ended.filter(({ outcome }) => outcome === 'succeeded').map(({ atMs }) => atMs),
  );
  const since = ended.filter(({ outcome, atMs }) => outcome === 'failed' && atMs > lastSuccessMs);
  const failures = Math.min(since.length, failedCount(counting));
  if (failures === 0 || job.spec.suspend === true) return 0;
  const { jobBackoffBaseMs: baseMs, jobBackoffCapMs: capMs } = limits;
  return Math.max(...since.map(({ atMs }) => atMs)) + backoffDelayMs(failures, { baseMs, capMs });
}

function endedAtMs({ status, metadata }: Pod): number {
  const times = (status?.containerStatuses ?? []).map(({ state }) =>
    Date.parse(state?.terminated?.finishedAt ?? ''),
  );
  const known = times.filter((time) => !Number.isNaN(time));
  if (known.length > 0) return Math.max(...known);
  return Date.parse(metadata.deletionTimestamp ?? metadata.creationTimestamp ?? '') || 0;
}

function planConditions(
  job: Job,
  { ending, isOver, suspend }: { ending: Ending | undefined; isOver: boolean; suspend: boolean },
): readonly ConditionUpdate[] {
  const wasSuspended = findCondition(job.status?.conditions, 'Suspended')?.status === 'True';
  const updates: ConditionUpdate[] = [];
  if (ending !== undefined) {
    const { type, reason, message } = ending;
    // First that it will end, then, when nothing runs any more, that it has (KEP-3939).
    const intent = type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
    updates.push({ type: intent, status: 'True', reason, message });
    if (isOver) updates.push({ type, status: 'True', reason, message });
  } else if (suspend && !wasSuspended) {
    const message = 'Job suspended';
    updates.push({ type: 'Suspended', status: 'True', reason: 'JobSuspended', message });
  } else if (!suspend && wasSuspended) {
    const message = 'Job resumed';
    updates.push({ type: 'Suspended', status: 'False', reason: 'JobResumed', message });
  }
  return updates;
}

function byAge(a: Pod, b: Pod): number {
  const [left = '', right = ''] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  return left < right ? -1 : left > right ? 1 : a.metadata.name < b.metadata.name ? -1 : 1;
}
