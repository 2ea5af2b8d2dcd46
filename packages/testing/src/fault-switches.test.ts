import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode, seededRandom, silentLogger } from '@fnlet/base';
import { createCache, createClient } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { startTestCluster } from './index.ts';

const configMapType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

const key = { namespace: 'default', name: 'a' };
const configMap: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: key };

test('conflict() refuses one update with the words of a real server, and no more', async () => {
  await using cluster = await startTestCluster({ objects: [configMap] });
  const maps = cluster.client.of(configMapType);
  const fault = cluster.faults.conflict({ resource: 'configmaps' });
  const current = await maps.get(key);
  await assert.rejects(
    maps.update(current),
    (error) =>
      hasCode(error, 'Conflict') &&
      /Operation cannot be fulfilled on configmaps "a"/.test(error.message),
  );
  await maps.update(current);
  assert.equal(fault.met, 1);
});

test('throttle() is waited out by the client on the clock of the cluster', async () => {
  await using cluster = await startTestCluster();
  cluster.faults.throttle({ times: 2, retryAfterSeconds: 5 });
  const startMs = cluster.clock.now();
  const created = cluster.client.of(configMapType).create(configMap);
  await cluster.advance('5s');
  await cluster.advance('5s');
  await created;
  assert.equal(cluster.clock.now() - startMs, 10_000);
  assert.deepEqual(
    cluster.writes.entries.map(({ status }) => status),
    [429, 429, 201],
  );
});

test('loseAnswer() carries the request out', async () => {
  await using cluster = await startTestCluster();
  cluster.faults.loseAnswer({ verb: 'create' });
  const maps = cluster.client.of(configMapType);
  await assert.rejects(maps.create(configMap), (error) => hasCode(error, 'Interrupted'));
  assert.equal((await maps.get(key)).metadata.name, 'a');
});

test('slow() holds an answer until the clock has moved', async () => {
  await using cluster = await startTestCluster({ objects: [configMap] });
  cluster.faults.slow({ delayMs: 1000, verb: 'get' });
  let isThere = false;
  const read = cluster.client
    .of(configMapType)
    .get(key)
    .then(() => {
      isThere = true;
    });
  await cluster.advance(999);
  assert.equal(isThere, false);
  await cluster.advance(1);
  await read;
});

test('unavailable() and fail() refuse without doing anything', async () => {
  await using cluster = await startTestCluster();
  const maps = cluster.client.of(configMapType);
  cluster.faults.fail();
  await assert.rejects(maps.create(configMap), (error) => hasCode(error, 'InternalError'));
  cluster.faults.unavailable({ namespace: 'default' });
  await assert.rejects(maps.create(configMap), (error) => hasCode(error, 'ServiceUnavailable'));
  assert.equal(await maps.tryGet(key), undefined);
});

test('a fault meets only what matches it, and can be taken back', async () => {
  await using cluster = await startTestCluster({ objects: [configMap] });
  const maps = cluster.client.of(configMapType);
  const fault = cluster.faults.fail({ name: 'other', times: 5 });
  cluster.faults.fail({ subresource: 'status' });
  await maps.get(key);
  assert.equal(fault.met, 0);
  fault.remove();
  await assert.rejects(maps.get({ ...key, name: 'other' }), (error) => hasCode(error, 'NotFound'));
  cluster.faults.fail();
  cluster.faults.clear();
  await maps.get(key);
});

test('a cache lives through dropped watches and 410', async () => {
  await using cluster = await startTestCluster();
  const { clock } = cluster;
  const client = createClient(cluster.transport(), { fieldManager: 'cache', clock });
  const maps = cluster.client.of(configMapType);
  const parts = { clock, random: seededRandom(1), logger: silentLogger };
  const cache = createCache({ client, type: configMapType, namespace: 'default', ...parts });
  const stop = new AbortController();
  const running = cache.run(stop.signal);
  await cluster.settle();
  await maps.create(configMap);
  await cluster.settle();
  assert.notEqual(cache.get(key), undefined);
  assert.equal(cluster.faults.dropWatches({ resource: 'configmaps' }), 1);
  const gone = cluster.faults.gone({ resource: 'configmaps' });
  await maps.delete(key);
  await maps.create({ ...configMap, metadata: { ...key, name: 'b' } });
  await cluster.advance('1m');
  assert.equal(gone.met, 1);
  assert.equal(cache.get(key), undefined);
  assert.notEqual(cache.get({ ...key, name: 'b' }), undefined);
  stop.abort();
  await cluster.advance('1m');
  await running;
});

test('faults are met in the order in which they were set, each as often as it says', async () => {
  await using cluster = await startTestCluster({ objects: [configMap] });
  const maps = cluster.client.of(configMapType);
  cluster.faults.fail({ times: 2 });
  cluster.faults.unavailable({ resource: 'configmaps' });
  const met: string[] = [];
  for (let n = 0; n < 4; n++) {
    const answer = await cluster.client.transport.request({ method: 'GET', path: pathOf('a') });
    met.push(String(answer.status));
    await answer.json();
  }
  assert.deepEqual(met, ['500', '500', '503', '200']);
  assert.equal((await maps.get(key)).metadata.name, 'a');
});

test('conflict() meets updates and patches, unless a verb is named', async () => {
  await using cluster = await startTestCluster({ objects: [configMap] });
  const maps = cluster.client.of(configMapType);
  cluster.faults.conflict();
  await maps.get(key);
  await maps.create({ ...configMap, metadata: { ...key, name: 'b' } });
  const patch = { metadata: { labels: { a: 'b' } } };
  await assert.rejects(maps.patch(key, { type: 'merge', patch }), (error) =>
    hasCode(error, 'Conflict'),
  );
  cluster.faults.conflict({ verb: ['create', 'delete'] });
  await maps.patch(key, { type: 'merge', patch });
  await assert.rejects(maps.delete(key), (error) => hasCode(error, 'Conflict'));
});

test('gone() answers a list with 410, and a watch with it as the first event', async () => {
  await using cluster = await startTestCluster({ objects: [configMap] });
  const maps = cluster.client.of(configMapType);
  cluster.faults.gone({ times: 2 });
  const isExpired = (error: unknown): boolean => hasCode(error, 'Expired');
  await assert.rejects(maps.list(), isExpired);
  await assert.rejects(Array.fromAsync(maps.watch()), isExpired);
  assert.equal((await maps.list({ namespace: 'default' })).items.length > 0, true);
});

test('unavailable() tells no time to wait, so that the client does not try again', async () => {
  await using cluster = await startTestCluster({ objects: [configMap] });
  const fault = cluster.faults.unavailable({ times: 2 });
  const read = cluster.client.of(configMapType).get(key);
  await assert.rejects(read, (error) => hasCode(error, 'ServiceUnavailable'));
  assert.equal(fault.met, 1);
});

test('a fault for a group or a subresource leaves others alone', async () => {
  await using cluster = await startTestCluster({ objects: [configMap] });
  const statuses = async (paths: readonly string[]): Promise<readonly number[]> =>
    Promise.all(
      paths.map(async (path) => {
        const answer = await cluster.client.transport.request({ method: 'GET', path });
        await answer.json();
        return answer.status;
      }),
    );
  cluster.faults.fail({ group: 'apps' });
  const deployments = '/apis/apps/v1/namespaces/default/deployments';
  assert.deepEqual(await statuses([pathOf('a'), deployments, deployments]), [200, 500, 200]);
  cluster.faults.fail({ group: 'apps', subresource: 'scale' });
  const scale = `${deployments}/none/scale`;
  assert.deepEqual(await statuses([deployments, scale, scale]), [200, 500, 404]);
});

function pathOf(name: string): string {
  return `/api/v1/namespaces/default/configmaps/${name}`;
}
