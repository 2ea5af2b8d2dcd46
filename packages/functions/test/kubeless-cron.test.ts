// CronJobTriggers of Kubeless against a whole API, on its clock. The test answers the calls.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { functionCrd, functionType, triggerCrd } from '@fnlet/api';
import {
  type CronJobTriggerObject,
  cronJobTriggerCrd,
  cronJobTriggerType,
  httpTriggerCrd,
  kubelessFunctionCrd,
} from '@fnlet/api/kubeless';
import { seededRandom, silentLogger } from '@fnlet/base';
import { createClient, type ResourceClient } from '@fnlet/client';
import { findCondition, type KubeObject } from '@fnlet/machinery';
import { startTestCluster, type TestCluster } from '@fnlet/testing';
import { createKubeless, type FunctionCall } from '../src/kubeless.ts';

const namespace = 'default';
const key = { namespace, name: 'tick' };

class CronWorld implements AsyncDisposable {
  readonly cluster: TestCluster;
  readonly triggers: ResourceClient<CronJobTriggerObject>;
  readonly functions: ResourceClient<KubeObject>;
  readonly calls: FunctionCall[] = [];
  /** What the function answers; `undefined`: the connection breaks. */
  answer: number | undefined = 200;
  #abort = new AbortController();
  #running: Promise<void>;

  constructor(cluster: TestCluster) {
    this.cluster = cluster;
    this.triggers = cluster.client.of<CronJobTriggerObject>(cronJobTriggerType);
    this.functions = cluster.client.of<KubeObject>(functionType);
    this.#running = this.#run();
  }

  #run(): Promise<void> {
    const { clock } = this.cluster;
    const client = createClient(this.cluster.transport(), { fieldManager: 'fnlet', clock });
    const call = async (made: FunctionCall): Promise<{ status: number }> => {
      this.calls.push(made);
      if (this.answer === undefined) throw new Error('connect ECONNREFUSED');
      return { status: this.answer };
    };
    const parts = { clock, random: seededRandom(1), logger: silentLogger };
    return createKubeless({ client, call, ...parts }).run(this.#abort.signal);
  }

  /** As when Fnlet ends and starts again. */
  async restart(downtime: string): Promise<void> {
    this.#abort.abort();
    await this.#running;
    await this.cluster.advance(downtime);
    this.#abort = new AbortController();
    this.#running = this.#run();
    await this.cluster.settle();
  }

  async create(spec: object): Promise<void> {
    const { group, version, kind } = cronJobTriggerType;
    const apiVersion = `${group}/${version}`;
    await this.triggers.create(
      Object({ apiVersion, kind, metadata: key, spec: { 'function-name': 'hello', ...spec } }),
    );
    await this.cluster.settle();
  }

  async createFunction(): Promise<void> {
    await this.functions.create(
      Object({
        apiVersion: 'fnlet.dev/v1alpha1',
        kind: 'Function',
        metadata: { namespace, name: 'hello' },
        spec: { runtime: 'nodejs24', source: { inline: 'x' } },
      }),
    );
    await this.cluster.settle();
  }

  async reason(): Promise<string | undefined> {
    const { status } = await this.triggers.get(key);
    return findCondition(status?.conditions, 'Ready')?.reason;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await this.#running;
    await this.cluster.close();
  }
}

async function start(): Promise<CronWorld> {
  const objects = [
    ...[cronJobTriggerCrd, kubelessFunctionCrd, httpTriggerCrd],
    ...[functionCrd, triggerCrd],
  ];
  return new CronWorld(await startTestCluster({ objects }));
}

test('a function is called at each time of the schedule', async () => {
  await using world = await start();
  await world.createFunction();
  await world.create({ schedule: '*/5 * * * *', payload: { a: 1 } });
  assert.equal(await world.reason(), 'Scheduled');
  await world.cluster.advance('15m');
  assert.equal(world.calls.length, 3);
  assert.deepEqual(world.calls[0]?.body, '{"a":1}');
  assert.equal(new Set(world.calls.map(({ headers }) => headers['event-id'])).size, 3);
  const { status } = await world.triggers.get(key);
  assert.equal(status?.lastSuccessfulTime, status?.lastScheduleTime);
  const nextMs = Date.parse(status?.nextScheduleTime ?? '');
  assert.equal(nextMs - Date.parse(status?.lastScheduleTime ?? ''), 5 * 60_000);
});

test('several triggers may call one function', async () => {
  await using world = await start();
  await world.createFunction();
  await world.create({ schedule: '@hourly' });
  const { group, version, kind } = cronJobTriggerType;
  await world.triggers.create(
    Object({
      apiVersion: `${group}/${version}`,
      kind,
      metadata: { namespace, name: 'tock' },
      spec: { 'function-name': 'hello', schedule: '30 * * * *' },
    }),
  );
  await world.cluster.advance('2h');
  assert.equal(world.calls.length, 4);
});

for (const [answer, message] of [
  [500, 'an answer that tells of a failure'],
  [undefined, 'a call without an answer'],
] as const) {
  test(`${message} is told, and the next time comes all the same`, async () => {
    await using world = await start();
    await world.createFunction();
    await world.create({ schedule: '* * * * *' });
    world.answer = answer;
    await world.cluster.advance('1m');
    assert.equal(await world.reason(), 'CallFailed');
    assert.equal((await world.triggers.get(key)).status?.lastSuccessfulTime, undefined);
    world.answer = 204;
    await world.cluster.advance('1m');
    assert.equal(await world.reason(), 'Called');
  });
}

test('what was missed while nothing ran is called for once, and nothing twice', async () => {
  await using world = await start();
  await world.createFunction();
  await world.create({ schedule: '*/10 * * * *' });
  await world.cluster.advance('10m');
  assert.equal(world.calls.length, 1);
  await world.restart('1s');
  assert.equal(world.calls.length, 1);
  await world.restart('35m');
  assert.equal(world.calls.length, 2);
});

test('a schedule that cannot be read, and a function that is not there, are told', async () => {
  await using world = await start();
  await world.create({ schedule: '61 * * * *' });
  assert.equal(await world.reason(), 'InvalidSchedule');
  await world.triggers.patch(key, { type: 'merge', patch: { spec: { schedule: '* * * * *' } } });
  await world.cluster.settle();
  assert.equal(await world.reason(), 'FunctionNotFound');
  await world.createFunction();
  await world.cluster.advance('1m');
  assert.equal(await world.reason(), 'Called');
});

test('a trigger goes with its function', async () => {
  await using world = await start();
  await world.createFunction();
  await world.create({ schedule: '@daily' });
  await world.functions.delete({ namespace, name: 'hello' });
  await world.cluster.settle();
  assert.equal(await world.triggers.tryGet(key), undefined);
});
