/** Namespaces of a cluster: functions of the same name in two, and one that goes and comes back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Condition,
  findCondition,
  type KubeObject,
  type ResourceType,
} from '@fnlet/machinery';
import { configMapType, functionType } from './cluster-objects.ts';
import { ClusterParts, type GatewayPart, type Part } from './cluster-parts.ts';
import { until } from './until.ts';

/** A machine with one or two cores starts all of these beside other tests. */
const timeoutMs = 60_000;

const namespaceType: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false },
};

interface Judged extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** Makes a namespace with a function of each executor, which say where they are. */
async function populate(cluster: ClusterParts, namespace: string): Promise<void> {
  const metadata = { name: namespace };
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata };
  await cluster.client.of<KubeObject>(namespaceType).create(object);
  for (const executor of ['pool', 'deployment']) {
    const inline = `export default () => '${namespace} ${executor}';`;
    await cluster.client.of<KubeObject>(functionType).create({
      ...{ apiVersion: 'fnlet.dev/v1alpha1', kind: 'Function' },
      metadata: { name: executor, namespace },
      spec: { runtime: 'nodejs24', source: { inline }, executor, scale: { idleAfter: '10m' } },
    });
  }
}

async function answers(cluster: ClusterParts, gateway: GatewayPart, namespace: string) {
  for (const name of ['pool', 'deployment']) {
    let last: Condition | undefined;
    await until(
      async () => {
        const found = await cluster.client.of<Judged>(functionType).get({ namespace, name });
        last = findCondition(found.status?.conditions ?? [], 'Ready');
        return last?.status === 'True';
      },
      { what: `${namespace}/${name} to be ready`, timeoutMs },
    ).catch((cause: unknown) => {
      throw new Error(`${JSON.stringify(last)}\n${cluster.output()}`, { cause });
    });
    const answer = await fetch(`${gateway.url}/${namespace}/${name}`);
    assert.deepEqual([answer.status, await answer.text()], [200, `${namespace} ${name}`]);
  }
}

async function remove(cluster: ClusterParts, namespace: string): Promise<void> {
  const key = { namespace: '', name: namespace };
  const namespaces = cluster.client.of<KubeObject>(namespaceType);
  await namespaces.delete(key);
  await until(async () => (await namespaces.tryGet(key)) === undefined, {
    what: `the namespace ${namespace} to be gone`,
    timeoutMs,
  });
}

/** How often a controller was told that the namespace of a pool is not there. */
function misses(controller: Part, namespace: string): number {
  const said = `"${namespace}/fnlet-pool-nodejs24": namespaces "${namespace}" not found`;
  return controller.output().split(said).length - 1;
}

/** Removes a namespace, and waits until the controller has found that its pool went with it. */
async function forget(cluster: ClusterParts, controller: Part, namespace: string): Promise<void> {
  const before = misses(controller, namespace);
  await remove(cluster, namespace);
  await until(() => misses(controller, namespace) > before, {
    what: `the controller to have found that ${namespace} is gone`,
    timeoutMs,
  });
}

test('a namespace that is deleted and made again has functions as before', async () => {
  await using cluster = await ClusterParts.start();
  const controller = await cluster.controller();
  const gateway = await cluster.gateway();
  for (const namespace of ['one', 'two']) await populate(cluster, namespace);
  for (const namespace of ['one', 'two']) await answers(cluster, gateway, namespace);
  await remove(cluster, 'one');
  await populate(cluster, 'one');
  await answers(cluster, gateway, 'one');
  await answers(cluster, gateway, 'two');

  await forget(cluster, controller, 'one');
  await populate(cluster, 'one');
  await answers(cluster, gateway, 'one');
  const labelSelector = 'app.kubernetes.io/managed-by=fnlet';
  const { items } = await cluster.client.of<KubeObject>(configMapType).list({ labelSelector });
  const mounted = items.filter(({ metadata }) => metadata.namespace === 'one');
  assert.equal(mounted.length, 3, 'an authority, and programs for Node and for Python');

  await forget(cluster, controller, 'one');
  const told = misses(controller, 'one');
  await forget(cluster, controller, 'two');
  assert.equal(misses(controller, 'one'), told, 'it is not tried again');
});
