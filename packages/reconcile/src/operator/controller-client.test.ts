import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@fnlet/machinery';
import { Deployment, done, Secret } from '@fnlet/sdk/operator';
import { configMapType, EmbeddedApi, runManager } from '../../test/embedded-api.ts';
import type { KindContext } from '../kind-controller.ts';

const namespace = 'default';
const key = { namespace, name: 'web' };
const secretType = { ...configMapType, kind: 'Secret', plural: 'secrets' };
const deploymentType = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};
const web: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: key,
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'a', image: 'node' }] },
    },
  },
};

type Run = (owner: Deployment & KubeObject, context: KindContext) => Promise<void>;

interface World extends AsyncDisposable {
  readonly api: EmbeddedApi;
  readonly errors: readonly string[];
  /** The changes that were sent since it was asked last, those of the test included. */
  writes(): Promise<string[]>;
}

async function start(run: Run): Promise<World> {
  const api = await EmbeddedApi.open();
  const manager = api.manager();
  const errors: string[] = [];
  manager.controller({
    for: Deployment,
    owns: [Secret],
    async reconcile(at, context) {
      const owner = context.cache(Deployment).get(at);
      if (owner === undefined) return done();
      await run(owner, context).catch((error: unknown) => {
        errors.push(String(error));
      });
      return done();
    },
  });
  const stop = await runManager(api, manager);
  let seen = 0;
  return {
    api,
    errors,
    async writes() {
      await api.clock.advance(10);
      const fresh = api.requests.slice(seen);
      seen = api.requests.length;
      return fresh.filter((request) => /^(PATCH|PUT|DELETE)/.test(request)).map(withoutQuery);
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await api[Symbol.asyncDispose]();
    },
  };
}

function withoutQuery(request: string): string {
  return request.replace(/\?.*/, '');
}

const webPath = '/apis/apps/v1/namespaces/default/deployments/web';
const secretPath = '/api/v1/namespaces/default/secrets/web';
const child = Secret.of({ metadata: { name: 'web' }, stringData: {}, data: { a: 'eA==' } });

test('client.apply() writes a child once, and again when somebody else has changed it', async () => {
  await using world = await start((owner, { client }) => client.apply(child, { owner }));
  await world.api.client.of(deploymentType).create(web);
  assert.deepEqual(await world.writes(), [`PATCH ${secretPath}`]);
  const secrets = world.api.client.of<KubeObject & { readonly data?: unknown }>(secretType);
  const written = await secrets.get(key);
  assert.deepEqual(written.metadata.ownerReferences?.[0]?.name, 'web');
  await world.api.client
    .of(deploymentType)
    .patch(key, { type: 'merge', patch: { spec: { replicas: 2 } } });
  assert.deepEqual(await world.writes(), [`PATCH ${webPath}`], 'nothing would change');
  await secrets.patch(key, { type: 'merge', patch: { data: { a: 'eQ==' } } });
  assert.deepEqual(await world.writes(), [`PATCH ${secretPath}`, `PATCH ${secretPath}`]);
  assert.deepEqual((await secrets.get(key)).data, { a: 'eA==' });
  assert.deepEqual(world.errors, []);
});

test('client.apply() rejects for a child of somebody else, and leaves it alone', async () => {
  await using world = await start((owner, { client }) => client.apply(child, { owner }));
  const ownerReferences = [
    { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'u', controller: true },
  ];
  await world.api.client.of<KubeObject>(secretType).create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...key, ownerReferences },
  });
  await world.api.client.of(deploymentType).create(web);
  assert.deepEqual(await world.writes(), []);
  assert.match(world.errors[0] ?? '', /ConfigMap/);
});

test('client.status.apply() says it once, of the generation that was read', async () => {
  await using world = await start((owner, { client }) =>
    client.status.apply(owner, {
      fields: { replicas: 3, observedGeneration: owner.metadata.generation },
    }),
  );
  const deployments = world.api.client.of<Deployment & KubeObject>(deploymentType);
  await deployments.create(web);
  const statusPath = `${webPath}/status`;
  assert.deepEqual(await world.writes(), [`PATCH ${statusPath}`]);
  assert.deepEqual(world.errors, []);
  const first = (await deployments.get(key)).status;
  assert.equal(first?.replicas, 3);
  assert.equal(first?.observedGeneration, 1);
  await deployments.patch(key, { type: 'merge', patch: { spec: { replicas: 2 } } });
  assert.deepEqual(await world.writes(), [`PATCH ${webPath}`, `PATCH ${statusPath}`]);
  const second = (await deployments.get(key)).status;
  assert.equal(second?.observedGeneration, 2);
  assert.deepEqual(world.errors, []);
});
