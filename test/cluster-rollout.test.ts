/** Functions with Pods of their own go on when Pods are replaced, drained, or their controller is. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JsonObject } from '@fnlet/base';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import {
  applyObject,
  awaitCondition,
  clusterWaitMs,
  functionType,
  testNamespace,
} from './cluster-objects.ts';
import { ClusterParts, type GatewayPart, type Part } from './cluster-parts.ts';
import { until } from './until.ts';

const podType: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true },
};
const deploymentType: ResourceType = {
  ...{ group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', namespaced: true },
};

interface Placed extends KubeObject {
  readonly spec?: JsonObject;
}

let cluster: ClusterParts;
let gateway: GatewayPart;
let controller: Part;

before(async () => {
  cluster = await ClusterParts.start();
  controller = await cluster.controller();
  gateway = await cluster.gateway();
});

after(() => cluster[Symbol.asyncDispose]());

async function apply(name: string, spec: object): Promise<void> {
  const source = { inline: `export default () => '${name}';` };
  await applyObject(cluster, functionType, {
    name,
    spec: { runtime: 'nodejs24', executor: 'deployment', source, ...spec },
  });
  await awaitCondition(cluster, functionType, { name });
}

/** Pods of a function that are not told to end. */
async function podsOf(name: string): Promise<readonly Placed[]> {
  const labelSelector = `fnlet.dev/function=${name}`;
  const { items } = await cluster.client.of<Placed>(podType).list({ labelSelector });
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/** Waits until so many Pods are Instances of a function. */
async function awaitPods(name: string, count: number): Promise<readonly Placed[]> {
  const areThere = async (): Promise<readonly Placed[] | undefined> => {
    const pods = await podsOf(name);
    const isInstance = ({ metadata }: Placed) => metadata.labels?.['fnlet.dev/instance'];
    return pods.length === count && pods.every(isInstance) ? pods : undefined;
  };
  return await until(areThere, { what: `${count} of ${name}`, timeoutMs: clusterWaitMs });
}

async function deploymentOf(name: string): Promise<Placed | undefined> {
  const labelSelector = `fnlet.dev/function=${name}`;
  const { items } = await cluster.client.of<Placed>(deploymentType).list({ labelSelector });
  return items[0];
}

/** Calls a function again and again while something happens; each call has to be answered. */
async function calling(name: string, happening: () => Promise<void>): Promise<void> {
  let isOver = false;
  const happened = happening().finally(() => {
    isOver = true;
  });
  happened.catch(() => {});
  let calls = 0;
  while (!isOver) {
    const answer = await fetch(`${gateway.url}/${testNamespace}/${name}`);
    const text = await answer.text();
    assert.deepEqual([answer.status, text], [200, name], `call ${calls}\n${cluster.output()}`);
    calls += 1;
  }
  await happened;
}

async function awaitOthers(name: string, before: readonly Placed[]): Promise<void> {
  const old = new Set(before.map(({ metadata }) => metadata.uid));
  const replaced = async (): Promise<boolean> => {
    const now = await podsOf(name);
    return now.length === before.length && now.every(({ metadata: { uid } }) => !old.has(uid));
  };
  const what = `other Pods of ${name}`;
  await until(replaced, { what, timeoutMs: clusterWaitMs }).catch(async (error: unknown) => {
    const found = JSON.stringify([...(await podsOf(name)), await deploymentOf(name)], undefined, 1);
    throw new Error(`${found}\n${cluster.output()}`, { cause: error });
  });
}

test('Pods that are restarted (kubectl rollout restart) are replaced, and calls go on', async () => {
  await apply('restarted', { scale: { min: 2 } });
  const deployment = await deploymentOf('restarted');
  const pods = await awaitPods('restarted', 2);
  const annotations = { 'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z' };
  const patch = { spec: { template: { metadata: { annotations } } } };
  const { name = '' } = deployment?.metadata ?? {};
  await calling('restarted', async () => {
    const key = { namespace: testNamespace, name };
    await cluster.client.of(deploymentType).patch(key, { type: 'merge', patch });
    await awaitOthers('restarted', pods);
  });
});

test('a Pod that is evicted, as for a drain, is replaced, and calls go on', async () => {
  await apply('drained', { scale: { min: 1 } });
  const pods = await awaitPods('drained', 1);
  const { name = '' } = pods[0]?.metadata ?? {};
  await calling('drained', async () => {
    const { status } = await cluster.client.transport.request({
      method: 'POST',
      path: `/api/v1/namespaces/${testNamespace}/pods/${name}/eviction`,
      body: {
        ...{ apiVersion: 'policy/v1', kind: 'Eviction' },
        metadata: { name, namespace: testNamespace },
      },
    });
    assert.equal(status, 201);
    await awaitOthers('drained', pods);
  });
});

test('a function that is deleted takes its Deployment with it', async () => {
  await apply('gone', {});
  const { name = '' } = (await deploymentOf('gone'))?.metadata ?? {};
  await cluster.client.of(functionType).delete({ namespace: testNamespace, name: 'gone' });
  await until(async () => (await deploymentOf('gone')) === undefined, {
    ...{ what: 'its Deployment to go', timeoutMs: clusterWaitMs },
  });
  // Whoever would make it again has had its turn once another one is there.
  await apply('after', {});
  const key = { namespace: testNamespace, name };
  assert.equal(await cluster.client.of(deploymentType).tryGet(key), undefined);
});

test('a new leader has the Pods that there were, and no others', async () => {
  await apply('steady', { scale: { min: 1 } });
  await apply('warm', { scale: { min: 1 }, executor: 'pool' });
  const names = ['steady', 'warm'];
  const before = new Map<string, readonly Placed[]>();
  for (const name of names) before.set(name, await awaitPods(name, 1));
  const next = await cluster.controller();
  await controller.stop('SIGKILL');
  controller = next;
  await until(() => next.output().includes('Serving Runners and Gateways'), {
    ...{ what: 'another controller to lead', timeoutMs: clusterWaitMs },
  });
  // New code takes a Pod of its own, so by then all that waits has been served.
  await apply('later', { scale: { min: 1 } });
  for (const name of names) {
    await awaitCondition(cluster, functionType, { name });
    assert.deepEqual(uidsOf(await podsOf(name)), uidsOf(before.get(name) ?? []), name);
  }
});

function uidsOf(pods: readonly KubeObject[]): readonly unknown[] {
  return pods.map(({ metadata }) => metadata.uid).sort();
}

test('an upgrade that changes what Pods are replaces them, one by one, and so does the way back', async () => {
  await apply('upgraded', { scale: { min: 2 } });
  await apply('pooled', { scale: { min: 1 }, executor: 'pool' });
  // Another release has another Runner; so does another place of images change the Pods.
  const releases: readonly (readonly [args: readonly string[], image: RegExp])[] = [
    [['--registry', 'mirror.example'], /"mirror.example\/node:24-slim"/],
    [[], /"node:24-slim"/],
  ];
  for (const [args, image] of releases) {
    const pods = await awaitPods('upgraded', 2);
    const bring = async (): Promise<void> => {
      const next = await cluster.controller(undefined, args);
      await controller.stop();
      controller = next;
      await awaitOthers('upgraded', pods);
    };
    const brought = bring();
    await Promise.all([calling('upgraded', () => brought), calling('pooled', () => brought)]);
    for (const { spec } of await podsOf('upgraded')) assert.match(JSON.stringify(spec), image);
    for (const name of ['upgraded', 'pooled'])
      await awaitCondition(cluster, functionType, { name });
  }
});
