// Kyma Functions against a whole API: what is written for them, and what their status says. The
// part of what runs Functions of Fnlet is played by the test.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FunctionObject, functionCrd, functionType } from '@fnlet/api';
import { type KymaFunctionObject, kymaFunctionCrd, kymaFunctionType } from '@fnlet/api/kyma';
import { seededRandom, silentLogger } from '@fnlet/base';
import { createClient, type ResourceClient } from '@fnlet/client';
import { type Condition, findCondition } from '@fnlet/machinery';
import { eventType, type KubeEvent } from '@fnlet/reconcile';
import { startTestCluster, type TestCluster, type TestSnapshot } from '@fnlet/testing';
import { createKymaFunctions } from '../src/kyma.ts';

const key = { namespace: 'default', name: 'hello' };
const inline = { source: 'module.exports = { main: () => "hi" }' };
const git = { url: 'https://example.dev/repo.git', baseDir: '/', reference: 'main' };

class KymaWorld implements AsyncDisposable {
  readonly cluster: TestCluster;
  readonly kyma: ResourceClient<KymaFunctionObject>;
  readonly functions: ResourceClient<FunctionObject>;
  readonly #abort = new AbortController();
  readonly #running: Promise<void>;

  constructor(cluster: TestCluster) {
    this.cluster = cluster;
    this.kyma = cluster.client.of<KymaFunctionObject>(kymaFunctionType);
    this.functions = cluster.client.of<FunctionObject>(functionType);
    const { clock } = cluster;
    const client = createClient(cluster.transport(), { fieldManager: 'fnlet', clock });
    const base = { clock, random: seededRandom(1), logger: silentLogger };
    this.#running = createKymaFunctions({ client, ...base }).run(this.#abort.signal);
  }

  async apply(spec: object, metadata: object = {}): Promise<void> {
    await this.kyma.apply(
      Object({
        apiVersion: 'serverless.kyma-project.io/v1alpha2',
        kind: 'Function',
        metadata: { ...key, ...metadata },
        spec: { runtime: 'nodejs24', source: { inline }, ...spec },
      }),
      { force: true },
    );
    await this.cluster.settle();
  }

  /** Says about the Function of Fnlet what its own controllers would. */
  async play(conditions: readonly Omit<Condition, 'lastTransitionTime'>[], fields: object = {}) {
    const { metadata } = await this.functions.get(key);
    const { generation = 0 } = metadata;
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const said = conditions.map((condition) => {
      return { ...condition, observedGeneration: generation, lastTransitionTime };
    });
    const patch = { status: { ...fields, conditions: said } };
    await this.functions.patch(key, { type: 'merge', patch }, { subresource: 'status' });
    await this.cluster.settle();
  }

  async condition(type: string): Promise<readonly (string | undefined)[]> {
    const { status, metadata } = await this.kyma.get(key);
    const found = findCondition(status?.conditions, type);
    if (found !== undefined) assert.equal(found.observedGeneration, metadata.generation);
    return [found?.status, found?.reason, found?.message];
  }

  async versions(): Promise<readonly unknown[]> {
    const both = [await this.kyma.get(key), await this.functions.get(key)];
    return both.map(({ metadata }) => metadata.resourceVersion);
  }

  async events(): Promise<readonly string[]> {
    await this.cluster.advance('1s');
    const { items } = await this.cluster.client.of<KubeEvent>(eventType).list({});
    return items
      .filter(({ involvedObject }) => involvedObject.apiVersion.startsWith('serverless.kyma'))
      .map(({ type, reason }) => `${type} ${reason}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await this.#running;
    await this.cluster.close();
  }
}

async function start(from?: TestSnapshot): Promise<KymaWorld> {
  const objects = [kymaFunctionCrd, functionCrd];
  return new KymaWorld(await startTestCluster(from === undefined ? { objects } : { from }));
}

const ready = { type: 'Ready', status: 'True', reason: 'Ready', message: 'serves' } as const;

test('a Kyma Function is run by a Function of the same name that belongs to it', async () => {
  await using world = await start();
  await world.apply({ replicas: 2 }, { labels: { team: 'a' } });
  const { metadata, spec } = await world.functions.get(key);
  const owner = await world.kyma.get(key);
  assert.equal(metadata.ownerReferences?.[0]?.uid, owner.metadata.uid);
  assert.deepEqual(metadata.labels, { team: 'a' });
  assert.equal(spec.compatibility, 'kyma');
  assert.deepEqual([spec.scale.min, spec.scale.max], [2, 2]);
});

test('the status goes from created over waiting to ready, in the words of Kyma', async () => {
  await using world = await start();
  await world.apply({});
  const configured = ['True', 'FunctionSpecValidated', 'Function configured'];
  assert.deepEqual(await world.condition('ConfigurationReady'), configured);
  const waiting = ['Unknown', 'DeploymentWaiting', 'Function hello is not ready yet'];
  assert.deepEqual(await world.condition('Running'), waiting);
  await world.play([{ ...ready, status: 'Unknown', message: 'Installing lodash' }]);
  assert.deepEqual((await world.condition('Running')).slice(1), [
    'DeploymentWaiting',
    'Installing lodash',
  ]);
  await world.play([ready]);
  assert.deepEqual((await world.condition('Running')).slice(0, 2), [
    'Unknown',
    'MinReplicasNotAvailable',
  ]);
  await world.play([ready], { replicas: 1 });
  const running = ['True', 'DeploymentReady', 'Function hello is ready'];
  assert.deepEqual(await world.condition('Running'), running);
  const { metadata } = await world.functions.get(key);
  const { status } = await world.kyma.get(key);
  assert.deepEqual(
    [status?.replicas, status?.runtime, status?.functionResourceProfile],
    [1, 'nodejs24', 'L'],
  );
  const prefix = 'serverless.kyma-project.io';
  assert.deepEqual(status?.podSelector?.split(','), [
    `${prefix}/function-name=hello`,
    `${prefix}/managed-by=function-controller`,
    `${prefix}/resource=deployment`,
    `${prefix}/uuid=${metadata.uid}`,
  ]);
  assert.deepEqual([...(await world.events())].sort(), [
    'Normal DeploymentReady',
    'Normal DeploymentWaiting',
    'Normal FunctionSpecValidated',
    'Normal MinReplicasNotAvailable',
  ]);
});

test('code that does not load, where Kyma would say Running, is told with its place', async () => {
  await using world = await start();
  await world.apply({});
  const message = 'handler.js:3: Unexpected token';
  await world.play([{ ...ready, status: 'False', reason: 'LoadFailed', message }]);
  assert.deepEqual(await world.condition('Running'), [
    'False',
    'DeploymentFailed',
    `LoadFailed: ${message}`,
  ]);
  assert.ok((await world.events()).includes('Warning DeploymentFailed'));
});

test('a changed Function waits until what runs is about the change', async () => {
  await using world = await start();
  await world.apply({});
  await world.play([ready], { replicas: 1 });
  await world.apply({ env: [{ name: 'A', value: 'a' }] });
  assert.equal((await world.condition('Running'))[1], 'DeploymentWaiting');
  await world.play([ready], { replicas: 1 });
  assert.equal((await world.condition('Running'))[0], 'True');
});

test('what Kyma refuses leaves alone what runs', async () => {
  await using world = await start();
  await world.apply({});
  await world.play([ready], { replicas: 1 });
  const { spec } = await world.functions.get(key);
  const secretMounts = [
    { secretName: 'a', mountPath: '/a' },
    { secretName: 'a', mountPath: '/b' },
  ];
  await world.apply({ secretMounts, env: [{ name: '1' }] });
  const [status, reason, message = ''] = await world.condition('ConfigurationReady');
  assert.deepEqual([status, reason], ['False', 'InvalidFunctionSpec']);
  assert.match(message, /^spec\.env: 1\. Err: .*\. invalid spec\.secretMounts: \[secretNames/);
  assert.deepEqual((await world.functions.get(key)).spec, spec);
});

test('a retired runtime and an image are warned of', async () => {
  await using world = await start();
  await world.apply({ runtimeImageOverride: 'example.dev/node:1' });
  assert.deepEqual(await world.condition('ConfigurationReady'), [
    'True',
    'FunctionSpecValidated',
    'Warning: function configured, image example.dev/node:1 is not run here, runtime nodejs24 is',
  ]);
  await world.apply({ runtime: 'nodejs20' });
  const [, , message] = await world.condition('ConfigurationReady');
  assert.equal(
    message,
    'Warning: function configured, runtime nodejs20 is deprecated and will be removed in the future',
  );
  assert.ok((await world.events()).includes('Warning FunctionSpecValidated'));
});

test('a repository shows its commit, and why it could not be read', async () => {
  await using world = await start();
  await world.apply({ source: { gitRepository: git } });
  const failed = { type: 'SourceReady', status: 'False', reason: 'SourceUnreachable' } as const;
  await world.play([{ ...failed, message: 'no route' }]);
  assert.deepEqual(await world.condition('ConfigurationReady'), [
    'False',
    'SourceUpdateFailed',
    'Git repository: https://example.dev/repo.git source check failed: no route',
  ]);
  const commit = 'a'.repeat(40);
  await world.play([ready], { replicas: 1, source: { commit } });
  const { status } = await world.kyma.get(key);
  assert.deepEqual(status?.gitRepository, { ...git, commit });
  assert.deepEqual([status?.commit, status?.reference], [commit, 'main']);
  await world.apply({});
  assert.equal((await world.kyma.get(key)).status?.gitRepository, undefined);
});

test('a Function of that name that is somebody else’s stays as it is', async () => {
  await using world = await start();
  const foreign: object = {
    apiVersion: 'fnlet.dev/v1alpha1',
    kind: 'Function',
    metadata: key,
    spec: { runtime: 'nodejs24', source: { inline: 'export default () => 1' } },
  };
  await world.functions.apply(Object(foreign));
  await world.apply({});
  const [status, reason, message = ''] = await world.condition('Running');
  assert.deepEqual([status, reason], ['False', 'DeploymentFailed']);
  assert.match(message, /^Function "hello" of fnlet\.dev exists and belongs to somebody else/);
  const { spec, metadata } = await world.functions.get(key);
  assert.deepEqual([spec.compatibility, metadata.ownerReferences], [undefined, undefined]);
  // It goes, and the name is free.
  await world.functions.delete(key);
  await world.cluster.advance('1s');
  assert.equal((await world.functions.get(key)).spec.compatibility, 'kyma');
});

test('what others change is put right, in the Function and in the status', async () => {
  await using world = await start();
  await world.apply({});
  await world.play([ready], { replicas: 1 });
  const { spec } = await world.functions.get(key);
  await world.functions.patch(key, { type: 'merge', patch: { spec: { timeout: '1s' } } });
  await world.cluster.settle();
  assert.deepEqual((await world.functions.get(key)).spec, spec);
  await world.play([ready], { replicas: 1 });
  const patch = { status: { replicas: 7, conditions: [] } };
  await world.kyma.patch(key, { type: 'merge', patch }, { subresource: 'status' });
  await world.cluster.settle();
  const { status } = await world.kyma.get(key);
  assert.deepEqual([status?.replicas, status?.conditions?.length], [1, 2]);
});

test('kubectl scale, and so an autoscaler, changes how many Instances there are', async () => {
  await using world = await start();
  await world.apply({});
  await world.kyma.patch(key, { type: 'merge', patch: { spec: { replicas: 4 } } });
  await world.cluster.settle();
  const { min, max } = (await world.functions.get(key)).spec.scale;
  assert.deepEqual([min, max], [4, 4]);
  const annotations = { 'fnlet.dev/idle-after': '5m' };
  await world.kyma.patch(key, { type: 'merge', patch: { metadata: { annotations } } });
  await world.cluster.settle();
  const { scale } = (await world.functions.get(key)).spec;
  assert.deepEqual([scale.min, scale.max, scale.idleAfter], [0, 4, '5m']);
});

test('a settled Function is written no more, and a restart changes nothing', async () => {
  const before = await start();
  await before.apply({ source: { gitRepository: git }, env: [{ name: 'A', value: 'a' }] });
  await before.play([ready], { replicas: 1 });
  before.cluster.writes.clear();
  await before.cluster.advance('10m');
  assert.deepEqual(before.cluster.writes.entries, []);
  const versions = await before.versions();
  const snapshot = before.cluster.snapshot();
  await before[Symbol.asyncDispose]();
  await using after = await start(snapshot);
  await after.cluster.advance('10m');
  assert.deepEqual(await after.versions(), versions);
});

test('a deleted Kyma Function takes its Function along', async () => {
  await using world = await start();
  await world.apply({});
  await world.kyma.delete(key);
  await world.cluster.advance('5s');
  assert.equal(await world.functions.tryGet(key), undefined);
});
