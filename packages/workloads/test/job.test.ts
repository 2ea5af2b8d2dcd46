import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCondition } from '@fnlet/machinery';
import { type CronJob, cronJobType } from '../src/cron-job.ts';
import { type Job, type JobSpec, jobOutcome, jobType } from '../src/job.ts';
import { type Pod, podType } from '../src/pod.ts';
import { Cluster, namespace } from './cluster.ts';

function jobSpec(change: Partial<JobSpec> = {}): JobSpec {
  return {
    parallelism: 1,
    completions: 1,
    template: {
      spec: {
        restartPolicy: 'Never',
        containers: [{ name: 'main', image: 'node', command: ['work'] }],
      },
    },
    ...change,
  };
}

function job(change: Partial<JobSpec> = {}): Job {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'work', namespace },
    spec: jobSpec(change),
  };
}

function ended(cluster: Cluster, outcome: string, patienceMs = 60_000): Promise<Job> {
  return cluster.until(async () => {
    const found = await cluster.get<Job>(jobType, 'work');
    return found !== undefined && jobOutcome(found) === outcome ? found : undefined;
  }, patienceMs);
}

const succeed = () => ({ exitCode: 0, signal: 0 });
const fail = () => ({ exitCode: 1, signal: 0 });

test('a Job runs to its end and counts its Pods', async () => {
  await using cluster = await new Cluster({ onStart: succeed }).start();
  await cluster.create(jobType, job({ completions: 5, parallelism: 2 }));
  const { status } = await ended(cluster, 'Complete');
  assert.equal(status?.succeeded, 5);
  assert.equal(cluster.containers.starts.length, 5);
  const pods = await cluster.list<Pod>(podType);
  await cluster.until(async () => {
    const left = await cluster.list<Pod>(podType);
    return left.every(({ metadata }) => (metadata.finalizers ?? []).length === 0);
  });
  assert.equal(pods.length, 5);
  assert.ok((await cluster.reasons('work')).includes('Completed'));
});

test('a Job that fails is tried again after a while, and given up', async () => {
  await using cluster = await new Cluster({ onStart: fail }).start();
  await cluster.create(jobType, job({ backoffLimit: 2 }));
  const found = await ended(cluster, 'Failed', 120_000);
  assert.equal(found.status?.failed, 3);
  assert.equal(findCondition(found.status?.conditions, 'Failed')?.reason, 'BackoffLimitExceeded');
});

test('with restartPolicy OnFailure the container is what is tried again', async () => {
  let tries = 0;
  const onStart = () => ({ exitCode: tries++ === 0 ? 1 : 0, signal: 0 });
  await using cluster = await new Cluster({ onStart }).start();
  const { template } = jobSpec();
  const spec = { ...template.spec, restartPolicy: 'OnFailure' as const };
  await cluster.create(jobType, job({ template: { spec } }));
  await ended(cluster, 'Complete');
  const [pod, ...others] = await cluster.list<Pod>(podType);
  assert.equal(pod?.status?.containerStatuses?.[0]?.restartCount, 1);
  assert.deepEqual(others, []);
});

test('an Indexed Job tells each Pod its index', async () => {
  await using cluster = await new Cluster({ onStart: succeed }).start();
  await cluster.create(jobType, job({ completionMode: 'Indexed', completions: 3, parallelism: 3 }));
  const { status } = await ended(cluster, 'Complete');
  assert.equal(status?.completedIndexes, '0-2');
  const told = cluster.containers.starts.map(({ env }) => env.JOB_COMPLETION_INDEX).sort();
  assert.deepEqual(told, ['0', '1', '2']);
  assert.match(cluster.containers.starts[0]?.env.HOSTNAME ?? '', /^work-\d$/);
});

test('a suspended Job ends what runs, and goes on later', async () => {
  await using cluster = await new Cluster().start();
  await cluster.create(jobType, job());
  await cluster.until(() => cluster.containers.running.length === 1);
  await cluster.patch(jobType, 'work', { spec: { suspend: true } });
  await cluster.until(() => cluster.containers.running.length === 0);
  await cluster.patch(jobType, 'work', { spec: { suspend: false } });
  await cluster.until(() => cluster.containers.running.length === 1, 30_000);
});

test('a Job goes when its time after its end is over, with its Pods', async () => {
  await using cluster = await new Cluster({ onStart: succeed }).start();
  await cluster.create(jobType, job({ ttlSecondsAfterFinished: 30 }));
  await ended(cluster, 'Complete');
  await cluster.clock.advance(20_000);
  assert.ok(await cluster.get(jobType, 'work'));
  await cluster.until(async () => (await cluster.list(podType)).length === 0, 20_000);
  assert.equal(await cluster.get(jobType, 'work'), undefined);
});

test('a Pod of a Job that is deleted goes as well', async () => {
  await using cluster = await new Cluster().start();
  await cluster.create(jobType, job());
  await cluster.until(() => cluster.containers.running.length === 1);
  await cluster.delete(jobType, 'work');
  await cluster.until(async () => (await cluster.list(podType)).length === 0, 20_000);
  assert.equal(cluster.containers.running.length, 0);
});

function cronJob(change: Partial<CronJob['spec']> = {}): CronJob {
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'tick', namespace },
    spec: {
      schedule: '* * * * *',
      timeZone: 'UTC',
      jobTemplate: { spec: jobSpec() },
      ...change,
    },
  };
}

const jobNames = async (cluster: Cluster): Promise<string[]> =>
  (await cluster.list<Job>(jobType)).map(({ metadata }) => metadata.name).sort();

const minute = 60_000;

test('a CronJob starts one Job per due time, and keeps the latest', async () => {
  await using cluster = await new Cluster({ onStart: succeed }).start();
  await cluster.create(cronJobType, cronJob({ successfulJobsHistoryLimit: 2 }));
  await cluster.clock.advance(4 * minute + 1_000);
  const base = Math.floor(cluster.clock.now() / minute);
  assert.equal(cluster.containers.starts.length, 4);
  await cluster.until(async () => (await jobNames(cluster)).length === 2);
  assert.deepEqual(await jobNames(cluster), [`tick-${base - 1}`, `tick-${base}`]);
  const found = await cluster.get<CronJob>(cronJobType, 'tick');
  assert.ok(found?.status?.lastSuccessfulTime);
});

test('concurrencyPolicy Forbid waits for the one that runs, Replace ends it', async () => {
  await using cluster = await new Cluster().start();
  await cluster.create(cronJobType, cronJob({ concurrencyPolicy: 'Forbid' }));
  await cluster.clock.advance(3 * minute);
  assert.equal((await jobNames(cluster)).length, 1);
  await cluster.patch(cronJobType, 'tick', { spec: { concurrencyPolicy: 'Replace' } });
  const [before] = await jobNames(cluster);
  await cluster.until(async () => {
    const names = await jobNames(cluster);
    return names.length === 1 && names[0] !== before;
  }, 2 * minute);
});

test('after a sleep only the latest due time counts, and only if it is not too late', async () => {
  await using cluster = await new Cluster({ onStart: succeed }).start();
  await cluster.create(cronJobType, cronJob({ schedule: '0 * * * *' }));
  await cluster.crash();
  await cluster.clock.advance(100 * 60 * minute + 5 * minute);
  cluster.begin();
  await cluster.until(async () => (await jobNames(cluster)).length === 1);
  await cluster.clock.advance(1_000);
  assert.equal(cluster.containers.starts.length, 1);
  await cluster.patch(cronJobType, 'tick', { spec: { startingDeadlineSeconds: 60 } });
  await cluster.crash();
  await cluster.clock.advance(60 * minute);
  cluster.begin();
  await cluster.clock.advance(5_000);
  assert.equal(cluster.containers.starts.length, 1);
});

test('a suspended CronJob starts nothing', async () => {
  await using cluster = await new Cluster().start();
  await cluster.create(cronJobType, cronJob({ suspend: true }));
  await cluster.clock.advance(3 * minute);
  assert.deepEqual(await jobNames(cluster), []);
});
