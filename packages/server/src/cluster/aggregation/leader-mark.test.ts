import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@fnlet/base';
import type { ResourceType } from '@fnlet/machinery';
import { startTestCluster, type TestCluster } from '@fnlet/testing';
import { LeaderMark } from './leader-mark.ts';

const namespace = 'fnlet-system';
const podType: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true },
};

function pod(name: string, labels: Readonly<Record<string, string>> = {}) {
  return {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels } },
    spec: { containers: [{ name: 'controller', image: 'fnlet' }] },
  };
}

async function start(): Promise<TestCluster> {
  const home = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  const old = pod('old', { 'fnlet.dev/leads': 'true', app: 'fnlet' });
  return startTestCluster({ objects: [home, old, pod('new', { app: 'fnlet' })] });
}

function labelsOf(cluster: TestCluster, name: string): Promise<unknown> {
  const found = cluster.client.of(podType).get({ namespace, name });
  return found.then(({ metadata }) => metadata.labels);
}

test('LeaderMark marks the Pod that leads and no other, and again when somebody takes it away', async () => {
  await using cluster = await start();
  const { client, clock } = cluster;
  const stop = new AbortController();
  const mark = new LeaderMark({ client, namespace, podName: 'new', clock, logger: silentLogger });
  const running = mark.run(stop.signal);
  await cluster.advance('1s');
  assert.deepEqual(await labelsOf(cluster, 'new'), { app: 'fnlet', 'fnlet.dev/leads': 'true' });
  assert.deepEqual(await labelsOf(cluster, 'old'), { app: 'fnlet' });
  const patch = { metadata: { labels: { 'fnlet.dev/leads': null } } };
  await client.of(podType).patch({ namespace, name: 'new' }, { type: 'merge', patch });
  await cluster.advance('61s');
  assert.deepEqual(await labelsOf(cluster, 'new'), { app: 'fnlet', 'fnlet.dev/leads': 'true' });
  stop.abort();
  await running;
});

test('LeaderMark goes on trying where its Pod is not to be seen yet', async () => {
  await using cluster = await start();
  const { client, clock } = cluster;
  const stop = new AbortController();
  const mark = new LeaderMark({ client, namespace, podName: 'late', clock, logger: silentLogger });
  const running = mark.run(stop.signal);
  await cluster.advance('1s');
  await client.of(podType).create(pod('late'));
  await cluster.advance('3s');
  assert.deepEqual(await labelsOf(cluster, 'late'), { 'fnlet.dev/leads': 'true' });
  stop.abort();
  await running;
});
