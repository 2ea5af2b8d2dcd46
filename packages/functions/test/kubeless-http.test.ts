// HTTPTriggers of Kubeless against a whole API. What opens routes for Triggers is played by the test.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { functionCrd, functionType, type TriggerObject, triggerCrd, triggerType } from '@fnlet/api';
import {
  cronJobTriggerCrd,
  type HttpTriggerObject,
  httpTriggerCrd,
  httpTriggerType,
  kafkaTriggerCrd,
  kubelessFunctionCrd,
  natsTriggerCrd,
} from '@fnlet/api/kubeless';
import { seededRandom, silentLogger } from '@fnlet/base';
import { createClient, type ResourceClient } from '@fnlet/client';
import { findCondition, type KubeObject } from '@fnlet/machinery';
import { startTestCluster, type TestCluster } from '@fnlet/testing';
import { createKubeless } from '../src/kubeless.ts';

const key = { namespace: 'default', name: 'door' };

class HttpWorld implements AsyncDisposable {
  readonly cluster: TestCluster;
  readonly httpTriggers: ResourceClient<HttpTriggerObject>;
  readonly triggers: ResourceClient<TriggerObject>;
  readonly functions: ResourceClient<KubeObject>;
  readonly #abort = new AbortController();
  readonly #running: Promise<void>;

  constructor(cluster: TestCluster) {
    this.cluster = cluster;
    this.httpTriggers = cluster.client.of<HttpTriggerObject>(httpTriggerType);
    this.triggers = cluster.client.of<TriggerObject>(triggerType);
    this.functions = cluster.client.of<KubeObject>(functionType);
    const { clock } = cluster;
    const client = createClient(cluster.transport(), { fieldManager: 'fnlet', clock });
    const base = { clock, random: seededRandom(1), logger: silentLogger };
    const brokers = { kafka: 'kafka:9092', nats: 'nats://nats:4222' };
    const kubeless = createKubeless({ client, brokers, ...base });
    this.#running = kubeless.run(this.#abort.signal);
  }

  static async start(): Promise<HttpWorld> {
    const objects = [
      ...[kubelessFunctionCrd, cronJobTriggerCrd, httpTriggerCrd, kafkaTriggerCrd, natsTriggerCrd],
      ...[functionCrd, triggerCrd],
    ];
    return new HttpWorld(await startTestCluster({ objects }));
  }

  async apply(spec: object): Promise<void> {
    const { group, version, kind } = httpTriggerType;
    const named = { apiVersion: `${group}/${version}`, kind, metadata: key };
    await this.httpTriggers.apply(
      Object({ ...named, spec: { 'function-name': 'hello', ...spec } }),
      {
        force: true,
      },
    );
    await this.cluster.settle();
  }

  async createFunction(): Promise<void> {
    await this.functions.create(
      Object({
        ...{ apiVersion: 'fnlet.dev/v1alpha1', kind: 'Function' },
        metadata: { namespace: 'default', name: 'hello' },
        spec: { runtime: 'nodejs24', source: { inline: 'x' } },
      }),
    );
    await this.cluster.settle();
  }

  /** Says about the Trigger what opens its route would. */
  async play(status: 'True' | 'False', reason: string, message: string): Promise<void> {
    const { generation: observedGeneration = 0 } = (await this.triggers.get(key)).metadata;
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const ready = { type: 'Ready', status, reason, message, observedGeneration };
    const url = 'http://shop.example.com/a';
    const patch = { status: { url, conditions: [{ ...ready, lastTransitionTime }] } };
    await this.triggers.patch(key, { type: 'merge', patch }, { subresource: 'status' });
    await this.cluster.settle();
  }

  async ready(): Promise<readonly (string | undefined)[]> {
    const { status } = await this.httpTriggers.get(key);
    const found = findCondition(status?.conditions, 'Ready');
    return [found?.status, found?.reason, found?.message];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await this.#running;
    await this.cluster[Symbol.asyncDispose]();
  }
}

test('an HTTPTrigger has a Trigger, and shows what becomes of it', async () => {
  await using world = await HttpWorld.start();
  await world.createFunction();
  await world.apply({ 'host-name': 'shop.example.com', path: 'a', tls: true });
  const { metadata, spec } = await world.triggers.get(key);
  assert.equal(metadata.ownerReferences?.[0]?.kind, 'HTTPTrigger');
  const http = { hosts: ['shop.example.com'], paths: [{ prefix: '/a' }] };
  assert.deepEqual(spec, { source: { http }, target: { function: 'hello' } });
  assert.deepEqual((await world.ready()).slice(0, 2), ['Unknown', 'Opening']);
  await world.play('True', 'Ready', 'Requests reach the Function');
  assert.deepEqual(await world.ready(), [
    ...['True', 'Ready'],
    'Requests reach the Function. tls gets no certificate from an authority: the Gateway shows ' +
      'one that it makes, and serves requests without TLS, too',
  ]);
  const { status } = await world.httpTriggers.get(key);
  assert.equal(status?.url, 'http://shop.example.com/a');
  // What Kubeless's controller forgot: annotations of an Ingress that it had made already.
  await world.apply({ 'host-name': 'shop.example.com', 'cors-enable': true });
  const changed = (await world.triggers.get(key)).spec.source.http;
  assert.deepEqual(Object.keys(changed ?? {}), ['hosts', 'cors']);
  await world.play('False', 'RouteConflict', 'Another has it');
  assert.deepEqual(await world.ready(), ['False', 'RouteConflict', 'Another has it']);
});

test('an HTTPTrigger that no Trigger can be leaves what is there as it is', async () => {
  await using world = await HttpWorld.start();
  await world.apply({ 'host-name': 'shop.example.com' });
  await world.apply({ 'host-name': 'not a host' });
  const [status, reason, message] = await world.ready();
  assert.deepEqual([status, reason], ['False', 'InvalidSpec']);
  assert.match(message ?? '', /hosts\[0\]/);
  const { http } = (await world.triggers.get(key)).spec.source;
  assert.deepEqual(http?.hosts, ['shop.example.com']);
});

test('a Trigger of that name that is somebody else has is left alone', async () => {
  await using world = await HttpWorld.start();
  const own = { source: { http: {} }, target: { function: 'other' } };
  const { group, version, kind } = triggerType;
  await world.triggers.create(
    Object({ apiVersion: `${group}/${version}`, kind, metadata: key, spec: own }),
  );
  await world.apply({});
  const [status, reason, message] = await world.ready();
  assert.deepEqual([status, reason], ['False', 'NameTaken']);
  assert.match(message ?? '', /^Trigger "door" of fnlet\.dev exists and belongs to somebody else/);
  assert.deepEqual((await world.triggers.get(key)).spec, own);
  await world.triggers.delete(key);
  await world.cluster.settle();
  assert.equal((await world.triggers.get(key)).spec.target.function, 'hello');
});

test('an HTTPTrigger goes with its function, and its Trigger with it', async () => {
  await using world = await HttpWorld.start();
  await world.apply({});
  assert.equal((await world.httpTriggers.get(key)).metadata.ownerReferences, undefined);
  await world.createFunction();
  // The route is open only now, which is news.
  await world.play('True', 'Ready', 'Requests reach the Function');
  await world.functions.delete({ namespace: 'default', name: 'hello' });
  await world.cluster.settle();
  assert.equal(await world.httpTriggers.tryGet(key), undefined);
  assert.equal(await world.triggers.tryGet(key), undefined);
});
