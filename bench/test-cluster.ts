/**
 * What a test pays for its own API: start, first answered request and end of a cluster of
 * `fnlet/testing`, and a fork of one with 10 000 objects. The limit beside it, in the same run: the
 * first request to a cluster that is there already.
 */
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { startTestCluster, type TestCluster } from '@fnlet/testing';
import { latencyRow, quantile, report, round } from './_figures.ts';

const clusters = 100;
const forks = 20;
const objects = 10_000;

const configMapType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

function configMap(name: string): KubeObject & { readonly data: object } {
  const metadata = { namespace: 'default', name };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: 'x'.repeat(200) } };
}

async function time(action: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await action();
  return performance.now() - startMs;
}

/** Starts clusters one after the other: each is used once and closed, as tests do. */
async function timeClusters(
  count: number,
  start: () => Promise<TestCluster>,
): Promise<Readonly<Record<'start' | 'use' | 'end', readonly number[]>>> {
  const times: Record<'start' | 'use' | 'end', number[]> = { start: [], use: [], end: [] };
  for (let n = 0; n < count; n++) {
    const startMs = performance.now();
    const cluster = await start();
    times.start.push(performance.now() - startMs);
    const maps = cluster.client.of(configMapType);
    times.use.push(await time(() => maps.create(configMap('used'))));
    times.end.push(await time(() => cluster.close()));
  }
  return times;
}

const firstMs = await time(async () => (await startTestCluster()).close());
const fresh = await timeClusters(clusters, () => startTestCluster());
await using full = await startTestCluster();
const maps = full.client.of(configMapType);
for (let n = 0; n < objects; n++) await maps.create(configMap(`map-${n}`));
const forked = await timeClusters(forks, () => full.fork());
const known = [];
for (let n = 0; n < clusters; n++)
  known.push(await time(() => maps.create(configMap(`more-${n}`))));

report(
  'test-cluster',
  {
    'the first start of a process': latencyRow([firstMs]),
    'startTestCluster()': latencyRow(fresh.start),
    'its first request': latencyRow(fresh.use),
    'close()': latencyRow(fresh.end),
    [`fork() with ${objects} objects`]: latencyRow(forked.start),
    'its first request, forked': latencyRow(forked.use),
    'a request to a cluster that is there': latencyRow(known),
  },
  {
    firstMs: round(firstMs, 2),
    startP50Ms: round(quantile(fresh.start, 0.5), 2),
    forkP50Ms: round(quantile(forked.start, 0.5), 2),
  },
);
