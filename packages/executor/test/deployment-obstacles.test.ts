/** What keeps Pods from coming, found over a real API and on a virtual clock. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@fnlet/apiserver';
import { seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import { createClient } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { openMemoryStore } from '@fnlet/store';
import {
  DeploymentObstacles,
  type TroubledDeployment,
} from '../src/cluster/deployment-obstacles.ts';
import type { TroubledPod } from '../src/cluster/pod-trouble.ts';

const key = { namespace: 'default', name: 'hello-00001' };

const eventType: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true },
};

class World implements AsyncDisposable {
  readonly clock: VirtualClock = new VirtualClock();
  readonly told: (string | undefined)[] = [];
  pods: TroubledPod[] = [];
  deployment: TroubledDeployment | undefined;
  readonly connected: Set<string> = new Set();
  readonly obstacles: DeploymentObstacles;
  readonly #server: ReturnType<typeof createApiServer>;
  readonly #client: ReturnType<typeof createClient>;
  readonly #abort = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor() {
    const base = { clock: this.clock, random: seededRandom(1), logger: silentLogger };
    this.#server = createApiServer({ ...base, store: openMemoryStore(), tokens: [] });
    const transport = this.#server.transport();
    this.#client = createClient(transport, { fieldManager: 'test', clock: this.clock });
    this.obstacles = new DeploymentObstacles({
      client: this.#client,
      deploymentOf: () => this.deployment,
      podsOf: () => this.pods,
      isConnected: (uid) => this.connected.has(uid),
      isOwn: () => true,
      onObstacle: (_, obstacle) => this.told.push(obstacle?.reason),
      ...base,
    });
  }

  async start(): Promise<this> {
    await this.pump(this.#server.start());
    this.#running = this.obstacles.run(this.#abort.signal);
    return this;
  }

  /** Something has changed, and time passes. */
  async pass(ms: number): Promise<void> {
    this.obstacles.look(key);
    for (let left = ms; left >= 0; left -= 500) await this.clock.advance(Math.min(left, 500));
  }

  async complain(uid: string, reason: string): Promise<void> {
    const event: KubeObject = {
      ...{
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { ...key, name: `${uid}.${reason.toLowerCase()}` },
      },
      ...{ involvedObject: { kind: 'Pod', uid }, type: 'Warning', reason },
      ...{ message: 'secret "keys" not found', lastTimestamp: '2026-01-01T00:00:00Z' },
    };
    await this.pump(this.#client.of(eventType).create(event));
  }

  async pump<T>(promise: Promise<T>): Promise<T> {
    let isOver = false;
    void promise.finally(() => {
      isOver = true;
    });
    for (let turn = 0; !isOver && turn < 2_000; turn++) await this.clock.advance(turn < 20 ? 0 : 5);
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await this.pump(this.#running);
    await this.pump(this.#server.close());
  }
}

function pod(uid: string, status: TroubledPod['status']): TroubledPod {
  const metadata = { ...key, name: uid, uid, creationTimestamp: '2026-01-01T00:00:00Z' };
  return { apiVersion: 'v1', kind: 'Pod', metadata, ...(status && { status }) };
}

const placed: TroubledPod['status'] = {
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'True' }],
};
const unplaced: TroubledPod['status'] = {
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'False', message: 'no room' }],
};

test('a Pod that nobody places is told of at once, and taken back once it is placed', async () => {
  await using world = await new World().start();
  world.pods = [pod('a', unplaced)];
  await world.pass(10);
  await world.pass(10);
  assert.deepEqual(world.told, ['Unschedulable'], 'once');
  world.pods = [pod('a', placed)];
  await world.pass(10);
  assert.deepEqual(world.told, ['Unschedulable', undefined]);
});

test('a Pod that cannot mount something is told of after a while, as its Events say', async () => {
  await using world = await new World().start();
  world.pods = [pod('a', placed)];
  await world.complain('other', 'FailedAttachVolume');
  await world.complain('a', 'FailedMount');
  await world.pass(9_000);
  assert.deepEqual(world.told, []);
  await world.pass(7_000);
  assert.deepEqual(world.told, ['FailedMount']);
  world.connected.add('a');
  await world.pass(10);
  assert.deepEqual(world.told, ['FailedMount', undefined]);
});

test('what the API refuses, and Pods that are not made, are told of and taken back', async () => {
  await using world = await new World().start();
  world.obstacles.refused(key, 'denied');
  await world.pass(10);
  world.obstacles.refused(key, undefined);
  await world.pass(10);
  assert.deepEqual(world.told, ['FailedCreate', undefined]);
  const failure = { type: 'ReplicaFailure', status: 'True', lastTransitionTime: '' } as const;
  const metadata = { ...key };
  const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata };
  const conditions = [{ ...failure, reason: 'FailedCreate', message: 'exceeded quota' }];
  world.deployment = { ...object, status: { conditions } };
  await world.pass(10);
  world.deployment = object;
  await world.pass(10);
  assert.deepEqual(world.told, ['FailedCreate', undefined, 'FailedCreate', undefined]);
});

test('Pods that are about to end, and those that have connected, are not waited for', async () => {
  await using world = await new World().start();
  const { metadata, ...rest } = pod('a', unplaced);
  world.connected.add('b');
  world.pods = [
    { ...rest, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
    pod('b', unplaced),
  ];
  await world.pass(30_000);
  assert.deepEqual(world.told, []);
});
