import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@fnlet/base';
import type { KubeObject, ObjectKey } from '@fnlet/machinery';
import {
  ConfigMap,
  Deployment,
  done,
  generationChanged,
  labelsChanged,
  or,
  requeueAfter,
  Secret,
} from '@fnlet/sdk/operator';
import { configMap, configMapType, EmbeddedApi, runManager } from '../test/embedded-api.ts';
import type { KindControllerOptions } from './kind-controller.ts';
import type { Manager, RunningController } from './manager.ts';
import { createOperatorMetrics } from './metrics/operator-metrics.ts';
import { channel } from './source/channel-source.ts';

const namespace = 'default';
const secretType = { ...configMapType, kind: 'Secret', plural: 'secrets' };
const deploymentType = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};

function deployment(name: string, metadata: object = {}): KubeObject {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'node' }] } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, ...metadata },
    spec: { selector: { matchLabels: labels }, template },
  };
}

interface World extends AsyncDisposable {
  readonly api: EmbeddedApi;
  readonly manager: Manager;
  readonly controller: RunningController;
  /** The names that were run since it was asked last. */
  ran(): Promise<string[]>;
}

/** A manager with one controller of Deployments, and what the test says about it. */
async function start(
  options: Partial<KindControllerOptions<Deployment>> = {},
  api?: EmbeddedApi,
): Promise<World> {
  const world = api ?? (await EmbeddedApi.open());
  const manager = world.manager();
  const ran: string[] = [];
  const controller = manager.controller({
    for: Deployment,
    ...options,
    async reconcile(key, context) {
      ran.push(key.name);
      return options.reconcile?.(key, context);
    },
  });
  const stop = await runManager(world, manager);
  return {
    api: world,
    manager,
    controller,
    async ran() {
      await world.clock.advance(10);
      return ran.splice(0);
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await world[Symbol.asyncDispose]();
    },
  };
}

test('by default a controller runs for what is asked for, not for its own status', async () => {
  await using world = await start();
  const client = world.manager.client.of(deploymentType);
  const key = { namespace, name: 'web' };
  await client.create(deployment('web'));
  assert.deepEqual(await world.ran(), ['web']);
  const status = { subresource: 'status' };
  await client.patch(key, { type: 'merge', patch: { status: { replicas: 1 } } }, status);
  await client.patch(key, { type: 'merge', patch: { metadata: { labels: { a: 'b' } } } });
  assert.deepEqual(await world.ran(), []);
  await client.patch(key, { type: 'merge', patch: { spec: { replicas: 2 } } });
  assert.deepEqual(await world.ran(), ['web']);
  await client.delete(key, { propagation: 'Background' });
  assert.deepEqual(await world.ran(), ['web']);
});

test('`when` says what else is worth a run', async () => {
  await using world = await start({ when: or(generationChanged, labelsChanged) });
  const client = world.manager.client.of(deploymentType);
  await client.create(deployment('web'));
  await world.ran();
  const patch = { metadata: { labels: { a: 'b' } } };
  await client.patch({ namespace, name: 'web' }, { type: 'merge', patch });
  assert.deepEqual(await world.ran(), ['web']);
});

test('a run reads its own writes at once, and its children wake it', async () => {
  const seen: unknown[] = [];
  await using world = await start({
    owns: [Secret],
    async reconcile(key, { cache, client, events }) {
      const owner = cache(Deployment).get(key);
      if (owner === undefined) return done();
      if (cache(Secret).get(key) !== undefined) return requeueAfter('10m');
      const { apiVersion, kind, metadata } = owner;
      const { name, uid = '' } = metadata;
      const ownerReferences = [{ apiVersion, kind, name, uid, controller: true }];
      const child = { ...configMap(name), kind: 'Secret' };
      await client.of(secretType).create({
        ...child,
        metadata: { ...child.metadata, ownerReferences },
      });
      seen.push(cache(Secret).get(key)?.metadata.name);
      events.record(owner, { type: 'Normal', reason: 'Created', message: 'Made a Secret' });
      return done();
    },
  });
  await world.api.client.of(deploymentType).create(deployment('web'));
  assert.deepEqual(await world.ran(), ['web', 'web']);
  assert.deepEqual(seen, ['web']);
  await world.api.clock.advance(600_000);
  assert.deepEqual(await world.ran(), ['web'], 'after ten minutes');
  await world.api.client.of(secretType).delete({ namespace, name: 'web' });
  assert.deepEqual(await world.ran(), ['web', 'web'], 'one run makes it again and wakes another');
  assert.ok(world.api.requests.includes('POST /api/v1/namespaces/default/events'));
});

test('what is watched maps to whom it concerns, before and after its change', async () => {
  const reference = (object: { readonly data?: Readonly<Record<string, string>> }) =>
    object.data?.site === undefined ? undefined : { name: object.data.site };
  const pushed = channel();
  await using world = await start({ watches: [ConfigMap.mapTo(reference), pushed] });
  const client = world.api.client.of(configMapType);
  await client.create(configMap('settings', { site: 'a' }));
  assert.deepEqual(await world.ran(), ['a']);
  const patch = { data: { site: 'b' } };
  await client.patch({ namespace, name: 'settings' }, { type: 'merge', patch });
  assert.deepEqual(await world.ran(), ['a', 'b']);
  pushed.push({ namespace, name: 'c' });
  assert.deepEqual(await world.ran(), ['c']);
});

test('a paused object is left alone until the pause ends, however little is kept of it', async () => {
  const paused = (value: string | null): JsonObject => ({
    metadata: { annotations: { 'fnlet.dev/paused': value } },
    spec: { replicas: value === null ? 3 : 2 },
  });
  await using world = await start({ for: Deployment.keep('spec.replicas') });
  const client = world.api.client.of(deploymentType);
  const key: ObjectKey = { namespace, name: 'web' };
  await client.create(deployment('web', { annotations: { 'fnlet.dev/paused': 'true' } }));
  await client.patch(key, { type: 'merge', patch: paused('true') });
  assert.deepEqual(await world.ran(), []);
  await client.patch(key, { type: 'merge', patch: paused(null) });
  assert.deepEqual(await world.ran(), ['web']);
});

test('a kind that was not declared cannot be read', async () => {
  const errors: unknown[] = [];
  await using world = await start({
    async reconcile(_key, { cache }) {
      try {
        cache(Secret);
      } catch (error) {
        errors.push(error);
      }
      return undefined;
    },
  });
  world.controller.enqueue({ namespace, name: 'web' });
  assert.deepEqual(await world.ran(), ['web']);
  assert.match(String(errors[0]), /reads Secret only if it is for, owns or watches it/);
});

test('a controller that is removed takes its watches along', async () => {
  await using world = await start({ owns: [Secret] });
  world.manager.cache(secretType);
  assert.equal(world.manager.caches.length, 2);
  await world.controller.remove();
  assert.deepEqual(
    world.manager.caches.map(({ type }) => type.kind),
    ['Secret'],
  );
  await world.api.client.of(deploymentType).create(deployment('web'));
  assert.deepEqual(await world.ran(), []);
});

test('metrics hear of it, and keys of other replicas are left to them', async () => {
  await using api = await EmbeddedApi.open();
  const metrics = createOperatorMetrics();
  const ownership = {
    ownsKey: ({ name }: ObjectKey) => name !== 'theirs',
    subscribe: () => () => {},
  };
  const manager = api.manager({ ownership, metrics });
  manager.controller({ for: Deployment, reconcile: async () => undefined });
  const stop = await runManager(api, manager);
  for (const name of ['ours', 'theirs']) {
    await api.client.of(deploymentType).create(deployment(name));
  }
  await api.clock.advance(10);
  const text = metrics.text();
  assert.match(text, /^workqueue_adds_total\{.*"deployments\.apps".*\} 1$/m);
  assert.match(text, /^controller_runtime_reconcile_total\{.*"success".*\} 1$/m);
  await stop();
});
