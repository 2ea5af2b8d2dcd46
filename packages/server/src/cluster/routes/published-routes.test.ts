import assert from 'node:assert/strict';
import { test } from 'node:test';
import { triggerCrd, triggerType } from '@fnlet/api';
import { type Clock, seededRandom, silentLogger } from '@fnlet/base';
import { actAs, createClient } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { startTestCluster, type TestCluster } from '@fnlet/testing';
import { clusterNames } from '../names.ts';
import { controllerRules, settingRules } from '../rules.ts';
import { publishRoutes } from './published-routes.ts';
import { routeTypes } from './route-kinds.ts';
import type { RouteSettings } from './route-settings.ts';

const system = clusterNames.namespace;
const account = `system:serviceaccount:${system}:${clusterNames.controller}`;
const nginx: RouteSettings = {
  ingress: { className: 'nginx', annotations: {} },
  parent: undefined,
};
const both: RouteSettings = { ...nginx, parent: { namespace: 'edge', name: 'public' } };

function namespace(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

const roleRef = {
  ...{ apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'controller' },
};
const rights: readonly KubeObject[] = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'controller' },
    rules: [
      ...controllerRules.cluster,
      ...settingRules['ingress.className'],
      ...settingRules['httpRoute.parentRef'],
    ],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'controller' },
    roleRef,
    subjects: [{ kind: 'ServiceAccount', name: clusterNames.controller, namespace: system }],
  },
];

const httpRouteCrd: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'httproutes.gateway.networking.k8s.io',
    annotations: { 'api-approved.kubernetes.io': 'https://example.com' },
  },
  spec: {
    group: 'gateway.networking.k8s.io',
    scope: 'Namespaced',
    names: { plural: 'httproutes', kind: 'HTTPRoute' },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true },
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
};

/** A cluster with the rights of the controller, and what it does there. */
class Workshop implements AsyncDisposable {
  readonly cluster: TestCluster;
  #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(cluster: TestCluster) {
    this.cluster = cluster;
  }

  /** Begins to publish, in place of what was published by before. */
  async publish(settings: RouteSettings): Promise<void> {
    await this.end();
    this.#stop = new AbortController();
    const { clock } = this.cluster;
    const transport = actAs(this.cluster.transport(), account);
    const client = createClient(transport, { fieldManager: 'fnlet-routes', clock });
    this.#running = publishRoutes(
      {
        ...{ client, namespace: system, settings, clock },
        ...{ random: seededRandom(1), logger: silentLogger },
      },
      this.#stop.signal,
    );
    this.#running.catch(() => {});
    await this.cluster.advance('1s');
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#settled(this.cluster.clock);
  }

  async #settled(_clock: Clock): Promise<void> {
    const ended = this.#running.then(() => true);
    // Whoever ends writes its last Events, and waits for that on this clock.
    while (!(await Promise.race([ended, this.cluster.advance('1s').then(() => false)])));
  }

  async get(type: ResourceType, place: string): Promise<KubeObject | undefined> {
    const [where = '', name = ''] = place.split('/');
    return this.cluster.client.of<KubeObject>(type).tryGet({ namespace: where, name });
  }

  async trigger(place: string, http: object): Promise<void> {
    const [where = '', name = ''] = place.split('/');
    const spec = { source: { http }, target: { function: 'orders' } };
    const object = { apiVersion: 'fnlet.dev/v1alpha1', kind: 'Trigger', spec };
    const triggers = this.cluster.client.of(triggerType);
    await triggers.apply({ ...object, metadata: { namespace: where, name } }, { force: true });
    await this.cluster.advance('1s');
  }

  /** Writes of the controller since the last look. */
  writes(): readonly string[] {
    const found = this.cluster.writes.entries
      .filter(({ resource }) => resource !== 'events')
      .map(({ verb, resource, namespace: where, name }) => `${verb} ${resource} ${where}/${name}`);
    this.cluster.writes.clear();
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    await this.cluster.close();
  }
}

async function open(...more: readonly KubeObject[]): Promise<Workshop> {
  const objects = [triggerCrd, namespace(system), ...rights, ...more];
  const cluster = await startTestCluster({ objects });
  await gatewayAt(cluster, ['10.0.0.1']);
  return new Workshop(cluster);
}

async function gatewayAt(cluster: TestCluster, addresses: readonly string[]): Promise<void> {
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: 'fnlet-gateway-abcde',
      namespace: system,
      labels: { 'kubernetes.io/service-name': clusterNames.gateway },
    },
    addressType: 'IPv4',
    endpoints: addresses.map((each) => ({ addresses: [each], conditions: { ready: true } })),
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  };
  await cluster.client.of(routeTypes.endpointSlice).apply(slice, { force: true });
}

test('a Trigger has an Ingress and a backend, and the second look writes nothing', async () => {
  await using workshop = await open();
  await workshop.publish(nginx);
  await workshop.trigger('default/shop', { hosts: ['shop.example'] });
  const ingress = await workshop.get(routeTypes.ingress, 'default/shop-route');
  assert.match(JSON.stringify(ingress?.spec), /"host":"shop.example"/);
  assert.equal(ingress?.metadata.ownerReferences?.[0]?.name, 'shop');
  assert.ok(await workshop.get(routeTypes.service, 'default/fnlet-gateway'));
  const slice = await workshop.get(routeTypes.endpointSlice, 'default/fnlet-gateway-ipv4');
  assert.match(JSON.stringify(slice), /10\.0\.0\.1/);
  workshop.writes();
  await workshop.publish(nginx);
  assert.deepEqual(workshop.writes(), []);
  await workshop.trigger('default/shop', { hosts: ['other.example'] });
  const changed = await workshop.get(routeTypes.ingress, 'default/shop-route');
  assert.match(JSON.stringify(changed?.spec), /"host":"other.example"/);
});

test('what others change or delete is put right; what they add stays', async () => {
  await using workshop = await open();
  await workshop.publish(nginx);
  await workshop.trigger('default/shop', {});
  const { client } = workshop.cluster;
  const key = { namespace: 'default', name: 'shop-route' };
  const annotations = { 'example.com/theirs': 'yes' };
  const patch = { metadata: { annotations }, spec: { ingressClassName: 'other' } };
  await client.of(routeTypes.ingress).patch(key, { type: 'merge', patch });
  await workshop.cluster.advance('1s');
  const ingress = await workshop.get(routeTypes.ingress, 'default/shop-route');
  assert.match(JSON.stringify(ingress?.spec), /"ingressClassName":"nginx"/);
  assert.deepEqual(ingress?.metadata.annotations, annotations);
  await client.of(routeTypes.ingress).delete(key);
  await client.of(routeTypes.service).delete({ namespace: 'default', name: 'fnlet-gateway' });
  await workshop.cluster.advance('1s');
  assert.ok(await workshop.get(routeTypes.ingress, 'default/shop-route'));
  assert.ok(await workshop.get(routeTypes.service, 'default/fnlet-gateway'));
});

test('the backend follows the Pods of the Gateway, and goes with the last Trigger', async () => {
  await using workshop = await open();
  await workshop.publish(nginx);
  await workshop.trigger('default/a', {});
  await workshop.trigger('default/b', {});
  await gatewayAt(workshop.cluster, ['10.0.0.7', '10.0.0.8']);
  await workshop.cluster.advance('1s');
  const slice = await workshop.get(routeTypes.endpointSlice, 'default/fnlet-gateway-ipv4');
  assert.match(JSON.stringify(slice), /10\.0\.0\.7.*10\.0\.0\.8/);
  assert.doesNotMatch(JSON.stringify(slice), /10\.0\.0\.1"/);
  const triggers = workshop.cluster.client.of(triggerType);
  await triggers.delete({ namespace: 'default', name: 'a' });
  await workshop.cluster.advance('2s');
  assert.equal(await workshop.get(routeTypes.ingress, 'default/a-route'), undefined);
  assert.ok(await workshop.get(routeTypes.service, 'default/fnlet-gateway'));
  await triggers.delete({ namespace: 'default', name: 'b' });
  await workshop.cluster.advance('2s');
  assert.equal(await workshop.get(routeTypes.service, 'default/fnlet-gateway'), undefined);
  const gone = await workshop.get(routeTypes.endpointSlice, 'default/fnlet-gateway-ipv4');
  assert.equal(gone, undefined);
});

test('what Fnlet has not made is left alone, and an Event says so', async () => {
  await using workshop = await open();
  const { client } = workshop.cluster;
  const metadata = { name: 'shop-route', namespace: 'default' };
  const spec = { defaultBackend: { service: { name: 'theirs', port: { number: 80 } } } };
  const theirs = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata, spec };
  await client.of(routeTypes.ingress).create(theirs);
  await workshop.publish(nginx);
  await workshop.trigger('default/shop', {});
  const ingress = await workshop.get(routeTypes.ingress, 'default/shop-route');
  assert.deepEqual(ingress?.spec, spec);
  const events = { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true };
  const { items } = await client.of<KubeObject>(events).list({ namespace: 'default' });
  assert.ok(items.some(({ reason }) => reason === 'RouteNotPublished'));
});

test('without the Gateway API there are Ingresses alone, until the cluster knows it', async () => {
  await using workshop = await open();
  await workshop.publish(both);
  await workshop.trigger('default/shop', {});
  assert.ok(await workshop.get(routeTypes.ingress, 'default/shop-route'));
  const definitions = {
    ...{ group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' },
    ...{ plural: 'customresourcedefinitions', namespaced: false },
  };
  await workshop.cluster.client.of(definitions).create(httpRouteCrd);
  await workshop.cluster.advance('1m');
  const route = await workshop.get(routeTypes.httpRoute, 'default/shop-route');
  assert.match(JSON.stringify(route?.spec), /"parentRefs":\[.*"name":"public"/);
  assert.ok(await workshop.get(routeTypes.ingress, 'default/shop-route'));
});

test('what settings do not ask for any more goes', async () => {
  await using workshop = await open(httpRouteCrd);
  await workshop.trigger('default/shop', {});
  await workshop.publish(both);
  assert.ok(await workshop.get(routeTypes.httpRoute, 'default/shop-route'));
  await workshop.publish(nginx);
  assert.equal(await workshop.get(routeTypes.httpRoute, 'default/shop-route'), undefined);
  assert.ok(await workshop.get(routeTypes.ingress, 'default/shop-route'));
  await workshop.publish({ ingress: undefined, parent: undefined });
  assert.equal(await workshop.get(routeTypes.ingress, 'default/shop-route'), undefined);
  assert.equal(await workshop.get(routeTypes.service, 'default/fnlet-gateway'), undefined);
});

test('the Gateway is its own backend in its own namespace', async () => {
  await using workshop = await open();
  await workshop.publish(nginx);
  await workshop.trigger(`${system}/shop`, {});
  assert.ok(await workshop.get(routeTypes.ingress, `${system}/shop-route`));
  assert.equal(await workshop.get(routeTypes.service, `${system}/fnlet-gateway`), undefined);
});
