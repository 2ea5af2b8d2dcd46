/** Pods that end by themselves: a kubelet ends them, or their process does, and the API shows it. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createCertificates, type TlsIdentity } from '@fnlet/apiserver';
import { type Clock, systemClock } from '@fnlet/base';
import type { KubeObject, ObjectKey } from '@fnlet/machinery';
import { clusterLimits } from '../src/cluster/limits.ts';
import { podType } from '../src/instance-pod.ts';
import { PodWorld } from './pod-world.ts';
import { revisionFixture } from './revision-fixture.ts';

const namespace = 'default';
const root = mkdtempSync(join(tmpdir(), 'ended-pods-'));
let tls: TlsIdentity;

before(async () => {
  tls = await createCertificates(systemClock.now());
});

after(() => rmSync(root, { recursive: true, force: true }));

/** On which nobody who waits for a Pod to come back gives up: what waits for that waits forever. */
const patient: Clock = {
  ...systemClock,
  after: (delayMs, callback) =>
    delayMs < clusterLimits.reunionMs ? systemClock.after(delayMs, callback) : { cancel() {} },
};

const own = revisionFixture({ pod: { executor: 'deployment' } });
const pooled = revisionFixture({ revision: 'pooled-00001' });

interface Pod extends KubeObject {
  readonly status?: { readonly phase?: string };
}

async function podsOf(world: PodWorld, revision: string): Promise<readonly Pod[]> {
  const labelSelector = `fnlet.dev/revision=${revision},fnlet.dev/instance`;
  const { items } = await world.client.of<Pod>(podType).list({ labelSelector });
  return items;
}

/** The one Pod that the API shows as an Instance. */
async function shown(world: PodWorld, revision: string): Promise<ObjectKey> {
  await world.until(async () => (await podsOf(world, revision)).length === 1);
  const [pod] = await podsOf(world, revision);
  return { namespace, name: pod?.metadata.name ?? '' };
}

for (const revision of [own, pooled]) {
  const what = revision === own ? 'a Deployment of its own' : 'a pool';

  test(`a Pod that its kubelet has ended is not waited for: ${what}`, async () => {
    await using world = new PodWorld({ root, tls, clock: patient });
    world.executor.ensure(world.withSource(revision), 1);
    await world.ready(1);
    const key = await shown(world, revision.revision);
    await (await world.kubelet).fail(key);
    await world.until(() => world.executor.instances()[0]?.restarts === 1);
    await world.ready(1);
    assert.equal(await world.call(world.executor.instances()[0]?.address), 'hello');
  });

  test(`a Pod that was ended while nobody owned it is not waited for: ${what}`, async () => {
    await using world = new PodWorld({ root, tls, clock: patient });
    const wanted = world.withSource(revision);
    world.executor.ensure(wanted, 1);
    await world.ready(1);
    const key = await shown(world, revision.revision);
    await world.executor.release();
    await (await world.kubelet).fail(key);
    await world.restart();
    await world.executor.synced;
    world.executor.ensure(wanted, 1);
    await world.ready(1);
    assert.equal(await world.call(world.executor.instances()[0]?.address), 'hello');
  });
}

test('a Pod of a pool that its kubelet has ended is removed: no ReplicaSet has it', async () => {
  await using world = new PodWorld({ root, tls });
  world.executor.ensure(world.withSource(pooled), 1);
  await world.ready(1);
  const { name } = await shown(world, pooled.revision);
  await world.executor.release();
  await (await world.kubelet).fail({ namespace, name });
  await world.restart();
  const isThere = async (): Promise<boolean> =>
    (await podsOf(world, pooled.revision)).some(({ metadata }) => metadata.name === name);
  await world.until(async () => !(await isThere()));
});

test('a process that ends begins anew in its Pod, and is not waited for beyond that', async () => {
  await using world = new PodWorld({ root, tls, clock: patient });
  world.executor.ensure(world.withSource(own), 1);
  await world.ready(1);
  const key = await shown(world, own.revision);
  const begin = await (await world.kubelet).stop(key);
  await world.until(() => world.executor.instances()[0]?.restarts === 1);
  await begin();
  await world.ready(1);
  assert.equal((await shown(world, own.revision)).name, key.name);
  assert.equal(await world.call(world.executor.instances()[0]?.address), 'hello');
});

test('a Pod that was to come back and goes is not waited for beyond that', async () => {
  await using world = new PodWorld({ root, tls, clock: patient });
  const wanted = world.withSource(own);
  world.executor.ensure(wanted, 1);
  await world.ready(1);
  const { name } = await shown(world, own.revision);
  await world.executor.release();
  (await world.kubelet).lose(name);
  await world.restart();
  await world.executor.synced;
  world.executor.ensure(wanted, 1);
  await world.client.of(podType).delete({ namespace, name }, { gracePeriodSeconds: 0 });
  await world.ready(1);
  assert.equal(await world.call(world.executor.instances()[0]?.address), 'hello');
});
