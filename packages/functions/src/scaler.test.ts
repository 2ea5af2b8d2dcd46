import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultScale, type ResolvedScale, resolveScale } from '@fnlet/api';
import { seededRandom, VirtualClock } from '@fnlet/base';
import {
  createMemoryExecutor,
  type MemoryExecutor,
  type MemoryExecutorOptions,
  type RunnableRevision,
} from '@fnlet/executor';
import { type Floor, noReadings, type Readings } from '@fnlet/scaling';
import { MemoryGateway } from '../test/memory-gateway.ts';
import { sampleRunnable } from '../test/samples.ts';
import { Scaler } from './scaler.ts';

const a = sampleRunnable('a');

interface Run {
  readonly clock: VirtualClock;
  readonly gateway: MemoryGateway;
  readonly executor: MemoryExecutor;
  readonly scaler: Scaler;
  readonly scales: Map<string, ResolvedScale>;
  readonly known: Map<string, RunnableRevision>;
  readonly notes: string[];
  readonly needs: number[];
  readonly floors: Map<string, readonly Floor[]>;
  readings: Readings;
  load: () => Promise<RunnableRevision>;
  phases(id?: string): string[];
}

const scale: ResolvedScale = resolveScale({ ...defaultScale, max: 10, target: 1 });

function start(options: Pick<MemoryExecutorOptions, 'load'> = {}): Run {
  const clock = new VirtualClock();
  const executor = createMemoryExecutor({ clock, random: seededRandom(1), ...options });
  const gateway = new MemoryGateway(clock, (id) => run.scaler.onDemand(id));
  const scales = new Map([[a.id, scale]]);
  const known = new Map([[a.id, a]]);
  const notes: string[] = [];
  const needs: number[] = [];
  const scaler = new Scaler({
    executor,
    gateway,
    clock,
    scaleOf: (id) => scales.get(id),
    floorsOf: (id) => run.floors.get(id) ?? [],
    readingsOf: () => run.readings,
    onNeed: (_, needed) => needs.push(needed),
    known: (id) => known.get(id),
    load: () => run.load(),
    onLoaded: (id) => notes.push(`loaded ${id}`),
    onLoadFailed: (id) => notes.push(`failed ${id}`),
    onScaled: ({ from, to, reason, isWoken }) => {
      if (!isWoken) notes.push(`${from} -> ${to}: ${reason}`);
    },
  });
  executor.subscribe((event) => scaler.onInstance(event));
  const run: Run = {
    clock,
    gateway,
    executor,
    scaler,
    scales,
    known,
    notes,
    needs,
    floors: new Map(),
    readings: noReadings,
    load: () => Promise.reject(new Error('not expected')),
    phases: (id = a.id) => executor.instances(id).map(({ phase }) => phase),
  };
  gateway.setRoute({
    namespace: 'default',
    function: 'hello',
    revision: a.id,
    timeoutMs: 1000,
    wakeMs: 0,
    bodyBytesMax: 1000,
    concurrencyLimit: 0,
    concurrencyTarget: 0,
  });
  return run;
}

function call(run: Run): Promise<unknown> {
  return run.gateway.call('default', 'hello');
}

test('the first call starts an Instance in the same tick, a hundred start one', async () => {
  const run = start();
  const calls = Array.from({ length: 100 }, () => call(run));
  assert.equal(run.executor.instances(a.id).length, 1);
  await run.clock.advance(10);
  await Promise.all(calls);
  assert.deepEqual(run.phases(), ['ready']);
});

test('an Instance is told to the Gateway in the tick of the call, as starting until it is ready', async () => {
  const run = start();
  void call(run);
  const ids = run.executor.instances(a.id).map(({ id }) => id);
  assert.deepEqual(run.gateway.startingOf(a.id), ids);
  assert.deepEqual(run.gateway.endpointsOf(a.id), []);
  await run.clock.advance(10);
  assert.deepEqual(run.gateway.startingOf(a.id), []);
  assert.deepEqual(run.gateway.endpointsOf(a.id), ids);
});

test('an Instance that would refuse calls before its code is told once it does not', async () => {
  const run = start();
  const instances = run.executor.instances.bind(run.executor);
  let holdsCalls = false;
  run.executor.instances = (id) => instances(id).map((one) => ({ ...one, holdsCalls }));
  void call(run);
  assert.deepEqual(run.gateway.startingOf(a.id), []);
  holdsCalls = true;
  const [instance] = run.executor.instances(a.id);
  assert.ok(instance);
  run.scaler.onInstance({ kind: 'expecting', instance });
  assert.deepEqual(run.gateway.startingOf(a.id), [instance.id]);
});

test('an Instance whose code does not load is told to the Gateway no longer', async () => {
  const failure = { code: 'LoadError', message: 'no' } as const;
  const run = start({ load: () => ({ afterMs: 5, failure }) });
  void call(run);
  assert.equal(run.gateway.startingOf(a.id).length, 1);
  await run.clock.advance(10);
  assert.deepEqual(run.phases(), ['backingOff']);
  assert.deepEqual(run.gateway.startingOf(a.id), []);
});

test('who begins while calls are answered takes over all that answers them, once', async () => {
  const run = start();
  run.known.delete(a.id);
  run.load = () => Promise.resolve(a);
  run.executor.inherited = () => 3;
  const end = run.gateway.hold(a.id);
  run.scaler.onDemand(a.id);
  await run.clock.advance(10);
  assert.equal(run.executor.instances(a.id).length, 3);
  assert.deepEqual(run.notes, [`loaded ${a.id}`]);
  run.scales.set(a.id, { ...scale, max: 2 });
  end();
  await run.clock.advance(61_000);
  assert.deepEqual(run.phases(), []);
});

test('who begins takes over no more than there may be, and nothing that nobody calls', async () => {
  const run = start();
  run.executor.inherited = () => 30;
  run.scaler.onDemand(a.id);
  await run.clock.advance(10);
  assert.equal(run.executor.instances(a.id).length, scale.max);
  const idle = start();
  idle.known.delete(a.id);
  idle.load = () => Promise.resolve(a);
  idle.executor.inherited = () => 3;
  idle.scaler.onDemand(a.id);
  await idle.clock.advance(10);
  assert.deepEqual(idle.phases(), []);
});

test('nobody called: no Instance, no timer', () => {
  const run = start();
  assert.deepEqual(run.phases(), []);
  assert.equal(run.clock.timers, 0);
});

test('after idleAfter the Instance ends, and with it every timer; the next call wakes it', async () => {
  const run = start();
  void call(run);
  await run.clock.advance(59_999);
  assert.deepEqual(run.phases(), ['ready']);
  await run.clock.advance(2000);
  assert.deepEqual(run.phases(), []);
  assert.deepEqual(run.gateway.endpointsOf(a.id), []);
  assert.equal(run.notes.at(-1), '1 -> 0: no call for 60 s');
  assert.equal(run.clock.timers, 0);
  const again = call(run);
  await run.clock.advance(10);
  await again;
});

test('a call in flight keeps its Instance awake', async () => {
  const run = start();
  void call(run);
  await run.clock.advance(10);
  const release = run.gateway.hold(a.id);
  await run.clock.advance(300_000);
  assert.deepEqual(run.phases(), ['ready']);
  release();
  run.scaler.close();
});

test('min is kept awake without any call, and a new min takes effect', async () => {
  const run = start();
  run.scales.set(a.id, { ...scale, min: 2 });
  run.scaler.serve(a.id);
  await run.clock.advance(600_000);
  assert.deepEqual(run.phases(), ['ready', 'ready']);
  run.scales.set(a.id, { ...scale, min: 3 });
  run.scaler.serve(a.id);
  await run.clock.advance(10);
  assert.equal(run.phases().length, 3);
  run.scales.set(a.id, scale);
  run.scaler.serve(a.id);
  await run.clock.advance(100_000);
  assert.deepEqual(run.phases(), []);
});

test('idleAfter 0 never sleeps', async () => {
  const run = start();
  run.scales.set(a.id, { ...scale, idleAfterMs: 0 });
  void call(run);
  await run.clock.advance(3_600_000);
  assert.deepEqual(run.phases(), ['ready']);
});

test('a Revision that was proven stays for idleAfter although nobody called it yet', async () => {
  const run = start();
  run.scales.delete(a.id);
  run.scaler.prove(a);
  await run.clock.advance(10);
  run.scales.set(a.id, scale);
  run.scaler.serve(a.id);
  await run.clock.advance(59_000);
  assert.deepEqual(run.phases(), ['ready']);
  await run.clock.advance(2000);
  assert.deepEqual(run.phases(), []);
});

test('a Revision that was replaced ends at once when nobody waits for it', async () => {
  const run = start();
  void call(run);
  await run.clock.advance(10);
  run.scales.delete(a.id);
  run.scaler.retire(a.id);
  assert.deepEqual(run.gateway.endpointsOf(a.id), []);
  await run.clock.advance(10);
  assert.deepEqual(run.phases(), []);
  assert.equal(run.clock.timers, 0);
});

test('a Revision that was replaced while waking answers those who waited', async () => {
  const run = start();
  const waiting = call(run);
  run.scales.delete(a.id);
  run.scaler.retire(a.id);
  await run.clock.advance(10);
  await waiting;
  await run.clock.advance(2000);
  assert.deepEqual(run.phases(), []);
});

test('an Instance with a call in flight is told to end only after it', async () => {
  const run = start();
  void call(run);
  await run.clock.advance(10);
  const release = run.gateway.hold(a.id);
  run.scales.delete(a.id);
  run.scaler.retire(a.id);
  await run.clock.advance(5000);
  assert.deepEqual(run.phases(), ['ready']);
  release();
  await run.clock.advance(10);
  assert.deepEqual(run.phases(), []);
});

test('a call in flight has the time to drain once, not twice', async () => {
  const run = start({ load: () => ({ drainMs: 600_000 }) });
  void call(run);
  await run.clock.advance(10);
  run.gateway.hold(a.id);
  run.scales.delete(a.id);
  run.scaler.retire(a.id);
  await run.clock.advance(a.limits.drainMs - 1);
  assert.deepEqual(run.phases(), ['ready']);
  await run.clock.advance(1000);
  assert.deepEqual(run.phases(), []);
});

test('a call that comes while a Revision ends keeps it', async () => {
  const run = start();
  void call(run);
  await run.clock.advance(10);
  const release = run.gateway.hold(a.id);
  run.scaler.retire(a.id);
  const back = call(run);
  await back;
  release();
  await run.clock.advance(10);
  assert.deepEqual(run.phases(), ['ready']);
  run.scaler.close();
});

test('abandon() ends what was being proven and nothing that serves', async () => {
  const run = start();
  run.scales.delete(a.id);
  run.scaler.prove(a);
  run.scaler.abandon(a.id);
  await run.clock.advance(10);
  assert.deepEqual(run.phases(), []);
  run.scales.set(a.id, scale);
  void call(run);
  await run.clock.advance(10);
  run.scaler.abandon(a.id);
  assert.deepEqual(run.phases(), ['ready']);
  run.scaler.close();
});

test('a Revision that is not loaded is loaded once for all who wait, and tried again', async () => {
  const run = start();
  run.known.clear();
  const results = [Promise.reject(new Error('away')), Promise.resolve(a)];
  results[0]?.catch(() => {});
  let loads = 0;
  run.load = () => results[loads++] ?? Promise.reject(new Error('too often'));
  const calls = [call(run), call(run)];
  await run.clock.advance(1000);
  assert.deepEqual(run.notes, [`failed ${a.id}`]);
  await run.clock.advance(5000);
  await Promise.all(calls);
  assert.equal(loads, 2);
  assert.deepEqual(run.phases(), ['ready']);
});

test('an Instance that crashes gets no calls until it is ready again', async () => {
  const run = start();
  void call(run);
  await run.clock.advance(10);
  const [id = ''] = run.gateway.endpointsOf(a.id);
  run.executor.crash(id);
  assert.deepEqual(run.gateway.endpointsOf(a.id), []);
  await run.clock.advance(20_000);
  assert.equal(run.gateway.endpointsOf(a.id).length, 1);
  run.scaler.close();
});

test('callers of a Revision that crashes again and again are told until it is started', async () => {
  const run = start();
  void call(run);
  await run.clock.advance(10);
  const crash = (): void => run.executor.crash(run.executor.instances(a.id)[0]?.id ?? '');
  crash();
  await run.clock.advance(10);
  assert.equal(run.gateway.outages.get(a.id), undefined, 'the first crash is mended at once');
  crash();
  assert.equal(run.gateway.outages.get(a.id)?.reason, 'InstanceCrashed');
  assert.equal(run.gateway.outages.get(a.id)?.retryAfterMs, 10_000);
  await run.clock.advance(10_000);
  assert.equal(run.gateway.outages.get(a.id), undefined);
});

test('a floor wakes a Revision, and lets it sleep again when it ends', async () => {
  const run = start();
  run.floors.set(a.id, [{ min: 2, reason: 'the schedule wants 2' }]);
  run.scaler.serve(a.id);
  await run.clock.advance(300_000);
  assert.deepEqual(run.phases(), ['ready', 'ready']);
  assert.deepEqual(run.notes, ['0 -> 2: the schedule wants 2']);
  assert.ok(
    run.needs.every((need) => need === 0),
    'a floor is no demand',
  );
  run.floors.clear();
  run.scaler.serve(a.id);
  await run.clock.advance(10);
  assert.deepEqual(run.phases(), []);
  assert.equal(run.clock.timers, 0);
});

test('a floor beyond max is as high as max', async () => {
  const run = start();
  run.floors.set(a.id, [{ min: 50, reason: 'predicted: 50' }]);
  run.scaler.serve(a.id);
  await run.clock.advance(10_000);
  assert.equal(run.phases().length, 10);
});

test('a number of others wakes a Revision, though it is to be loaded first', async () => {
  const run = start();
  const lag = { kind: 'external', name: 'lag', target: 10, tolerance: 0 } as const;
  run.scales.set(a.id, { ...scale, metrics: [lag] });
  run.known.clear();
  run.load = () => Promise.resolve(a);
  run.scaler.look(a.id, false);
  await run.clock.advance(10);
  assert.deepEqual(run.phases(), []);
  run.readings = { ...noReadings, external: new Map([['lag', 25]]) };
  run.scaler.look(a.id, true);
  await run.clock.advance(2000);
  assert.deepEqual(run.phases(), ['ready', 'ready', 'ready']);
  run.readings = { ...noReadings, external: new Map([['lag', 0]]) };
  await run.clock.advance(120_000);
  assert.deepEqual(run.phases(), []);
});

test('a Revision wakes with as many Instances as activation says, in the tick of the call', () => {
  const run = start();
  run.scales.set(a.id, { ...scale, activation: 3 });

  test('a Revision wakes with no more Instances than max, whatever activation says', () => {
    const run = start();
    run.scales.set(a.id, { ...scale, activation: 30, max: 2 });
    void call(run);
    assert.equal(run.executor.instances(a.id).length, 2);
    run.scaler.close();
  });
  void call(run);
  assert.equal(run.executor.instances(a.id).length, 3);
  run.scaler.close();
});
