/** Instances as Pods, on a real API and with real Runners; only the kubelet is the test's. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createCertificates, type TlsIdentity } from '@fnlet/apiserver';
import { systemClock } from '@fnlet/base';
import type { Executor } from '../src/executor.ts';
import { podType } from '../src/instance-pod.ts';
import { type ExecutorHarness, testExecutor } from './executor-contract.ts';
import { PodWorld } from './pod-world.ts';
import { revisionFixture } from './revision-fixture.ts';

const root = mkdtempSync(join(tmpdir(), 'pod-executor-'));
let tls: TlsIdentity;

before(async () => {
  tls = await createCertificates(systemClock.now());
});

after(() => rmSync(root, { recursive: true, force: true }));

testExecutor('an executor of Pods', (): ExecutorHarness => {
  const cluster = new PodWorld({ root, tls });
  const { executor } = cluster;
  const wrapped: Executor = {
    ensure: (revision, count, wish) => executor.ensure(cluster.withSource(revision), count, wish),
    instances: (id) => executor.instances(id),
    evict: (id, graceMs) => executor.evict(id, graceMs),
    subscribe: (listener) => executor.subscribe(listener),
    close: (graceMs) => executor.close(graceMs),
    [Symbol.asyncDispose]: () => executor.close(),
  };
  return {
    executor: wrapped,
    crash: ({ id }) => {
      void Promise.all([cluster.kubelet, podNamed(cluster, id)]).then(([kubelet, name]) =>
        kubelet.crash(name),
      );
    },
    until: (condition) => cluster.until(condition),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
});

async function podNamed(cluster: PodWorld, instance: string): Promise<string> {
  let name: string | undefined;
  await cluster.until(async () => {
    const { items } = await cluster.client
      .of(podType)
      .list({ labelSelector: `fnlet.dev/instance=${instance}` });
    name = items[0]?.metadata.name;
    return name !== undefined;
  });
  return name ?? '';
}

const ready = (executor: Executor): boolean =>
  executor.instances().some(({ phase }) => phase === 'ready');

test('a Pod that was given code leaves its pool, and the API shows whose it is', async () => {
  await using cluster = new PodWorld({ root, tls });
  const revision = cluster.withSource(revisionFixture());
  cluster.executor.ensure(revision, 1);
  await cluster.until(() => ready(cluster.executor));
  await cluster.until(async () => (await cluster.podsOf(revision.revision)).length === 1);
  const [name = ''] = await cluster.podsOf(revision.revision);
  const pod = await cluster.client.of(podType).get({ namespace: 'default', name });
  assert.equal(pod.metadata.labels?.['fnlet.dev/pool'], undefined);
  assert.equal(pod.metadata.labels?.['fnlet.dev/function'], 'hello');
  assert.deepEqual(pod.metadata.ownerReferences, [revision.owner]);
  // Its place is filled.
  const kubelet = await cluster.kubelet;
  await cluster.until(() => kubelet.pods.length === 2);
});

test('calls may be sent to an Instance once its Pod has said that it expects its code', async () => {
  await using cluster = new PodWorld({ root, tls });
  const revision = cluster.withSource(revisionFixture());
  const told: string[] = [];
  cluster.executor.subscribe(({ kind, instance: { address, holdsCalls } }) => {
    const takes = address !== undefined && holdsCalls !== false;
    if (kind !== 'obstructed') told.push(`${kind}: ${takes}`);
  });
  cluster.executor.ensure(revision, 1);
  await cluster.until(() => ready(cluster.executor));
  assert.deepEqual(told, ['starting: false', 'expecting: true', 'ready: true']);
});

test('Pods outlive their controller, and the next one takes them over', async () => {
  await using cluster = new PodWorld({ root, tls });
  const revision = cluster.withSource(revisionFixture());
  cluster.executor.ensure(revision, 1);
  await cluster.until(() => ready(cluster.executor));
  await cluster.until(async () => (await cluster.podsOf(revision.revision)).length === 1);
  const [before] = await cluster.podsOf(revision.revision);
  const { address } = cluster.executor.instances()[0] ?? {};
  await cluster.restart();
  await cluster.executor.synced;
  cluster.executor.ensure(revision, 1);
  await cluster.until(() => ready(cluster.executor));
  const { address: now } = cluster.executor.instances()[0] ?? {};
  assert.deepEqual(now, address);
  assert.deepEqual(await cluster.podsOf(revision.revision), [before]);
});
