/** The zones of Nodes, as an account sees them that has the rights of the controller, or fewer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom, silentLogger } from '@fnlet/base';
import { actAs, createClient } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { startTestCluster, type TestCluster } from '@fnlet/testing';
import { clusterNames } from './names.ts';
import { NodeZones, zoneLabel } from './node-zones.ts';
import { type AccessRule, controllerRules } from './rules.ts';

const { namespace, controller } = clusterNames;
const account = `system:serviceaccount:${namespace}:${controller}`;
const nodeType: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false },
};
const roleType: ResourceType = {
  ...{ group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: false },
  ...{ kind: 'ClusterRole', plural: 'clusterroles' },
};

function roleOf(rules: readonly AccessRule[]): KubeObject & { readonly rules: object } {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  return { apiVersion, kind: 'ClusterRole', metadata: { name: controller }, rules };
}

class World implements AsyncDisposable {
  readonly cluster: TestCluster;
  readonly zones: NodeZones;
  changes = 0;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(cluster: TestCluster) {
    this.cluster = cluster;
    const { clock } = cluster;
    this.zones = new NodeZones({
      client: createClient(actAs(cluster.transport(), account), { fieldManager: 'zones', clock }),
      onChange: () => {
        this.changes += 1;
      },
      ...{ clock, random: seededRandom(1), logger: silentLogger },
    });
    this.#running = this.zones.run(this.#stop.signal);
  }

  static async start(rules: readonly AccessRule[]): Promise<World> {
    const binding = {
      ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding' },
      metadata: { name: controller },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: controller },
      subjects: [{ kind: 'ServiceAccount', name: controller, namespace }],
    };
    const cluster = await startTestCluster({ objects: [roleOf(rules), binding] });
    return new World(cluster);
  }

  /** @param zone `null`: it has no such label */
  async node(name: string, zone: string | null): Promise<void> {
    const labels = zone === null ? {} : { [zoneLabel]: zone };
    const object = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } };
    await this.cluster.client.of<KubeObject>(nodeType).apply(object, { force: true });
  }

  of(...nodes: readonly string[]): readonly (string | undefined)[] {
    return nodes.map((node) => this.zones.of(node));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.cluster.advance('1s');
    await this.#running;
    await this.cluster.close();
  }
}

test('Nodes are in the zones that their labels say, by now', async () => {
  await using world = await World.start(controllerRules.cluster);
  await world.node('one', 'a');
  await world.node('two', 'b');
  await world.node('three', null);
  await world.cluster.advance('1s');
  assert.deepEqual(world.of('one', 'two', 'three', 'four'), ['a', 'b', undefined, undefined]);
  assert.equal(world.zones.of(undefined), undefined);
  const { changes } = world;
  await world.node('three', 'b');
  await world.node('one', 'c');
  await world.cluster.advance('1s');
  assert.deepEqual(world.of('one', 'two', 'three'), ['c', 'b', 'b']);
  assert.equal(world.changes, changes + 1, 'what comes together is told of once');
  await world.cluster.advance('1h');
  assert.equal(world.changes, changes + 1);
});

test('nothing is in a zone where there is but one', async () => {
  await using world = await World.start(controllerRules.cluster);
  await world.node('one', 'a');
  await world.node('two', 'a');
  await world.node('three', '');
  await world.cluster.advance('1s');
  assert.deepEqual(world.of('one', 'two', 'three'), [undefined, undefined, undefined]);
  await world.node('four', 'b');
  await world.cluster.advance('1s');
  assert.deepEqual(world.of('one', 'four'), ['a', 'b']);
  await world.cluster.client.of(nodeType).delete({ namespace: '', name: 'four' });
  await world.cluster.advance('1s');
  assert.deepEqual(world.of('one', 'four'), [undefined, undefined]);
});

test('without the right to watch Nodes there are no zones, until somebody gives it', async () => {
  const others = controllerRules.cluster.filter(({ resources }) => !resources.includes('nodes'));
  await using world = await World.start(others);
  await world.node('one', 'a');
  await world.node('two', 'b');
  await world.cluster.advance('1h');
  assert.deepEqual(world.of('one', 'two'), [undefined, undefined]);
  assert.equal(world.changes, 0);
  const role = roleOf(controllerRules.cluster);
  await world.cluster.client.of<KubeObject>(roleType).apply(role, { force: true });
  await world.cluster.advance('2m');
  assert.deepEqual(world.of('one', 'two'), ['a', 'b']);
});
