import assert from 'node:assert/strict';
import { it } from 'node:test';
import { revisionFixture } from '../test/revision-fixture.ts';
import type { Instance, InstanceResources } from './executor.ts';
import { instancePod, instancePodStatus } from './instance-pod.ts';

const createdAtMs = Date.UTC(2026, 0, 1, 12);

function instance(changes: Partial<Instance> = {}): Instance {
  return {
    id: 'hello-00001-abcde',
    revision: revisionFixture({ labels: { team: 'blue' }, env: { PASSWORD: 'secret' } }),
    phase: 'ready',
    address: { socketPath: '/s', host: '127.64.0.1', port: 8080 },
    pid: 42,
    createdAtMs,
    readyAtMs: createdAtMs + 1_000,
    restarts: 0,
    lastExit: undefined,
    ...changes,
  };
}

it('instancePod() names owner, labels, node and image, and no environment', () => {
  const pod = instancePod(instance(), 'laptop');
  assert.equal(pod.metadata.name, 'hello-00001-abcde');
  assert.deepEqual(pod.metadata.ownerReferences, [instance().revision.owner]);
  assert.deepEqual(pod.metadata.labels, {
    team: 'blue',
    'app.kubernetes.io/managed-by': 'fnlet',
    'app.kubernetes.io/name': 'hello',
    'fnlet.dev/function': 'hello',
    'fnlet.dev/revision': 'hello-00001',
  });
  const spec = Object(pod.spec);
  assert.equal(spec.nodeName, 'laptop');
  assert.equal(spec.terminationGracePeriodSeconds, 5);
  assert.equal(spec.containers[0].image, 'fnlet/nodejs24');
  assert.ok(!JSON.stringify(pod).includes('secret'));
});

it('instancePodStatus() of a ready Instance', () => {
  const status = Object(instancePodStatus(instance()));
  assert.equal(status.phase, 'Running');
  assert.equal(status.podIP, '127.64.0.1');
  assert.equal(status.startTime, '2026-01-01T12:00:00Z');
  assert.deepEqual(status.conditions.at(-1), {
    type: 'Ready',
    status: 'True',
    lastTransitionTime: '2026-01-01T12:00:01Z',
  });
  const [container] = status.containerStatuses;
  assert.deepEqual(container.state, { running: { startedAt: '2026-01-01T12:00:01Z' } });
  assert.equal(container.ready, true);
  assert.equal(container.lastState, undefined);
});

it('instancePodStatus() of an Instance that waits for a Runner', () => {
  const waiting = { phase: 'starting', address: undefined, pid: undefined, readyAtMs: undefined };
  const status = Object(instancePodStatus(instance({ ...waiting, phase: 'starting' })));
  assert.equal(status.phase, 'Pending');
  assert.ok(!('podIP' in status));
  assert.equal(status.conditions.at(-1).reason, 'ContainersNotReady');
  assert.deepEqual(status.containerStatuses[0].state, {
    waiting: { reason: 'ContainerCreating' },
  });
});

it('instancePodStatus() of code that does not load tells where', () => {
  const failure = {
    code: 'SyntaxError',
    message: 'Unexpected token',
    file: 'a.ts',
    line: 3,
  } as const;
  const finishedAtMs = createdAtMs + 5_000;
  const lastExit = {
    code: null,
    signal: 'SIGKILL',
    startedAtMs: createdAtMs,
    finishedAtMs,
    failure,
  };
  const gone = { address: undefined, pid: undefined, readyAtMs: undefined, lastExit };
  const status = Object(instancePodStatus(instance({ phase: 'backingOff', restarts: 2, ...gone })));
  const [container] = status.containerStatuses;
  const message = 'a.ts:3: Unexpected token';
  assert.deepEqual(container.state, { waiting: { reason: 'CrashLoopBackOff', message } });
  assert.deepEqual(container.lastState.terminated, {
    exitCode: 137,
    signal: 9,
    reason: 'Error',
    message,
    startedAt: '2026-01-01T12:00:00Z',
    finishedAt: '2026-01-01T12:00:05Z',
  });
  assert.equal(container.restartCount, 2);
  assert.equal(status.phase, 'Running');
});

it('instancePod() shows what the Instance asks for and may take', () => {
  const pod = (resources?: InstanceResources) => {
    const changed = instance({ revision: revisionFixture(resources ? { resources } : {}) });
    const { spec } = instancePod(changed, 'node');
    return { spec: Object(spec), qos: instancePodStatus(changed).qosClass };
  };
  assert.equal(pod().qos, 'BestEffort');
  const limits = { cpu: '1', memory: '64Mi' };
  const { spec, qos } = pod({ requests: { cpu: '1m' }, limits, memoryBytesMax: 1 });
  assert.deepEqual(spec.containers[0].resources, { requests: { cpu: '1m' }, limits });
  assert.equal(qos, 'Burstable');
  assert.equal(pod({ requests: limits, limits }).qos, 'Guaranteed');
});

it('instancePodStatus() says which end was for the use of memory', () => {
  const lastExit = { code: null, signal: 'SIGKILL', startedAtMs: 0, finishedAtMs: 1 };
  const terminated = (outOfMemory: boolean) => {
    const { containerStatuses } = Object(
      instancePodStatus(instance({ lastExit: { ...lastExit, outOfMemory } })),
    );
    const { reason, exitCode } = containerStatuses[0].lastState.terminated;
    return [reason, exitCode];
  };
  assert.deepEqual(terminated(true), ['OOMKilled', 137]);
  assert.deepEqual(terminated(false), ['Error', 137]);
});
