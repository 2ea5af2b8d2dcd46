import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type JsonObject, seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import { createClient } from '@fnlet/client';
import { PodApi } from '../test/pod-api.ts';
import { revisionFixture } from '../test/revision-fixture.ts';
import { createMemoryExecutor, type MemoryExecutor, type MemoryLoad } from './memory-executor.ts';
import { createPodMirror, type PodMirror } from './pod-mirror.ts';

interface Bench extends AsyncDisposable {
  readonly api: PodApi;
  readonly executor: MemoryExecutor;
  readonly clock: VirtualClock;
  readonly mirror: PodMirror;
  /** Lets everything happen that is due. */
  settle(): Promise<void>;
  restart(): Promise<void>;
}

const revision = revisionFixture();

async function createBench(load: MemoryLoad = {}): Promise<Bench> {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const api = new PodApi();
  const executor = createMemoryExecutor({ clock, random, load: () => load });
  const client = createClient(api, { fieldManager: 'fnlet-executor', clock });
  let abort = new AbortController();
  let mirror: PodMirror | undefined;
  let running: Promise<void> | undefined;
  const settle = (): Promise<void> => clock.advance(200);
  const restart = async (): Promise<void> => {
    abort.abort();
    await running;
    abort = new AbortController();
    const options = { client, executor, nodeName: 'laptop', clock, random, logger: silentLogger };
    mirror = createPodMirror(options);
    running = mirror.run(abort.signal);
    await settle();
  };
  await restart();
  return {
    api,
    executor,
    clock,
    get mirror(): PodMirror {
      return mirror ?? assert.fail('it does not run');
    },
    settle,
    restart,
    async [Symbol.asyncDispose]() {
      abort.abort();
      await running;
    },
  };
}

function onlyPod(api: PodApi): JsonObject {
  const [pod, ...others] = api.pods.values();
  assert.ok(pod !== undefined && others.length === 0);
  return pod;
}

function pathOf(name: string): string {
  return `/api/v1/namespaces/default/pods/${name}`;
}

it('an Instance that woke is one Pod in two writes', async () => {
  await using bench = await createBench();
  bench.executor.ensure(revision, 1);
  assert.deepEqual(bench.api.requests, [], 'nothing is written while it wakes');
  await bench.settle();
  const id = bench.executor.instances()[0]?.id;
  assert.deepEqual(bench.api.requests, [`PATCH ${id}`, `PATCH ${id}/status`]);
  const { metadata, status } = onlyPod(bench.api);
  const labels = Object(metadata).labels;
  assert.equal(labels['fnlet.dev/function'], 'hello');
  assert.equal(Object(status).phase, 'Running');
});

it('nothing is written while Instances start, unless that takes long', async () => {
  await using bench = await createBench({ afterMs: 150 });
  bench.executor.ensure(revision, 2);
  await bench.clock.advance(170);
  assert.deepEqual(bench.api.requests, [], 'all became ready just now');
  await bench.clock.advance(10);
  assert.equal(bench.api.requests.length, 4);
  await using slow = await createBench({ afterMs: 10_000 });
  slow.executor.ensure(revision, 1);
  await slow.clock.advance(249);
  assert.deepEqual(slow.api.requests, []);
  await slow.clock.advance(1);
  assert.equal(Object(onlyPod(slow.api).status).phase, 'Pending');
});

it('show() has the Pods of Instances written before anything else happens', async () => {
  await using bench = await createBench();
  bench.executor.ensure(revision, 2);
  await bench.clock.advance(1);
  assert.deepEqual(bench.api.requests, [], 'it is quiet for too short a time');
  await bench.mirror.show(bench.executor.instances());
  assert.equal(bench.api.requests.length, 4);
  for (const pod of bench.api.pods.values()) assert.equal(Object(pod.status).phase, 'Running');
  await bench.mirror.show(bench.executor.instances());
  await bench.settle();
  assert.equal(bench.api.requests.length, 4, 'what is shown is not written again');
});

it('show() does not wait for a Pod that the API refuses', async () => {
  await using bench = await createBench();
  bench.executor.ensure(revision, 1);
  await bench.clock.advance(1);
  bench.api.failures = 1;
  await bench.mirror.show(bench.executor.instances());
  assert.equal(bench.api.pods.size, 0);
  await bench.settle();
  assert.equal(Object(onlyPod(bench.api).status).phase, 'Running', 'it comes later');
});

it('the Pod of an Instance that stopped is deleted', async () => {
  await using bench = await createBench();
  bench.executor.ensure(revision, 2);
  await bench.settle();
  assert.equal(bench.api.pods.size, 2);
  bench.executor.ensure(revision, 0);
  await bench.settle();
  assert.equal(bench.api.pods.size, 0);
  bench.api.requests.length = 0;
  await bench.clock.advance(60_000);
  assert.deepEqual(bench.api.requests, [], 'and nothing is done about it any more');
});

it('a Pod shows that its Instance terminates, when that takes time', async () => {
  await using bench = await createBench({ drainMs: 2_000 });
  bench.executor.ensure(revision, 1);
  await bench.settle();
  bench.executor.ensure(revision, 0);
  await bench.settle();
  assert.equal(Object(onlyPod(bench.api).metadata).deletionGracePeriodSeconds, 5);
  await bench.clock.advance(2_000);
  assert.equal(bench.api.pods.size, 0);
});

it('a crash loop shows in the Pod', async () => {
  await using bench = await createBench();
  bench.executor.subscribe(({ kind, instance }) => {
    if (kind === 'ready') bench.executor.crash(instance.id);
  });
  bench.executor.ensure(revision, 1);
  await bench.settle();
  const [status] = Object(onlyPod(bench.api).status).containerStatuses;
  assert.equal(status.state.waiting.reason, 'CrashLoopBackOff');
  assert.equal(status.lastState.terminated.exitCode, 1);
  assert.equal(status.restartCount, 1);
});

it('kubectl delete pod drains the Instance, and another one takes its place', async () => {
  await using bench = await createBench();
  bench.executor.ensure(revision, 1);
  await bench.settle();
  const [before = ''] = bench.api.names;
  bench.api.delete(pathOf(before), 30);
  await bench.settle();
  const [after = '', ...others] = bench.api.names;
  assert.deepEqual(others, []);
  assert.notEqual(after, before);
  assert.equal(bench.executor.instances()[0]?.id, after);
});

it('a Pod that is removed by force takes its Instance along', async () => {
  await using bench = await createBench();
  bench.executor.ensure(revision, 1);
  await bench.settle();
  const [before = ''] = bench.api.names;
  bench.api.delete(pathOf(before), 0);
  await bench.settle();
  assert.notEqual(bench.executor.instances()[0]?.id, before);
  assert.equal(bench.api.names[0], bench.executor.instances()[0]?.id);
});

it('a container for debugging has ended at once, and says why', async () => {
  await using bench = await createBench();
  bench.executor.ensure(revision, 1);
  await bench.settle();
  const pod = bench.api.pods.get(pathOf(bench.api.names[0] ?? ''));
  assert.ok(pod !== undefined);
  const ephemeralContainers = [{ name: 'debugger', image: 'busybox' }];
  const spec = { ...Object(pod.spec), ephemeralContainers };
  bench.api.put(pathOf(bench.api.names[0] ?? ''), { ...pod, spec });
  await bench.settle();
  const [status, ...others] = Object(onlyPod(bench.api).status).ephemeralContainerStatuses;
  assert.deepEqual(others, []);
  assert.deepEqual([status.name, status.image], ['debugger', 'busybox']);
  assert.match(status.state.terminated.message, /kubectl exec/);
  bench.api.requests.length = 0;
  await bench.clock.advance(60_000);
  assert.deepEqual(bench.api.requests, [], 'and nothing is written again');
});

it('Pods of an earlier life are deleted at the start, those of other nodes are not', async () => {
  await using bench = await createBench();
  const pod = (name: string, nodeName: string): [string, JsonObject & { metadata: JsonObject }] => [
    pathOf(name),
    { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' }, spec: { nodeName } },
  ];
  const labels = { 'app.kubernetes.io/managed-by': 'fnlet', 'fnlet.dev/revision': 'hello-00001' };
  for (const [path, object] of [pod('mine', 'laptop'), pod('theirs', 'elsewhere')]) {
    bench.api.put(path, { ...object, metadata: { ...object.metadata, labels } });
  }
  await bench.restart();
  assert.deepEqual(bench.api.names, ['theirs']);
});

it('writes that fail are tried again with the newest state', async () => {
  await using bench = await createBench();
  bench.api.failures = 3;
  bench.executor.ensure(revision, 1);
  await bench.settle();
  await bench.clock.advance(2_000);
  assert.equal(Object(onlyPod(bench.api).status).phase, 'Running');
  bench.api.failures = 2;
  bench.executor.ensure(revision, 0);
  await bench.clock.advance(2_000);
  assert.equal(bench.api.pods.size, 0);
});

const broken: MemoryLoad = { failure: { code: 'LoadError', message: 'no db' } };

/** A function whose Instances fail to load until told otherwise. */
async function createFailing(): Promise<Bench & { readonly mend: () => void }> {
  const load: { -readonly [K in keyof MemoryLoad]: MemoryLoad[K] } = { ...broken };
  const bench = await createBench(load);
  bench.executor.ensure(revision, 1);
  await bench.settle();
  bench.executor.ensure(revision, 0);
  await bench.settle();
  return Object.assign(bench, { mend: () => void delete load.failure });
}

it('the Pod of an Instance that never ran stays, so that its log is found', async () => {
  await using bench = await createFailing();
  const { phase, containerStatuses } = Object(onlyPod(bench.api).status);
  assert.equal(phase, 'Failed');
  const { reason, message } = containerStatuses[0].state.terminated;
  assert.deepEqual([reason, message], ['Error', 'no db']);
});

it('the next one that fails takes its place, and one that runs takes it away', async () => {
  await using bench = await createFailing();
  const [before = ''] = bench.api.names;
  bench.executor.ensure(revision, 1);
  await bench.settle();
  bench.executor.ensure(revision, 0);
  await bench.settle();
  const [after = '', ...others] = bench.api.names;
  assert.deepEqual(others, []);
  assert.notEqual(after, before);
  bench.mend();
  bench.executor.ensure(revision, 1);
  await bench.settle();
  assert.deepEqual(bench.api.names, [bench.executor.instances()[0]?.id]);
});

it('a Pod that stayed goes when somebody deletes it, and with the next life', async () => {
  await using bench = await createFailing();
  bench.api.delete(pathOf(bench.api.names[0] ?? ''), 30);
  await bench.settle();
  assert.deepEqual(bench.api.names, []);
  bench.executor.ensure(revision, 1);
  await bench.settle();
  bench.executor.ensure(revision, 0);
  await bench.settle();
  assert.equal(bench.api.names.length, 1);
  await bench.restart();
  assert.deepEqual(bench.api.names, []);
});

it('nothing stays of an Instance that failed when its Pod was deleted', async () => {
  await using bench = await createBench(broken);
  bench.executor.ensure(revision, 1);
  await bench.settle();
  const [before = ''] = bench.api.names;
  bench.api.delete(pathOf(before), 30);
  await bench.settle();
  assert.ok(!bench.api.names.includes(before));
});
