/** Instances that are Pods, while API, nodes and clocks go wrong. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createCertificates, type TlsIdentity } from '@fnlet/apiserver';
import { type Clock, systemClock } from '@fnlet/base';
import { createClient } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { type FaultSwitches, startTestCluster } from '@fnlet/testing';
import { PodWorld } from '../packages/executor/test/pod-world.ts';
import { revisionFixture } from '../packages/executor/test/revision-fixture.ts';

const podType: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true },
};
const deploymentType: ResourceType = {
  ...{ group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', namespaced: true },
};

const namespace = 'default';
const user = 'fnlet-executor';

const root = mkdtempSync(join(tmpdir(), 'pod-faults-'));
let tls: TlsIdentity;

before(async () => {
  tls = await createCertificates(systemClock.now());
});

after(() => rmSync(root, { recursive: true, force: true }));

/** A world whose executor meets what goes wrong. */
async function inTrouble(
  work: (world: PodWorld, faults: FaultSwitches) => Promise<void>,
  clock: Clock = systemClock,
): Promise<void> {
  await using cluster = await startTestCluster({ clock: 'system' });
  const transport = cluster.transport({ name: user, groups: ['system:masters'] });
  const executor = createClient(transport, { fieldManager: 'fnlet', clock: systemClock });
  await using world = new PodWorld({ root, tls, api: { admin: cluster.client, executor }, clock });
  await work(world, cluster.faults.of(user));
}

const own = revisionFixture({ pod: { executor: 'deployment' } });
const pooled = revisionFixture({ revision: 'pooled-00001' });

async function podsOf(world: PodWorld, revision: string): Promise<readonly KubeObject[]> {
  const labelSelector = `fnlet.dev/revision=${revision}`;
  const { items } = await world.client.of<KubeObject>(podType).list({ labelSelector });
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/** As the garbage collection of Pods does whose node is gone. */
async function remove(world: PodWorld, name: string): Promise<void> {
  await world.client.of(podType).delete({ namespace, name }, { gracePeriodSeconds: 0 });
}

/** All Instances are ready, and each answers where it is said to be. */
async function allAnswer(world: PodWorld, count: number): Promise<void> {
  await world.ready(count);
  for (const { address } of world.executor.instances()) {
    assert.equal(await world.call(address), 'hello');
  }
}

for (const revision of [own, pooled]) {
  const what = revision === own ? 'a Deployment of its own' : 'a pool';

  test(`a node dies, its Pods vanish, and others take their place: ${what}`, async () => {
    await inTrouble(async (world) => {
      world.executor.ensure(world.withSource(revision), 2);
      await world.ready(2);
      await world.until(async () => (await podsOf(world, revision.revision)).length === 2);
      const lost = (await podsOf(world, revision.revision)).map(({ metadata }) => metadata.name);
      const kubelet = await world.kubelet;
      for (const name of lost) kubelet.lose(name);
      for (const name of lost) await remove(world, name);
      await world.until(() => world.executor.instances().every(({ restarts }) => restarts === 1));
      await allAnswer(world, 2);
      const now = await podsOf(world, revision.revision);
      assert.ok(now.every(({ metadata }) => !lost.includes(metadata.name)));
    });
  });

  test(`an Instance that does not answer is replaced before its node is given up: ${what}`, async () => {
    await inTrouble(async (world) => {
      world.executor.ensure(world.withSource(revision), 1);
      await world.ready(1);
      const [before] = world.executor.instances();
      await world.until(async () => (await podsOf(world, revision.revision)).length === 1);
      const [pod] = await podsOf(world, revision.revision);
      (await world.kubelet).lose(pod?.metadata.name ?? '');
      // As Gateways say of what no call comes back from.
      world.executor.evict(before?.id ?? '', 0);
      await world.until(() => world.executor.instances().every(({ id }) => id !== before?.id));
      await allAnswer(world, 1);
    });
  });

  test(`watches that break and expire hide nothing for long: ${what}`, async () => {
    await inTrouble(async (world, faults) => {
      world.executor.ensure(world.withSource(revision), 1);
      await world.ready(1);
      await world.until(async () => (await podsOf(world, revision.revision)).length === 1);
      const [pod] = await podsOf(world, revision.revision);
      // Nobody tells the executor that the Pod is gone: it finds out by what is there.
      faults.gone({ times: 3 });
      assert.ok(faults.dropWatches() > 0);
      const kubelet = await world.kubelet;
      kubelet.lose(pod?.metadata.name ?? '');
      await remove(world, pod?.metadata.name ?? '');
      await world.until(() => world.executor.instances()[0]?.restarts === 1);
      await allAnswer(world, 1);
    });
  });

  test(`an API that is away for a while delays what is new, and ends nothing: ${what}`, async () => {
    await inTrouble(async (world, faults) => {
      world.executor.ensure(world.withSource(revision), 1);
      await world.ready(1);
      const [steady] = world.executor.instances();
      const away = faults.unavailable({ times: 12 });
      faults.dropWatches();
      world.executor.ensure(world.withSource(revision), 2);
      assert.equal(await world.call(steady?.address), 'hello');
      await allAnswer(world, 2);
      away.remove();
      assert.ok(world.executor.instances().some(({ id }) => id === steady?.id));
    });
  });
}

test('writes whose answers get lost are done once', async () => {
  await inTrouble(async (world, faults) => {
    faults.loseAnswer({ verb: ['create', 'patch', 'update', 'delete'], times: 4 });
    world.executor.ensure(world.withSource(own), 2);
    await allAnswer(world, 2);
    world.executor.ensure(world.withSource(own), 1);
    await allAnswer(world, 1);
    await world.until(async () => (await podsOf(world, own.revision)).length === 1);
    const { items } = await world.client.of(deploymentType).list();
    const names = items.map(({ metadata }) => metadata.name);
    assert.deepEqual(names, [own.revision]);
  });
});

test('a clock that is an hour wrong changes nothing', async () => {
  for (const skewMs of [3_600_000, -3_600_000]) {
    const clock = { ...systemClock, now: () => systemClock.now() + skewMs };
    await inTrouble(async (world) => {
      world.executor.ensure(world.withSource(own), 2);
      await allAnswer(world, 2);
      world.executor.ensure(world.withSource(own), 0);
      await world.until(async () => (await podsOf(world, own.revision)).length === 0);
    }, clock);
  }
});
