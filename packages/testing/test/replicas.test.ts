import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom, silentLogger } from '@fnlet/base';
import { createClient } from '@fnlet/client';
import { formatObjectKey, type KubeObject } from '@fnlet/machinery';
import {
  createController,
  createHealthPages,
  createLeaseElection,
  createManager,
  createOperatorMetrics,
  createShardedKeys,
  fromCache,
  type LeaderElection,
  syncedCheck,
} from '@fnlet/reconcile';
import { startTestCluster, type TestCluster } from '../src/index.ts';

const configMapType = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};
const namespace = 'default';

function configMap(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } };
}

/** A process of an operator that notes which ConfigMaps it ran. */
class Replica {
  readonly ran = new Set<string>();
  readonly metrics;
  readonly #abort = new AbortController();
  readonly running: Promise<void>;
  readonly ready: (request: Request) => Promise<Response>;

  constructor(cluster: TestCluster, name: string, mode: 'elected' | 'sharded') {
    const { clock } = cluster;
    const random = seededRandom(name.length);
    const shared = { clock, random, logger: silentLogger };
    const plain = createClient(cluster.transport(), { fieldManager: name, clock });
    const lease = { namespace, name: 'operator' };
    const election: LeaderElection | undefined =
      mode === 'elected'
        ? createLeaseElection({ ...shared, client: plain, lease, identity: name })
        : undefined;
    const keys =
      mode === 'sharded'
        ? createShardedKeys({ ...shared, client: plain, group: lease, replica: name })
        : undefined;
    const manager = createManager({ ...shared, client: plain, election });
    this.metrics = createOperatorMetrics({
      caches: () => manager.caches,
      election: { name: lease.name, isLeader: () => manager.isLeader },
    });
    const cache = manager.cache(configMapType, { namespace });
    const controller = createController({
      ...shared,
      name: 'configs',
      sources: [fromCache(cache)],
      ownership: keys,
      observer: this.metrics.observe('configs'),
      reconcile: (key) => {
        this.ran.add(formatObjectKey(key));
        return Promise.resolve(undefined);
      },
    });
    this.metrics.add(controller);
    manager.addController(controller);
    if (keys !== undefined) {
      manager.addService({ name: 'sharding', run: (signal) => keys.run(signal) });
    }
    const readyz = [syncedCheck('configs', cache.synced)];
    this.ready = createHealthPages({ ...shared, readyz });
    this.running = manager.run(this.#abort.signal);
  }

  stop(): void {
    this.#abort.abort();
  }

  /** The number behind a metric; NaN when there is none. */
  metric(name: string): number {
    return Number(new RegExp(`^${name}(?:\\{.*\\})? (.*)$`, 'm').exec(this.metrics.text())?.[1]);
  }
}

async function openCluster(): Promise<TestCluster> {
  const objects = Array.from({ length: 40 }, (_, i) => configMap(`config-${i}`));
  return await startTestCluster({ objects });
}

test('of two processes one leads, and the other takes over with warm caches when it ends', async () => {
  await using cluster = await openCluster();
  const [first, second] = ['a', 'bb'].map((name) => new Replica(cluster, name, 'elected'));
  assert.ok(first !== undefined && second !== undefined);
  await cluster.advance('5s');
  const [leader, standby] = first.ran.size > 0 ? [first, second] : [second, first];
  assert.ok(leader.ran.size >= 40);
  assert.equal(standby.ran.size, 0);
  assert.equal(leader.metric('leader_election_master_status'), 1);
  assert.equal(standby.metric('leader_election_master_status'), 0);
  assert.equal(standby.metric('fnlet_cache_objects'), leader.metric('fnlet_cache_objects'));
  assert.equal((await standby.ready(new Request('http://localhost/readyz'))).status, 200);
  leader.stop();
  await cluster.advance('6s');
  await leader.running;
  assert.equal(standby.ran.size, leader.ran.size);
  assert.equal(standby.metric('leader_election_master_status'), 1);
  standby.stop();
  await cluster.advance('1s');
  await standby.running;
});

test('two processes share the keys, and who is left has all of them', async () => {
  await using cluster = await openCluster();
  const first = new Replica(cluster, 'a', 'sharded');
  await cluster.advance('5s');
  const all = new Set(first.ran);
  assert.ok(all.size >= 40);
  const second = new Replica(cluster, 'bb', 'sharded');
  await cluster.advance('15s');
  assert.ok(second.ran.size > 5 && second.ran.size < all.size - 5, `${second.ran.size} moved`);
  const moved = new Set(second.ran);
  first.ran.clear();
  second.ran.clear();
  for (const key of all) {
    const name = key.slice(namespace.length + 1);
    const patch = { metadata: { labels: { touched: 'true' } } };
    const { client } = cluster;
    await client.of(configMapType).patch({ namespace, name }, { type: 'merge', patch });
  }
  await cluster.advance('1s');
  assert.deepEqual(second.ran, moved);
  assert.deepEqual(first.ran, all.difference(moved));
  second.stop();
  await cluster.advance('10s');
  await second.running;
  assert.deepEqual(first.ran, all);
  first.stop();
  await cluster.advance('5s');
  await first.running;
});
