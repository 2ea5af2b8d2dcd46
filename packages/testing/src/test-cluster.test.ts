import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode, sleep } from '@fnlet/base';
import { createClient, discover } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { startTestCluster } from './index.ts';

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const configMapType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

function configMap(name: string, data: Readonly<Record<string, string>> = {}): ConfigMap {
  const metadata = { name, namespace: 'default' };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
}

interface RoleBinding extends KubeObject {
  readonly roleRef: object;
  readonly subjects: readonly object[];
}

const roleBindingType: ResourceType = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  namespaced: true,
};

const siteType: ResourceType = {
  group: 'example.com',
  version: 'v1',
  kind: 'Site',
  plural: 'sites',
  namespaced: true,
};

const siteDefinition: KubeObject & { readonly spec: unknown } = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'sites.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'sites', singular: 'site', kind: 'Site' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
};

async function* takeOne<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const item of items) {
    yield item;
    return;
  }
}

test('startTestCluster() serves definitions and objects that it begins with', async () => {
  const site = {
    apiVersion: 'example.com/v1',
    kind: 'Site',
    metadata: { name: 'a', namespace: 'default' },
  };
  await using cluster = await startTestCluster({ objects: [siteDefinition, site] });
  const found = await cluster.client.of(siteType).list({ namespace: 'default' });
  assert.deepEqual(
    found.items.map(({ metadata }) => metadata.name),
    ['a'],
  );
  assert.deepEqual(cluster.writes.entries, [], 'what it begins with is not what the test wrote');
});

test('startTestCluster() says which kind is missing', async () => {
  const lost = { apiVersion: 'example.com/v1', kind: 'Site', metadata: { name: 'a' } };
  await assert.rejects(
    startTestCluster({ objects: [lost] }),
    (error) => hasCode(error, 'KindNotServed') && /Site "a".*example\.com\/v1/.test(error.message),
  );
});

test('clusters stand side by side and share nothing', async () => {
  const names = Array.from({ length: 10 }, (_, i) => `c${i}`);
  const clusters = await Promise.all(names.map(() => startTestCluster()));
  await Promise.all(
    clusters.map(({ client }, i) => client.of(configMapType).create(configMap(`c${i}`))),
  );
  for (const [i, { client }] of clusters.entries()) {
    const { items } = await client.of(configMapType).list({ namespace: 'default' });
    const own = items.map(({ metadata }) => metadata.name).filter((name) => /^c\d/.test(name));
    assert.deepEqual(own, [`c${i}`]);
  }
  await Promise.all(clusters.map((cluster) => cluster.close()));
});

test('the clock of a cluster stands still until it is moved', async () => {
  await using cluster = await startTestCluster();
  const maps = cluster.client.of<ConfigMap>(configMapType);
  const first = await maps.create(configMap('first'));
  await cluster.advance('1h');
  const second = await maps.create(configMap('second'));
  const age = (object: ConfigMap): number => Date.parse(object.metadata.creationTimestamp ?? '');
  assert.equal(age(second) - age(first), 3_600_000);
});

test('advance() refuses to move the clock of the machine', async () => {
  await using cluster = await startTestCluster({ clock: 'system' });
  await assert.rejects(cluster.advance('1s'), (error) => hasCode(error, 'SystemClock'));
});

test('one seed gives the same uids and names, another gives others', async () => {
  const names = async (seed: number): Promise<readonly unknown[]> => {
    await using cluster = await startTestCluster({ seed });
    const generated = { ...configMap(''), metadata: { generateName: 'x-', namespace: 'default' } };
    const { transport } = cluster.client;
    const path = '/api/v1/namespaces/default/configmaps';
    const answer = await transport.request({ method: 'POST', path, body: generated });
    return [await answer.json()];
  };
  assert.deepEqual(await names(7), await names(7));
  assert.notDeepEqual(await names(7), await names(8));
});

test('fork() starts from the state of its parent, and each goes its own way', async () => {
  await using parent = await startTestCluster({ objects: [siteDefinition] });
  const maps = parent.client.of<ConfigMap>(configMapType);
  const before = await maps.create(configMap('shared', { at: 'start' }));
  await parent.advance('10s');
  await using child = await parent.fork();
  const childMaps = child.client.of<ConfigMap>(configMapType);
  await childMaps.update({ ...before, data: { at: 'child' } });
  await maps.delete({ namespace: 'default', name: 'shared' });
  const key = { namespace: 'default', name: 'shared' };
  assert.equal(await maps.tryGet(key), undefined);
  assert.equal((await childMaps.get(key)).data?.at, 'child');
  assert.equal(child.clock.now(), parent.clock.now());
  assert.notEqual((await discover(child.transport())).ofKind('example.com/v1', 'Site'), undefined);
});

test('a fork remembers the history: a watch goes on where it was in the parent', async () => {
  await using parent = await startTestCluster();
  const maps = parent.client.of<ConfigMap>(configMapType);
  const { resourceVersion } = await maps.list({ namespace: 'default' });
  await maps.create(configMap('later'));
  await using child = await parent.fork();
  const abort = new AbortController();
  const { signal } = abort;
  const watch = child.client
    .of(configMapType)
    .watch({ namespace: 'default', resourceVersion, signal });
  const seen = await Array.fromAsync(takeOne(watch));
  assert.deepEqual(
    seen.map(({ type }) => type),
    ['ADDED'],
  );
  abort.abort();
});

test('a snapshot stays as it was, for any number of forks', async () => {
  await using cluster = await startTestCluster();
  const maps = cluster.client.of<ConfigMap>(configMapType);
  const from = cluster.snapshot();
  await maps.create(configMap('after'));
  for (let i = 0; i < 2; i++) {
    await using again = await startTestCluster({ from });
    const childMaps = again.client.of<ConfigMap>(configMapType);
    await childMaps.create(configMap('after', { round: String(i) }));
  }
});

test('transport() asks with the rights of the user that it is given', async () => {
  await using cluster = await startTestCluster({ objects: [configMap('a')] });
  const name = 'system:serviceaccount:default:robot';
  const transport = cluster.transport({ name, groups: [] });
  const robot = createClient(transport, { fieldManager: 'robot', clock: cluster.clock });
  const read = (): Promise<unknown> =>
    robot.of(configMapType).get({ namespace: 'default', name: 'a' });
  await assert.rejects(read(), (error) => hasCode(error, 'Forbidden'));
  await cluster.client.of<RoleBinding>(roleBindingType).create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { namespace: 'default', name: 'robot' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'robot' }],
  });
  await read();
});

test('writes tell who tried to change what, and what came of it', async () => {
  await using cluster = await startTestCluster();
  const maps = cluster.client.of<ConfigMap>(configMapType);
  await maps.create(configMap('a'), { dryRun: true });
  await maps.create(configMap('a'));
  await maps.get({ namespace: 'default', name: 'a' });
  await assert.rejects(maps.create(configMap('a')), (error) => hasCode(error, 'AlreadyExists'));
  const told = cluster.writes.entries.map(({ verb, resource, user, status, dryRun }) => ({
    ...{ verb, resource, user, status, dryRun },
  }));
  const create = { verb: 'create', resource: 'configmaps', user: 'kubernetes-admin' };
  assert.deepEqual(told, [
    { ...create, status: 201, dryRun: true },
    { ...create, status: 201, dryRun: false },
    { ...create, status: 409, dryRun: false },
  ]);
  cluster.writes.clear();
  await maps.delete({ namespace: 'default', name: 'a' });
  assert.deepEqual(
    cluster.writes.entries.map(({ verb, name }) => [verb, name]),
    [['delete', 'a']],
  );
});

test('advance() does what repeats as often as it is due, requests included', async () => {
  await using cluster = await startTestCluster({ objects: [configMap('a')] });
  const maps = cluster.client.of<ConfigMap>(configMapType);
  const stop = new AbortController();
  const stamp = async (): Promise<void> => {
    while (await sleep(cluster.clock, 60_000, stop.signal)) {
      const current = await maps.get({ namespace: 'default', name: 'a' });
      await maps.update({ ...current, data: { at: String(cluster.clock.now()) } });
    }
  };
  const stamping = stamp();
  await cluster.advance('10m');
  assert.equal(cluster.writes.entries.length, 10);
  stop.abort();
  await stamping;
});

test('settle() tells of what never ends', async () => {
  await using cluster = await startTestCluster({ objects: [configMap('a')] });
  const maps = cluster.client.of<ConfigMap>(configMapType);
  const key = { namespace: 'default', name: 'a' };
  let n = 0;
  const stop = new AbortController();
  const ask = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await maps.patch(key, { type: 'merge', patch: { data: { n: String(n++) } } });
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const asking = ask();
  await assert.rejects(cluster.settle(), (error) => hasCode(error, 'Unsettled'));
  stop.abort();
  await asking;
});

test('settle() waits for the work behind the API', async () => {
  await using cluster = await startTestCluster();
  const maps = cluster.client.of<ConfigMap>(configMapType);
  const owner = await maps.create(configMap('owner'));
  const { uid = '' } = owner.metadata;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
  const owned = configMap('owned');
  await maps.create({ ...owned, metadata: { ...owned.metadata, ownerReferences } });
  await maps.delete({ namespace: 'default', name: 'owner' });
  await cluster.settle();
  assert.equal(await maps.tryGet({ namespace: 'default', name: 'owned' }), undefined);
});
