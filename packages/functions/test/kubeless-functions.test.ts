// Functions of Kubeless against a whole API: what is written for them, and what their status says.
// The part of what runs Functions of Fnlet is played by the test.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FunctionObject, functionCrd, functionType, triggerCrd } from '@fnlet/api';
import {
  httpTriggerCrd,
  type KubelessFunctionObject,
  kubelessFunctionCrd,
  kubelessFunctionType,
} from '@fnlet/api/kubeless';
import { seededRandom, silentLogger } from '@fnlet/base';
import { createClient, type ResourceClient } from '@fnlet/client';
import { findCondition } from '@fnlet/machinery';
import { eventType, type KubeEvent } from '@fnlet/reconcile';
import { startTestCluster, type TestCluster } from '@fnlet/testing';
import { createKubeless } from '../src/kubeless.ts';

const key = { namespace: 'default', name: 'hello' };
const right = { runtime: 'nodejs14', handler: 'hello.run', function: 'exports.run = () => 1;' };

class KubelessWorld implements AsyncDisposable {
  readonly cluster: TestCluster;
  readonly kubeless: ResourceClient<KubelessFunctionObject>;
  readonly functions: ResourceClient<FunctionObject>;
  readonly #abort = new AbortController();
  readonly #running: Promise<void>;

  constructor(cluster: TestCluster) {
    this.cluster = cluster;
    this.kubeless = cluster.client.of<KubelessFunctionObject>(kubelessFunctionType);
    this.functions = cluster.client.of<FunctionObject>(functionType);
    const { clock } = cluster;
    const client = createClient(cluster.transport(), { fieldManager: 'fnlet', clock });
    const base = { clock, random: seededRandom(1), logger: silentLogger };
    const brokers = { kafka: 'kafka:9092', nats: 'nats://nats:4222' };
    this.#running = createKubeless({ client, brokers, ...base }).run(this.#abort.signal);
  }

  async apply(spec: object, metadata: object = {}): Promise<void> {
    await this.kubeless.apply(
      Object({
        apiVersion: 'kubeless.io/v1beta1',
        kind: 'Function',
        metadata: { ...key, ...metadata },
        spec: { ...right, ...spec },
      }),
      { force: true },
    );
    await this.cluster.settle();
  }

  /** Says about the Function of Fnlet what its own controllers would. */
  async play(status: 'True' | 'False', reason: string, message: string): Promise<void> {
    const { metadata } = await this.functions.get(key);
    const { generation: observedGeneration = 0 } = metadata;
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const ready = { type: 'Ready', status, reason, message, observedGeneration };
    const patch = { status: { replicas: 2, conditions: [{ ...ready, lastTransitionTime }] } };
    await this.functions.patch(key, { type: 'merge', patch }, { subresource: 'status' });
    await this.cluster.settle();
  }

  async ready(): Promise<readonly (string | undefined)[]> {
    const { status } = await this.kubeless.get(key);
    const found = findCondition(status?.conditions, 'Ready');
    return [found?.status, found?.reason, found?.message];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await this.#running;
    await this.cluster.close();
  }
}

async function start(): Promise<KubelessWorld> {
  const objects = [kubelessFunctionCrd, httpTriggerCrd, functionCrd, triggerCrd];
  return new KubelessWorld(await startTestCluster({ objects }));
}

test('a function is run by a Function of its name, which goes with it', async () => {
  await using world = await start();
  await world.apply({}, { labels: { team: 'a' }, finalizers: ['kubeless.io/function'] });
  const made = await world.functions.get(key);
  assert.equal(made.spec.compatibility, 'kubeless');
  assert.deepEqual(made.metadata.labels, { team: 'a' });
  assert.deepEqual(made.spec.labels, { team: 'a' });
  assert.equal(made.metadata.ownerReferences?.[0]?.kind, 'Function');
  await world.kubeless.delete(key);
  await world.cluster.settle();
  assert.equal(await world.kubeless.tryGet(key), undefined);
  assert.equal(await world.functions.tryGet(key), undefined);
});

test('its status and Events tell what becomes of it, and nothing is written twice', async () => {
  await using world = await start();
  await world.apply({});
  assert.deepEqual((await world.ready()).slice(0, 2), ['Unknown', 'Deploying']);
  await world.play('True', 'Ready', 'It serves');
  assert.deepEqual(await world.ready(), ['True', 'Ready', 'It serves']);
  const { status, metadata } = await world.kubeless.get(key);
  assert.equal(status?.replicas, 2);
  await world.apply({});
  assert.equal((await world.kubeless.get(key)).metadata.resourceVersion, metadata.resourceVersion);
  await world.play('False', 'SyntaxError', 'hello.js:1: expected ;');
  assert.deepEqual((await world.ready()).slice(0, 2), ['False', 'SyntaxError']);
  await world.cluster.advance('1s');
  const { items } = await world.cluster.client.of<KubeEvent>(eventType).list({});
  assert.deepEqual(
    items.map(({ type, reason }) => `${type} ${reason}`),
    ['Normal Deploying', 'Normal Ready', 'Warning SyntaxError'],
  );
});

test('what cannot be translated leaves the Function that runs as it is, and says why', async () => {
  await using world = await start();
  await world.apply({});
  const { spec } = await world.functions.get(key);
  await world.apply({ handler: 'hello' });
  assert.deepEqual((await world.functions.get(key)).spec, spec);
  const [status, reason, message] = await world.ready();
  assert.deepEqual([status, reason], ['False', 'InvalidSpec']);
  assert.match(message ?? '', /expected module\.function/);
});

test("somebody else's Function of that name stays, until it goes", async () => {
  await using world = await start();
  const source = { inline: 'x' };
  await world.functions.create(
    Object({
      apiVersion: 'fnlet.dev/v1alpha1',
      kind: 'Function',
      metadata: key,
      spec: { runtime: 'nodejs24', source },
    }),
  );
  await world.apply({});
  assert.equal((await world.ready())[1], 'NameTaken');
  assert.deepEqual((await world.functions.get(key)).spec.source, source);
  await world.functions.delete(key);
  await world.cluster.settle();
  assert.equal((await world.functions.get(key)).spec.compatibility, 'kubeless');
});

test('a change by hand of what runs it is put right', async () => {
  await using world = await start();
  await world.apply({});
  const patch = { spec: { timeout: '1s' } };
  await world.functions.patch(key, { type: 'merge', patch });
  await world.cluster.settle();
  assert.equal((await world.functions.get(key)).spec.timeout, '180s');
});
