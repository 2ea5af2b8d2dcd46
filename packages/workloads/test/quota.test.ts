import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCondition, type KubeObject, type ResourceType } from '@fnlet/machinery';
import { eventType, type KubeEvent } from '@fnlet/reconcile';
import { type Deployment, deploymentType } from '../src/deployment.ts';
import { type Job, jobType } from '../src/job.ts';
import { type Pod, type PodTemplate, podType } from '../src/pod.ts';
import { type ReplicaSet, replicaSetType } from '../src/replica-set.ts';
import { type StatefulSet, statefulSetType } from '../src/stateful-set.ts';
import { Cluster, namespace } from './cluster.ts';

const quotaType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  namespaced: true,
};

interface Quota extends KubeObject {
  readonly status?: { readonly used?: Readonly<Record<string, string>> };
}

const selector = { matchLabels: { app: 'web' } };
const template: PodTemplate = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'node', command: ['serve'] }] },
};

/** A cluster with room for so many Pods. */
async function bounded(pods: number): Promise<Cluster> {
  const cluster = await new Cluster().start();
  await cluster.create(quotaType, {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'small', namespace },
    spec: { hard: { pods: `${pods}` } },
  });
  await cluster.until(async () => (await used(cluster)) === '0');
  return cluster;
}

async function used(cluster: Cluster): Promise<string | undefined> {
  return (await cluster.get<Quota>(quotaType, 'small'))?.status?.used?.pods;
}

async function widen(cluster: Cluster, pods: number): Promise<void> {
  await cluster.patch(quotaType, 'small', { spec: { hard: { pods: `${pods}` } } });
}

/** What an Event says about a refusal, without the random part of the name of the Pod. */
async function told(cluster: Cluster, name: string): Promise<string | undefined> {
  const events = await cluster.list<KubeEvent>(eventType);
  const found = events.find(
    ({ reason, involvedObject }) => reason === 'FailedCreate' && involvedObject.name === name,
  );
  return found?.message?.replace(/-[a-z0-9]{5}"/, '-x"');
}

const exceeded = (pods: number): string =>
  `is forbidden: exceeded quota: small, requested: pods=1, used: pods=${pods}, limited: pods=${pods}`;

test('a ReplicaSet says that a quota refuses its Pods, and goes on when there is room', async () => {
  await using cluster = await bounded(2);
  const metadata = { name: 'web', namespace };
  const spec = { replicas: 3, selector, template };
  const set: ReplicaSet = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata, spec };
  await cluster.create(replicaSetType, set);
  const failure = async () => {
    const found = await cluster.get<ReplicaSet>(replicaSetType, 'web');
    return findCondition(found?.status?.conditions, 'ReplicaFailure');
  };
  const { status, reason, message } = await cluster.until(failure);
  assert.deepEqual([status, reason], ['True', 'FailedCreate']);
  assert.equal(message?.replace(/-[a-z0-9]{5}"/, '-x"'), `pods "web-x" ${exceeded(2)}`);
  const event = await cluster.until(() => told(cluster, 'web'));
  assert.equal(event, `Error creating: pods "web-x" ${exceeded(2)}`);
  assert.equal((await cluster.list<Pod>(podType)).length, 2);
  assert.equal(await used(cluster), '2');
  await widen(cluster, 3);
  await cluster.until(async () => (await cluster.list<Pod>(podType)).length === 3, 20_000);
  await cluster.until(async () => (await failure())?.status !== 'True');
});

test('a Deployment tells what its ReplicaSet tells', async () => {
  await using cluster = await bounded(1);
  const metadata = { name: 'web', namespace };
  const spec = { replicas: 2, selector, template };
  const deployment: Deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec };
  await cluster.create(deploymentType, deployment);
  const failure = await cluster.until(async () => {
    const found = await cluster.get<Deployment>(deploymentType, 'web');
    return findCondition(found?.status?.conditions, 'ReplicaFailure');
  });
  assert.equal(failure.reason, 'FailedCreate');
  assert.match(failure.message ?? '', /exceeded quota: small/);
});

test('a StatefulSet tells how many Pods it has, and which one is refused', async () => {
  await using cluster = await bounded(1);
  const metadata = { name: 'db', namespace };
  const spec = { replicas: 2, selector, serviceName: 'db', template };
  const set: StatefulSet = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata, spec };
  await cluster.create(statefulSetType, set);
  const event = await cluster.until(() => told(cluster, 'db'));
  const what = 'create Pod db-1 in StatefulSet db failed error';
  assert.equal(event, `${what}: pods "db-1" ${exceeded(1)}`);
  await cluster.until(async () => {
    const found = await cluster.get<StatefulSet>(statefulSetType, 'db');
    return found?.status?.replicas === 1;
  });
  await widen(cluster, 2);
  await cluster.until(async () => (await cluster.list<Pod>(podType)).length === 2, 60_000);
});

test('a Job counts the Pods that it has while a quota refuses others', async () => {
  await using cluster = await bounded(1);
  await cluster.create<Job>(jobType, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'work', namespace },
    spec: {
      completions: 2,
      parallelism: 2,
      template: { spec: { ...template.spec, restartPolicy: 'Never' } },
    },
  });
  const event = await cluster.until(() => told(cluster, 'work'));
  assert.equal(event, `Error creating: pods "work-x" ${exceeded(1)}`);
  await cluster.until(async () => (await cluster.get<Job>(jobType, 'work'))?.status?.active === 1);
  // A Pod that has ended makes room.
  for (const succeeded of [1, 2]) {
    await cluster.until(() => cluster.containers.running.length === 1, 60_000);
    cluster.containers.running[0]?.end({ exitCode: 0, signal: 0 });
    await cluster.until(
      async () => (await cluster.get<Job>(jobType, 'work'))?.status?.succeeded === succeeded,
      60_000,
    );
  }
});
