import { errorMessage, hasCode } from '@fnlet/base';
import type { Cache } from '@fnlet/client';
import { formatObjectKey, objectKey } from '@fnlet/machinery';
import {
  type CronSchedule,
  isTimeZone,
  openCronSchedule,
  parseCronRule,
} from '@fnlet/machinery/cron';
import {
  type Controller,
  createController,
  fromCache,
  type Result,
  toController,
} from '@fnlet/reconcile';
import { type ControllerContext, requeueAt } from './controller-context.ts';
import { type CronJob, cronJobType } from './cron-job.ts';
import { type Job, jobOutcome, jobType } from './job.ts';
import { limits } from './limits.ts';
import { controllerUid } from './owner.ts';
import { planCronJob } from './plan-cron-job.ts';
import { writeStatus } from './write-status.ts';

interface CronCaches {
  readonly cronJobs: Cache<CronJob>;
  readonly jobs: Cache<Job>;
}

/** Starts Jobs when they are due. */
export function createCronJobController(
  context: ControllerContext,
  caches: CronCaches,
): Controller {
  const { cronJobs, jobs } = caches;
  const { clock, logger } = context;
  return createController({
    name: 'cronjobs',
    sources: [fromCache(cronJobs), fromCache(jobs, { map: toController(cronJobType) })],
    reconcile: async (key, { signal }) => {
      const cronJob = cronJobs.get(key);
      return cronJob === undefined ? undefined : reconcile(context, { ...caches, cronJob }, signal);
    },
    concurrency: limits.workers,
    ...{ clock, logger },
  });
}

async function reconcile(
  context: ControllerContext,
  { cronJobs, jobs, cronJob }: CronCaches & { readonly cronJob: CronJob },
  signal: AbortSignal,
): Promise<Result | undefined> {
  const { client, clock, events } = context;
  const schedule = readSchedule(context, cronJob);
  if (schedule === undefined) return undefined;
  const owned = jobs
    .list(cronJob.metadata.namespace)
    .filter((job) => controllerUid(job) === cronJob.metadata.uid);
  const plan = planCronJob({ cronJob, schedule, jobs: owned, nowMs: clock.now() });
  for (const notice of plan.notices) events.record(cronJob, notice);
  for (const job of plan.remove) await remove(context, { cronJob, job }, signal);
  if (plan.start !== undefined) await start(context, { cronJob, jobs, job: plan.start }, signal);
  const target = { client: client.of<CronJob>(cronJobType), cache: cronJobs, object: cronJob };
  await writeStatus(target, plan.status, signal);
  return requeueAt(context, plan.lookAtMs);
}

/** The API refuses what cannot be read; what it took in earlier lives is not started. */
function readSchedule({ events }: ControllerContext, cronJob: CronJob): CronSchedule | undefined {
  const { schedule, timeZone } = cronJob.spec;
  const say = (reason: string, message: string): undefined => {
    events.record(cronJob, { type: 'Warning', reason, message });
  };
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    return say('UnknownTimeZone', `invalid timeZone: ${JSON.stringify(timeZone)}`);
  }
  const parsed = parseCronRule(schedule);
  if (parsed.kind === 'valid') return openCronSchedule(parsed.rule, timeZone);
  const quoted = JSON.stringify(schedule);
  return say('UnparseableSchedule', `unparseable schedule: ${quoted} : ${parsed.problem}`);
}

async function start(
  { client, events }: ControllerContext,
  parts: { readonly cronJob: CronJob; readonly jobs: Cache<Job>; readonly job: Job },
  signal: AbortSignal,
): Promise<void> {
  const { cronJob, jobs, job } = parts;
  try {
    const created = await client.of<Job>(jobType).create(job, { signal });
    jobs.observe(created);
    const message = `Created job ${created.metadata.name}`;
    events.record(cronJob, { type: 'Normal', reason: 'SuccessfulCreate', message });
  } catch (error) {
    // It was started for this due time, before the status could say so.
    if (hasCode(error, 'AlreadyExists')) return;
    const message = `Error creating job ${formatObjectKey(objectKey(job))}: ${errorMessage(error)}`;
    if (!signal.aborted)
      events.record(cronJob, { type: 'Warning', reason: 'FailedCreate', message });
    throw error;
  }
}

async function remove(
  { client, events }: ControllerContext,
  { cronJob, job }: { readonly cronJob: CronJob; readonly job: Job },
  signal: AbortSignal,
): Promise<void> {
  const { uid, name } = job.metadata;
  try {
    const options = { preconditions: { uid }, propagation: 'Background' as const, signal };
    await client.of<Job>(jobType).delete(objectKey(job), options);
    const word = jobOutcome(job) === undefined ? 'active job' : 'job';
    const message = `Deleted ${word} ${name}`;
    events.record(cronJob, { type: 'Normal', reason: 'SuccessfulDelete', message });
  } catch (error) {
    if (!hasCode(error, 'NotFound') && !hasCode(error, 'Conflict')) throw error;
  }
}
