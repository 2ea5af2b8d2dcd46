/**
 * Counts the Pods of a Job that have ended, each exactly once however often this process dies in
 * between (KEP-2307):
 *
 * 1. a Pod that has ended, and still has the tracking finalizer, is noted by uid in the status;
 * 2. once that is written, its finalizer goes;
 * 3. once the finalizer is gone, the next status counts it and forgets the uid.
 *
 * I1. A uid is noted or its Pod has the finalizer until it was counted: nothing is lost.
 * I2. A Pod without the finalizer is never noted: nothing counts twice.
 */
import { formatIndexes, parseIndexes } from './index-set.ts';
import { indexAnnotation, type Job, type JobStatus, trackingFinalizer } from './job.ts';
import { isTerminating, type Pod } from './pod.ts';
import { isIgnored } from './pod-failure.ts';

export interface Counting {
  /** The numbers to write. */
  readonly counts: Required<
    Pick<JobStatus, 'succeeded' | 'failed' | 'uncountedTerminatedPods' | 'completedIndexes'>
  >;
  /** Pods whose finalizer may go as soon as the numbers are written. */
  readonly release: readonly Pod[];
}

/** The next numbers of a Job. */
export function planCounting(job: Job, pods: readonly Pod[]): Counting {
  const { status = {}, spec } = job;
  const noted = status.uncountedTerminatedPods ?? {};
  const tracked = new Map(pods.filter(isTracked).map((pod) => [pod.metadata.uid ?? '', pod]));
  const isIndexed = spec.completionMode === 'Indexed';
  const indexes = new Set(parseIndexes(status.completedIndexes ?? ''));
  const succeeded = new Set((noted.succeeded ?? []).filter((uid) => tracked.has(uid)));
  const failed = new Set((noted.failed ?? []).filter((uid) => tracked.has(uid)));
  const counted = {
    succeeded: (status.succeeded ?? 0) + ((noted.succeeded ?? []).length - succeeded.size),
    failed: (status.failed ?? 0) + ((noted.failed ?? []).length - failed.size),
  };
  const release: Pod[] = [];
  for (const [uid, pod] of tracked) {
    const outcome = podOutcome(pod);
    if (outcome === undefined) continue;
    release.push(pod);
    if (outcome === 'succeeded' && isIndexed) addIndex(indexes, pod, spec.completions ?? 0);
    else if (outcome === 'succeeded') succeeded.add(uid);
    else if (!isIgnored(job, pod)) failed.add(uid);
  }
  return {
    counts: {
      // An index counts once, however many Pods worked on it.
      succeeded: isIndexed ? indexes.size : counted.succeeded,
      failed: counted.failed,
      uncountedTerminatedPods: { succeeded: [...succeeded], failed: [...failed] },
      completedIndexes: isIndexed ? formatIndexes(indexes) : '',
    },
    release,
  };
}

/** All that have failed, whether or not their number is written. */
export function failedCount({ counts }: Counting): number {
  return counts.failed + (counts.uncountedTerminatedPods.failed?.length ?? 0);
}

/** All that have succeeded, whether or not their number is written. */
export function succeededCount({ counts }: Counting): number {
  return counts.succeeded + (counts.uncountedTerminatedPods.succeeded?.length ?? 0);
}

/** How a Pod ended for its Job; one that is deleted before its end has failed. */
export function podOutcome(pod: Pod): 'succeeded' | 'failed' | undefined {
  const phase = pod.status?.phase;
  if (phase === 'Succeeded') return 'succeeded';
  return phase === 'Failed' || isTerminating(pod) ? 'failed' : undefined;
}

/** The completion that a Pod of an Indexed Job works on. */
export function completionIndex({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[indexAnnotation];
  return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
}

function addIndex(indexes: Set<number>, pod: Pod, completions: number): void {
  const index = completionIndex(pod);
  if (index !== undefined && index < completions) indexes.add(index);
}

function isTracked({ metadata }: Pod): boolean {
  return (metadata.finalizers ?? []).includes(trackingFinalizer);
}
