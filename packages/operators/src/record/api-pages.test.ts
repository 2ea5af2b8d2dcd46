import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@fnlet/base';
import { createClient } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import { startTestCluster, type TestCluster } from '@fnlet/testing';
import { ApiPages } from './api-pages.ts';
import { SettledPages } from './settled-pages.ts';
import { openSettledRecords, type SettledRecords } from './settled-records.ts';

const group = { namespace: 'default', name: 'hub-records' };
const maps = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};
const world = { resourceVersion: '7', seen: 'abc' };
const admins = ['system:masters'];

interface Replica {
  readonly pages: SettledPages;
  readonly records: SettledRecords;
}

function replica(cluster: TestCluster, name: string): Replica {
  const { clock } = cluster;
  const transport = cluster.transport({ name, groups: admins });
  const client = createClient(transport, { fieldManager: 'fnlet', clock });
  const store = new ApiPages({ client, group });
  const pages = new SettledPages({ store, clock, logger: silentLogger });
  return { pages, records: openSettledRecords(pages, 'op', 'v1') };
}

/** Enough for every page to have some. */
const uids = Array.from({ length: 100 }, (_, index) => `uid-${index}`);

async function mapsOf(cluster: TestCluster): Promise<readonly KubeObject[]> {
  const labelSelector = 'fnlet.dev/records=hub-records';
  return Array.fromAsync(cluster.client.of<KubeObject>(maps).listAll({ labelSelector }));
}

test('what one replica has settled, another knows once keys have moved', async () => {
  await using cluster = await startTestCluster();
  const one = replica(cluster, 'one');
  const two = replica(cluster, 'two');
  assert.equal(await two.records.isFresh(), true);
  for (const uid of uids) one.records.put(uid, world, 5000);
  await one.pages.flush();
  assert.equal((await mapsOf(cluster)).length, 16);
  assert.equal(two.records.dueMs('uid-0', world), undefined);
  two.pages.moved();
  assert.equal(await two.records.isFresh(), true);
  for (const uid of uids) assert.equal(two.records.dueMs(uid, world), 5000);
});

test('two replicas that write the same pages at once lose nothing', async () => {
  await using cluster = await startTestCluster();
  const both = [replica(cluster, 'one'), replica(cluster, 'two')];
  for (let round = 0; round < 5; round++) {
    for (const [index, uid] of uids.entries()) {
      const { records } = both[(index + round) % 2] ?? assert.fail();
      records.put(uid, { resourceVersion: `${round}`, seen: uid });
    }
    await Promise.all(both.map(({ pages }) => pages.flush()));
  }
  const third = replica(cluster, 'three');
  await third.records.isFresh();
  for (const uid of uids) {
    const now = { resourceVersion: '4', seen: uid };
    assert.equal(third.records.dueMs(uid, now), Number.POSITIVE_INFINITY, uid);
  }
});

test('pages of operators that are gone go, and so do empty ones', async () => {
  await using cluster = await startTestCluster();
  const { pages, records } = replica(cluster, 'one');
  for (const uid of uids) records.put(uid, world);
  await pages.flush();
  for (const uid of uids.slice(0, 99)) records.delete(uid);
  await pages.flush();
  assert.equal((await mapsOf(cluster)).length, 1);
  await pages.dropUnknown(() => false);
  await pages.flush();
  assert.deepEqual(await mapsOf(cluster), []);
});

test('without an API nothing is known as settled, and what is to be kept waits', async () => {
  await using cluster = await startTestCluster();
  const { pages, records } = replica(cluster, 'one');
  const faults = cluster.faults.of('one');
  faults.fail({ times: 2 });
  assert.equal(await records.isFresh(), false);
  records.put('a', world);
  await assert.rejects(pages.flush());
  await pages.flush();
  assert.equal(await records.isFresh(), true);
  const other = replica(cluster, 'two');
  await other.records.isFresh();
  assert.equal(other.records.dueMs('a', world), Number.POSITIVE_INFINITY);
});

test('a write whose answer is lost is found to have been made', async () => {
  await using cluster = await startTestCluster();
  const { pages, records } = replica(cluster, 'one');
  records.put('a', world);
  cluster.faults.of('one').loseAnswer({ verb: ['create', 'update'] });
  await assert.rejects(pages.flush());
  await pages.flush();
  records.put('a', { ...world, resourceVersion: '8' });
  cluster.faults.of('one').loseAnswer({ verb: ['create', 'update'] });
  await assert.rejects(pages.flush());
  await pages.flush();
  const other = replica(cluster, 'two');
  await other.records.isFresh();
  const now = { ...world, resourceVersion: '8' };
  assert.equal(other.records.dueMs('a', now), Number.POSITIVE_INFINITY);
});
