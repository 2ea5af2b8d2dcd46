import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { hasCode } from '@fnlet/base';
import { type Client, createClient, createHttpTransport, loadKubeconfig } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { startTestCluster, type TestCluster } from '@fnlet/testing';

/* What a client outside this process meets: everything here goes over a real TLS connection. */

const configMapType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};
const key = { namespace: 'default', name: 'a' };
const configMap: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: key };

/** A client that knows nothing of the cluster but its kubeconfig. */
async function connect(cluster: TestCluster): Promise<AsyncDisposable & { client: Client }> {
  const directory = await mkdtemp(join(tmpdir(), 'fnlet-testing-'));
  const file = join(directory, 'kubeconfig');
  await writeFile(file, await cluster.kubeconfig(), { mode: 0o600 });
  const transport = createHttpTransport(await loadKubeconfig({ file, env: {} }));
  return {
    client: createClient(transport, { fieldManager: 'outside' }),
    async [Symbol.asyncDispose]() {
      await transport.close();
      await rm(directory, { recursive: true });
    },
  };
}

test('kubeconfig() lets clients outside in, on one port however often it is asked for', async () => {
  await using cluster = await startTestCluster();
  assert.equal(cluster.url, undefined, 'no socket unless asked for');
  await using outside = await connect(cluster);
  assert.match(cluster.url ?? '', /^https:\/\/127\.0\.0\.1:\d+$/);
  await outside.client.of(configMapType).create(configMap);
  assert.equal((await cluster.client.of(configMapType).get(key)).metadata.name, 'a');
  assert.equal(await cluster.kubeconfig(), await cluster.kubeconfig());
});

test('faults meet requests from outside as they meet those from this process', async () => {
  await using cluster = await startTestCluster({ clock: 'system', listen: true });
  await using outside = await connect(cluster);
  const maps = outside.client.of(configMapType);
  cluster.faults.unavailable();
  await assert.rejects(maps.create(configMap), (error) => hasCode(error, 'ServiceUnavailable'));
  assert.equal(await maps.tryGet(key), undefined);
  cluster.faults.loseAnswer({ verb: 'create' });
  await assert.rejects(maps.create(configMap), (error) => hasCode(error, 'Interrupted'));
  cluster.faults.throttle({ retryAfterSeconds: 0, times: 2 });
  assert.equal((await maps.get(key)).metadata.name, 'a', 'the request was carried out');
  cluster.faults.conflict();
  await assert.rejects(maps.update(configMap), (error) => hasCode(error, 'Conflict'));
  assert.deepEqual(
    cluster.writes.entries.map(({ status }) => status),
    [503, 201, 409],
  );
});

test('dropWatches() breaks the watch of a client outside', async () => {
  await using cluster = await startTestCluster({ objects: [configMap], listen: true });
  await using outside = await connect(cluster);
  const watch = outside.client.of(configMapType).watch({ namespace: 'default' });
  const events = watch[Symbol.asyncIterator]();
  await events.next();
  assert.equal(cluster.faults.dropWatches({ resource: 'secrets' }), 0);
  assert.equal(cluster.faults.dropWatches({ resource: 'configmaps' }), 1);
  const rest = async (): Promise<void> => {
    while ((await events.next()).done !== true);
  };
  await assert.rejects(rest(), (error) => hasCode(error, 'Interrupted'));
});

test('a fork of a listening cluster listens for itself, and with a token of its own', async () => {
  await using parent = await startTestCluster({ objects: [configMap], listen: true });
  await using child = await parent.fork({ listen: true });
  assert.notEqual(child.url, parent.url);
  await using outside = await connect(child);
  await outside.client.of(configMapType).delete(key);
  assert.equal(await child.client.of(configMapType).tryGet(key), undefined);
  assert.equal((await parent.client.of(configMapType).get(key)).metadata.name, 'a');
  const token = (text: string): string | undefined => /token: (.*)/.exec(text)?.[1];
  assert.notEqual(token(await child.kubeconfig()), token(await parent.kubeconfig()));
});

test('a cluster that has been closed answers nobody', async () => {
  const cluster = await startTestCluster({ listen: true });
  await using outside = await connect(cluster);
  await cluster.close();
  await assert.rejects(
    outside.client.of(configMapType).list(),
    (error) => hasCode(error, 'Unreachable') || hasCode(error, 'Interrupted'),
  );
});

test("the system's clock stamps what clients outside see", async () => {
  await using cluster = await startTestCluster({ clock: 'system', listen: true });
  await using outside = await connect(cluster);
  const earliest = Math.floor(Date.now() / 1000) * 1000;
  const { metadata } = await outside.client.of(configMapType).create(configMap);
  const created = Date.parse(metadata.creationTimestamp ?? '');
  assert.ok(created >= earliest && created <= Date.now());
});

test('a hundred clusters stand side by side', async () => {
  const clusters = await Promise.all(
    Array.from({ length: 100 }, () => startTestCluster({ objects: [configMap] })),
  );
  await Promise.all(
    clusters.map(({ client }, i) =>
      client.of(configMapType).create({ ...configMap, metadata: { ...key, name: `own-${i}` } }),
    ),
  );
  const lists = await Promise.all(
    clusters.map(({ client }) => client.of(configMapType).list({ namespace: 'default' })),
  );
  for (const [i, { items }] of lists.entries()) {
    const own = items.map(({ metadata }) => metadata.name).filter((name) => /^own-/.test(name));
    assert.deepEqual(own, [`own-${i}`]);
  }
  await Promise.all(clusters.map((cluster) => cluster.close()));
});
