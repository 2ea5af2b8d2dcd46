import { hasCode } from '@fnlet/base';
import type { Cache, ResourceClient } from '@fnlet/client';
import { objectKey } from '@fnlet/machinery';
import {
  type Controller,
  createController,
  fromCache,
  type Result,
  toController,
} from '@fnlet/reconcile';
import { type ControllerContext, requeueAt } from './controller-context.ts';
import { failureOf } from './failure-of.ts';
import { indexAnnotation, type Job, jobOutcome, jobType, trackingFinalizer } from './job.ts';
import { limits } from './limits.ts';
import { controllerUid } from './owner.ts';
import { type JobPlan, planJob } from './plan-job.ts';
import { type Pod, type PodTemplate, podType } from './pod.ts';
import { writeStatus } from './write-status.ts';

/** Runs Jobs to their end. */
export function createJobController(context: ControllerContext, jobs: Cache<Job>): Controller {
  const { pods, clock, logger } = context;
  const run = new JobRun(context, jobs);
  return createController({
    name: 'jobs',
    sources: [fromCache(jobs), fromCache(pods, { map: toController(jobType) })],
    reconcile: async (key, { signal }) => {
      const job = jobs.get(key);
      return job === undefined ? run.releaseOrphans(key, signal) : run.reconcile(job, signal);
    },
    concurrency: limits.workers,
    ...{ clock, logger },
  });
}

class JobRun {
  readonly #context: ControllerContext;
  readonly #jobs: Cache<Job>;
  readonly #client: ResourceClient<Job>;

  constructor(context: ControllerContext, jobs: Cache<Job>) {
    this.#context = context;
    this.#jobs = jobs;
    this.#client = context.client.of<Job>(jobType);
  }

  async reconcile(job: Job, signal: AbortSignal): Promise<Result | undefined> {
    const { clock, podControl, pods: cache } = this.#context;
    const pods = cache
      .list(job.metadata.namespace)
      .filter((pod) => controllerUid(pod) === job.metadata.uid);
    const plan = planJob({ job, pods, nowMs: clock.now() });
    if (plan.isExpired) {
      await this.#expire(job, signal);
      return undefined;
    }
    for (const pod of plan.remove) {
      if (!podControl.isDeleted(pod)) await podControl.delete(job, pod, signal);
    }
    let made = 0;
    const failure = await failureOf(signal, async () => {
      for (const index of plan.create) {
        await this.#create(job, index, signal);
        made++;
      }
    });
    const target = { client: this.#client, cache: this.#jobs, object: job };
    const active = (plan.status.active ?? 0) - (plan.create.length - made);
    const written = await writeStatus(target, { ...plan.status, active }, signal);
    this.#say(job, written);
    // Only what is written as noted may be let go.
    for (const pod of plan.release) await this.#release(pod, signal);
    if (failure !== undefined) throw failure;
    return requeueAt(this.#context, this.#nextLook(plan));
  }

  /** Pods of a Job that is gone have nobody left to count them. */
  async releaseOrphans(
    key: { readonly namespace: string; readonly name: string },
    signal: AbortSignal,
  ): Promise<undefined> {
    for (const pod of this.#context.pods.list(key.namespace)) {
      const [owner] = toController(jobType)(pod);
      if (owner?.name === key.name) await this.#release(pod, signal);
    }
  }

  #nextLook({ release, lookAtMs }: JobPlan): number | undefined {
    return release.length > 0 ? this.#context.clock.now() : lookAtMs;
  }

  async #create(job: Job, index: number | undefined, signal: AbortSignal): Promise<void> {
    const { name, uid = '' } = job.metadata;
    const labels = {
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': name,
      'controller-uid': uid,
      'job-name': name,
    };
    const base = { finalizers: [trackingFinalizer], signal };
    if (index === undefined) {
      await this.#context.podControl.create(job, job.spec.template, { ...base, labels });
      return;
    }
    const marks = { [indexAnnotation]: String(index) };
    await this.#context.podControl.create(job, indexedTemplate(job, index), {
      ...base,
      prefix: `${name}-${index}`,
      labels: { ...labels, ...marks },
      annotations: marks,
    });
  }

  async #release(pod: Pod, signal: AbortSignal): Promise<void> {
    const { finalizers = [], uid, resourceVersion } = pod.metadata;
    if (!finalizers.includes(trackingFinalizer)) return;
    const kept = finalizers.filter((finalizer) => finalizer !== trackingFinalizer);
    const metadata = { uid, resourceVersion, finalizers: kept.length === 0 ? null : kept };
    const pods = this.#context.client.of<Pod>(podType);
    try {
      const patch = { type: 'merge', patch: { metadata } } as const;
      const released = await pods.patch(objectKey(pod), patch, { signal });
      if (released.metadata.deletionTimestamp === undefined) this.#context.pods.observe(released);
    } catch (error) {
      // Gone already; or changed since, and then it is looked at again.
      if (!hasCode(error, 'NotFound')) throw error;
    }
  }

  async #expire(job: Job, signal: AbortSignal): Promise<void> {
    const { uid } = job.metadata;
    const options = { preconditions: { uid }, propagation: 'Background' as const, signal };
    try {
      await this.#client.delete(objectKey(job), options);
    } catch (error) {
      if (!hasCode(error, 'NotFound') && !hasCode(error, 'Conflict')) throw error;
    }
  }

  #say(before: Job, after: Job): void {
    const outcome = jobOutcome(after);
    if (outcome === undefined || jobOutcome(before) !== undefined) return;
    const condition = (after.status?.conditions ?? []).find(({ type }) => type === outcome);
    const { events } = this.#context;
    if (outcome === 'Complete') {
      events.record(after, { type: 'Normal', reason: 'Completed', message: 'Job completed' });
    } else {
      const { reason = 'Failed', message = '' } = condition ?? {};
      events.record(after, { type: 'Warning', reason, message });
    }
  }
}

function indexedTemplate({ metadata, spec }: Job, index: number): PodTemplate {
  const variable = { name: 'JOB_COMPLETION_INDEX', value: String(index) };
  const told = <T extends { readonly env?: readonly object[] }>(containers: readonly T[]): T[] =>
    containers.map((container) => ({ ...container, env: [...(container.env ?? []), variable] }));
  const { template } = spec;
  const { initContainers } = template.spec;
  return {
    ...template,
    spec: {
      ...template.spec,
      hostname: `${metadata.name}-${index}`,
      containers: told(template.spec.containers),
      ...(initContainers === undefined ? {} : { initContainers: told(initContainers) }),
    },
  };
}
