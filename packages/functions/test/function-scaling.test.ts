import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FunctionSpec } from '@fnlet/api';
import { findCondition } from '@fnlet/machinery';
import { createMachine, World } from './world.ts';

const scale = { min: 0, max: 10, target: 50, limit: 0, idleAfter: '60s' };

function scaled(change: object): Partial<FunctionSpec> {
  return { scale: { ...scale, ...change } };
}

const refused: readonly [string, object, RegExp][] = [
  ['two ways to say a metric', { metric: 'rps', metrics: [{ rps: { target: 1 } }] }, /exclude/],
  [
    'a metric that is two',
    { metrics: [{ rps: { target: 1 }, cpu: { target: 1 } }] },
    /exactly one/,
  ],
  ['a metric that is none', { metrics: [{}] }, /exactly one of concurrency, rps, cpu/],
  ['a window that sees nothing', { window: '1s' }, /between 6s and 1h/],
  ['a prediction too far ahead', { prediction: { ahead: '1h' } }, /at most 15m/],
];

test('what a scale must not say is refused with what to do', async () => {
  await using world = await new World(createMachine()).start();
  for (const [what, change, message] of refused) {
    const answer = await world.post('hello', scaled(change));
    assert.equal(answer.status, 422, what);
    assert.match(JSON.stringify(await answer.json()), message, what);
  }
  const all = scaled({
    metrics: [{ rps: { target: 5 } }, { cpu: { target: 70 } }],
    ...{ burst: 5, activation: 2, tolerance: 5, window: '2m', panicWindow: '10s' },
    behavior: { scaleDown: { policies: [{ type: 'Percent', value: 50, periodSeconds: 15 }] } },
    schedule: [{ start: '0 8 * * mon-fri', end: '0 18 * * mon-fri', min: 2 }],
    prediction: {},
  });
  const answer = await world.post('hello', all);
  assert.equal(answer.status, 201, JSON.stringify(await answer.json()));
  assert.equal((await world.get('hello')).spec.scale.prediction?.ahead, '5m');
});

test('the status tells the last change of scale and why, and an Event, but for calls', async () => {
  await using world = await new World(createMachine()).start();
  await world.apply('hello', {});
  await world.ready('hello');
  assert.equal((await world.get('hello')).status?.selector, 'fnlet.dev/function=hello');
  await world.advance(61_000);
  await world.until(async () => (await world.get('hello')).status?.scaling?.to === 0);
  const asleep = (await world.get('hello')).status?.scaling;
  assert.deepEqual([asleep?.from, asleep?.reason], [1, 'no call for 60 s']);
  await world.call('hello');
  await world.until(async () => (await world.get('hello')).status?.scaling?.to === 1);
  assert.equal((await world.get('hello')).status?.scaling?.reason, 'a call waits');
  await world.advance(5000);
  const reasons = (await world.events('hello')).map(({ reason }) => reason);
  assert.deepEqual(
    reasons.filter((reason) => reason?.startsWith('Scaled')),
    ['ScaledToZero'],
  );
});

test('a schedule wakes a Function that nobody calls, and lets it sleep', async () => {
  const machine = createMachine();
  await using world = await new World(machine).start();
  await world.apply(
    'hello',
    scaled({ schedule: [{ start: '0 * * * *', end: '30 * * * *', min: 2 }] }),
  );
  await world.ready('hello');
  const count = (): number => world.executor.instances().length;
  const hourMs = 3_600_000;
  const minute = (): number => new Date(machine.clock.now()).getUTCMinutes();
  await world.advance(hourMs - (machine.clock.now() % hourMs) - 1000);
  assert.deepEqual([minute(), count()], [59, 0]);
  await world.advance(2000);
  assert.deepEqual([minute(), count()], [0, 2]);
  await world.advance(hourMs / 2 - 2000);
  assert.deepEqual([minute(), count()], [29, 2]);
  await world.advance(2000);
  assert.deepEqual([minute(), count()], [30, 0]);
});

test('a number of Prometheus wakes a Function and scales it; when it is away, that is said', async () => {
  await using world = await new World(createMachine()).start();
  let value: string | undefined = '0';
  world.fetchText = () => {
    if (value === undefined) return Promise.reject(new Error('connect ECONNREFUSED'));
    const result = [{ value: [0, value] }];
    return Promise.resolve(
      JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }),
    );
  };
  const jobs = { name: 'jobs', url: 'http://p', query: 'jobs', target: 10 };
  await world.apply('hello', scaled({ metrics: [{ prometheus: jobs }] }));
  await world.ready('hello');
  world.patienceMs = 300_000;
  const count = (): number => world.executor.instances().length;
  await world.advance(90_000);
  assert.equal(count(), 0);
  value = '25';
  await world.until(() => count() === 3);
  value = undefined;
  const { message } = await world.condition('hello', 'ScalingActive', 'False');
  assert.equal(message, 'jobs: connect ECONNREFUSED');
  await world.advance(600_000);
  assert.equal(count(), 3, 'what is not known never makes it shrink');
  value = '0';
  await world.condition('hello', 'ScalingActive', 'True');
  await world.until(() => count() === 0);
  await world.apply('hello', {});
  const { status } = await world.ready('hello');
  assert.equal(findCondition(status?.conditions, 'ScalingActive')?.status, 'True');
});

test('calls that wait to be answered later count while it is awake', async () => {
  await using world = await new World(createMachine()).start();
  await world.apply('hello', scaled({ metrics: [{ lag: { target: 100 } }] }));
  await world.ready('hello');
  world.lags.set('hello', 350);
  await world.call('hello');
  world.patienceMs = 90_000;
  await world.until(() => world.executor.instances().length === 4);
  world.lags.set('hello', 0);
  await world.until(() => world.executor.instances().length === 0);
});

test('Instances that use much CPU become more', async () => {
  await using world = await new World(createMachine()).start();
  world.usages = (instances) =>
    instances.map(({ id, revision }) => ({
      key: { namespace: revision.namespace, name: id },
      usage: { cores: 1.8 / instances.length, memoryBytes: 0 },
    }));
  await world.apply('hello', scaled({ metric: 'cpu', target: 60 }));
  const { status } = await world.ready('hello');
  const release = world.gateway.hold(`default/${status?.revision}`);
  world.patienceMs = 60_000;
  await world.until(() => world.executor.instances().length === 3);
  await world.advance(60_000);
  assert.equal(world.executor.instances().length, 3);
  release();
});

test('a learned history is kept in a ConfigMap that goes with the Function', async () => {
  const machine = createMachine();
  await using world = await new World(machine).start();
  await world.apply('hello', scaled({ prediction: {} }));
  const { metadata } = await world.ready('hello');
  await world.advance(61_000);
  await world.call('hello');
  await world.advance(1_000_000);
  await world.call('hello');
  await world.advance(10_000);
  const configMaps = world.client.of({
    ...{ group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true },
  });
  const key = { namespace: 'default', name: 'hello.demand' };
  let book: unknown;
  await world.until(async () => {
    book = await configMaps.tryGet(key);
    return book !== undefined;
  });
  assert.match(JSON.stringify(book), /"history":"\d+ 1"/);
  assert.match(JSON.stringify(book), new RegExp(`"uid":"${metadata.uid}"`));
});
