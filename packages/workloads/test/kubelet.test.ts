import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerStart } from '@fnlet/executor';
import { findCondition } from '@fnlet/machinery';
import type { Container } from '../src/container.ts';
import { type ContainerStatus, type Pod, podType, type RestartPolicy } from '../src/pod.ts';
import { configMapType } from '../src/pod-references.ts';
import { Cluster, namespace } from './cluster.ts';

const main = { name: 'main', image: 'node', command: ['serve'] };

function container(pod: Pod | undefined, name = 'main'): ContainerStatus | undefined {
  const { containerStatuses = [], initContainerStatuses = [] } = pod?.status ?? {};
  return [...containerStatuses, ...initContainerStatuses].find((status) => status.name === name);
}

/** Waits until the Pod is as described. */
function when(
  cluster: Cluster,
  condition: (pod: Pod) => boolean,
  patienceMs?: number,
): Promise<Pod> {
  return cluster.until(async () => {
    const pod = await cluster.pod('web');
    return pod !== undefined && condition(pod) ? pod : undefined;
  }, patienceMs);
}

const isReady = (pod: Pod): boolean => container(pod)?.ready === true;
const phase =
  (word: string) =>
  (pod: Pod): boolean =>
    pod.status?.phase === word;
const waits =
  (reason: string) =>
  (pod: Pod): boolean =>
    container(pod)?.state?.waiting?.reason === reason;

/** Ends what runs in this container. */
function end(cluster: Cluster, name: string, exitCode: number): void {
  const found = cluster.containers.running.find(({ start }) => start.container === name);
  assert.ok(found, `${name} runs`);
  found.end({ exitCode, signal: 0 });
}

test('a Pod on this node runs, is ready, and has an address', async () => {
  await using cluster = await new Cluster().start();
  await cluster.createPod('web');
  const pod = await when(cluster, isReady);
  assert.equal(pod.status?.phase, 'Running');
  assert.match(pod.status?.podIP ?? '', /^127\.64\./);
  assert.equal(findCondition(pod.status?.conditions, 'Ready')?.status, 'True');
  assert.deepEqual(await cluster.until(() => cluster.reasons('web')), [
    'Pulled',
    'Created',
    'Started',
  ]);
});

test('a Pod of another node is left alone', async () => {
  await using cluster = await new Cluster().start();
  await cluster.createPod('web', { nodeName: 'other' });
  await cluster.clock.advance(1000);
  assert.deepEqual(cluster.containers.starts, []);
});

test('containers get their declared environment and nothing else', async () => {
  await using cluster = await new Cluster().start();
  await cluster.create(configMapType, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings', namespace },
    data: { COLOUR: 'red', SIZE: '3' },
  });
  const env = [
    { name: 'GREETING', value: 'a $(COLOUR) $(UNKNOWN) $$(SIZE)' },
    { name: 'SELF', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'ADDRESS', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    { name: 'CORES', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
  ];
  const envFrom = [{ configMapRef: { name: 'settings' } }];
  await cluster.createPod('web', {
    containers: [{ ...main, env, envFrom, args: ['$(SELF)', '$$(SELF)'] }],
  });
  const pod = await when(cluster, isReady);
  const [start] = cluster.containers.starts;
  assert.deepEqual(start?.command, ['/bin/serve', 'web', '$(SELF)']);
  assert.deepEqual(start?.env, {
    PATH: '/bin',
    HOSTNAME: 'web',
    KUBERNETES_SERVICE_HOST: '127.0.0.1',
    KUBERNETES_SERVICE_PORT: '7443',
    COLOUR: 'red',
    SIZE: '3',
    GREETING: 'a red $(UNKNOWN) $(SIZE)',
    SELF: 'web',
    ADDRESS: pod.status?.podIP,
    CORES: '4',
  });
});

test('a container whose ConfigMap is missing waits for it, and starts when it comes', async () => {
  await using cluster = await new Cluster().start();
  const envFrom = [{ configMapRef: { name: 'late' } }];
  await cluster.createPod('web', { containers: [{ ...main, envFrom }] });
  const waiting = await when(cluster, waits('CreateContainerConfigError'));
  assert.equal(container(waiting)?.state?.waiting?.message, 'configmap "late" not found');
  assert.equal(waiting.status?.phase, 'Pending');
  await cluster.create(configMapType, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'late', namespace },
  });
  await when(cluster, isReady);
});

test('volumes hold the files of their sources', async () => {
  await using cluster = await new Cluster().start();
  await cluster.create(configMapType, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings', namespace },
    data: { a: '1', b: '2' },
  });
  const volumes = [
    { name: 'all', configMap: { name: 'settings' } },
    { name: 'some', configMap: { name: 'settings', items: [{ key: 'b', path: 'x/y' }] } },
    { name: 'scratch', emptyDir: {} },
    {
      name: 'self',
      downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] },
    },
  ];
  const volumeMounts = [{ name: 'all', mountPath: '/etc/app', readOnly: true }];
  await cluster.createPod('web', { volumes, containers: [{ ...main, volumeMounts }] });
  const { metadata } = await when(cluster, isReady);
  const held = cluster.containers
    .volumesOf(metadata.uid ?? '')
    .map(({ name, files }) => [
      name,
      files.map(({ path, content }) => `${path}=${Buffer.from(content)}`).join(),
    ]);
  assert.deepEqual(held, [
    ['all', 'a=1,b=2'],
    ['some', 'x/y=2'],
    ['scratch', ''],
    ['self', 'name=web'],
  ]);
  assert.deepEqual(cluster.containers.starts[0]?.mounts, [
    { volume: 'all', subPath: '', mountPath: '/etc/app', readOnly: true },
  ]);
});

async function createAccount(cluster: Cluster, name: string): Promise<void> {
  const plural = 'serviceaccounts';
  const type = { group: '', version: 'v1', kind: 'ServiceAccount', plural, namespaced: true };
  const metadata = { name, namespace };
  await cluster.create(type, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
}

test('a Pod that names an account gets its token, where clients look for it', async () => {
  await using cluster = await new Cluster().start();
  await createAccount(cluster, 'operator');
  await cluster.createPod('web', { serviceAccountName: 'operator' });
  const { metadata } = await when(cluster, isReady);
  const [volume] = cluster.containers.volumesOf(metadata.uid ?? '');
  const files = new Map(
    volume?.files.map(({ path, content }) => [path, Buffer.from(content).toString()]),
  );
  assert.match(files.get('token') ?? '', /^[\w-]+\.[\w-]+\.[\w-]+$/);
  assert.deepEqual([files.get('ca.crt'), files.get('namespace')], ['pem', 'default']);
  assert.equal(
    cluster.containers.starts[0]?.mounts[0]?.mountPath,
    '/var/run/secrets/kubernetes.io/serviceaccount',
  );
});

test('a projected token is for whom the volume says, mounted or not', async () => {
  await using cluster = await new Cluster().start();
  const sources = [
    { serviceAccountToken: { path: 'vault', audience: 'vault', expirationSeconds: 600 } },
    { serviceAccountToken: { path: 'api' } },
  ];
  const volumeMounts = [{ name: 'tokens', mountPath: '/tokens' }];
  const volumes = [{ name: 'tokens', projected: { sources } }];
  await createAccount(cluster, 'robot');
  await cluster.createPod('web', {
    ...{ serviceAccountName: 'robot', automountServiceAccountToken: false, volumes },
    containers: [{ ...main, volumeMounts }],
  });
  const { metadata } = await when(cluster, isReady);
  const [volume] = cluster.containers.volumesOf(metadata.uid ?? '');
  const audiences = (volume?.files ?? []).map(({ path, content }) => {
    const [, claims = ''] = Buffer.from(content).toString().split('.');
    const parsed: unknown = JSON.parse(Buffer.from(claims, 'base64url').toString());
    const of = typeof parsed === 'object' && parsed !== null && 'aud' in parsed ? parsed.aud : [];
    return [path, of];
  });
  assert.deepEqual(audiences, [
    ['vault', ['vault']],
    ['api', ['https://kubernetes.default.svc.cluster.local']],
  ]);
});

test('a Pod that acts as default, or wants no token, gets none', async () => {
  await using cluster = await new Cluster().start();
  await cluster.createPod('web');
  await when(cluster, isReady);
  assert.deepEqual(cluster.containers.starts[0]?.mounts, []);
});

test('where nothing can be mounted, a container with mounts says so', async () => {
  await using cluster = await new Cluster({ canMount: false }).start();
  const volumeMounts = [{ name: 'scratch', mountPath: '/data' }];
  await cluster.createPod('web', {
    volumes: [{ name: 'scratch', emptyDir: {} }],
    containers: [{ ...main, volumeMounts }],
  });
  const pod = await when(cluster, waits('CreateContainerConfigError'));
  assert.match(container(pod)?.state?.waiting?.message ?? '', /cannot be at \/data/);
});

test('an image that is no runtime of ours waits as one that cannot be pulled', async () => {
  await using cluster = await new Cluster({ allowHostCommands: false }).start();
  await cluster.createPod('web', { containers: [{ name: 'main', image: 'nginx:1.27' }] });
  const pod = await when(cluster, waits('ImagePullBackOff'));
  assert.equal(pod.status?.phase, 'Pending');
  assert.match(
    container(pod)?.state?.waiting?.message ?? '',
    /^Back-off pulling image "nginx:1.27": .*start Fnlet with --allow-host-commands/,
  );
  assert.deepEqual(await cluster.reasons('web'), ['Failed', 'BackOff']);
  assert.deepEqual(cluster.containers.starts, []);
});

test('a container that crashes is started at once, then after 10 s, then after 20 s', async () => {
  const onStart = () => ({ exitCode: 3, signal: 0 });
  await using cluster = await new Cluster({ onStart }).start();
  await cluster.createPod('web');
  const pod = await when(cluster, waits('CrashLoopBackOff'));
  assert.equal(cluster.containers.starts.length, 2);
  assert.equal(container(pod)?.restartCount, 1);
  assert.equal(container(pod)?.lastState?.terminated?.exitCode, 3);
  assert.match(container(pod)?.state?.waiting?.message ?? '', /^back-off 10s restarting failed/);
  const startedMs: number[] = [];
  for (const count of [3, 4]) {
    await cluster.until(() => cluster.containers.starts.length === count, 60_000);
    startedMs.push(cluster.clock.now());
  }
  const [third = 0, fourth = 0] = startedMs;
  assert.ok(Math.abs(fourth - third - 20_000) < 500, `${fourth - third}`);
  assert.ok((await cluster.reasons('web')).includes('BackOff'));
});

const ends: readonly [RestartPolicy, number, string][] = [
  ['Never', 0, 'Succeeded'],
  ['Never', 1, 'Failed'],
  ['OnFailure', 0, 'Succeeded'],
];
for (const [restartPolicy, exitCode, word] of ends) {
  test(`restartPolicy ${restartPolicy} and exit code ${exitCode}: ${word}`, async () => {
    const onStart = () => ({ exitCode, signal: 0 });
    await using cluster = await new Cluster({ onStart }).start();
    await cluster.createPod('web', { restartPolicy });
    const pod = await when(cluster, phase(word));
    assert.equal(container(pod)?.state?.terminated?.exitCode, exitCode);
    assert.equal(cluster.containers.starts.length, 1);
  });
}

test('init containers run one by one before the others; sidecars stay beside them', async () => {
  await using cluster = await new Cluster().start();
  const initContainers = [
    { ...main, name: 'first' },
    { ...main, name: 'helper', restartPolicy: 'Always' as const },
    { ...main, name: 'second' },
  ];
  await cluster.createPod('web', { initContainers, restartPolicy: 'Never' });
  const names = (): string[] => cluster.containers.starts.map((start) => start.container);
  await cluster.until(() => names().length === 1);
  end(cluster, 'first', 0);
  await cluster.until(() => names().length === 3);
  await cluster.clock.advance(100);
  assert.deepEqual(names(), ['first', 'helper', 'second']);
  end(cluster, 'second', 0);
  await when(cluster, isReady);
  end(cluster, 'main', 0);
  await when(cluster, phase('Succeeded'));
  await cluster.until(() => cluster.containers.running.length === 0);
});

test('an init container that fails for good fails the Pod', async () => {
  const onStart = () => ({ exitCode: 1, signal: 0 });
  await using cluster = await new Cluster({ onStart }).start();
  const initContainers = [{ ...main, name: 'first' }];
  await cluster.createPod('web', { initContainers, restartPolicy: 'Never' });
  await when(cluster, phase('Failed'));
  assert.deepEqual(
    cluster.containers.starts.map((start) => start.container),
    ['first'],
  );
});

test('a readiness probe decides about readiness, early and again', async () => {
  let ok = false;
  await using cluster = await new Cluster({ probe: () => ({ ok, message: 'no' }) }).start();
  const readinessProbe = { tcpSocket: { port: 80 }, periodSeconds: 5, failureThreshold: 2 };
  await cluster.createPod('web', { containers: [{ ...main, readinessProbe }] });
  await when(cluster, phase('Running'));
  await cluster.clock.advance(400);
  assert.equal(container(await cluster.pod('web'))?.ready, false);
  ok = true;
  await when(cluster, isReady, 2_000);
  ok = false;
  await when(cluster, (pod) => !isReady(pod), 15_000);
  assert.ok((await cluster.reasons('web')).includes('Unhealthy'));
  assert.equal(cluster.containers.starts.length, 1);
});

test('a liveness probe that fails often enough restarts the container', async () => {
  let ok = true;
  await using cluster = await new Cluster({ probe: () => ({ ok, message: 'no' }) }).start();
  const livenessProbe = { httpGet: { port: 80 }, periodSeconds: 1 };
  await cluster.createPod('web', { containers: [{ ...main, livenessProbe }] });
  await when(cluster, isReady);
  ok = false;
  const pod = await when(cluster, (found) => container(found)?.restartCount === 1, 10_000);
  assert.equal(container(pod)?.lastState?.terminated?.exitCode, 143);
});

test('a startup probe holds back the others', async () => {
  let ok = false;
  await using cluster = await new Cluster({ probe: () => ({ ok, message: 'no' }) }).start();
  const startupProbe = { tcpSocket: { port: 80 }, periodSeconds: 1, failureThreshold: 5 };
  const livenessProbe = { tcpSocket: { port: 80 }, periodSeconds: 1, failureThreshold: 1 };
  await cluster.createPod('web', { containers: [{ ...main, startupProbe, livenessProbe }] });
  await cluster.clock.advance(3_000);
  assert.equal(container(await cluster.pod('web'))?.started, false);
  assert.equal(cluster.containers.starts.length, 1);
  ok = true;
  await when(cluster, isReady);
});

test('a deleted Pod is asked to end, and goes when it has', async () => {
  await using cluster = await new Cluster({ obeys: () => false }).start();
  await cluster.createPod('web', { terminationGracePeriodSeconds: 3 });
  await when(cluster, isReady);
  const [running] = cluster.containers.running;
  await cluster.delete(podType, 'web');
  await cluster.until(() => running?.signals.includes('SIGTERM'));
  await cluster.clock.advance(2_000);
  assert.ok(await cluster.pod('web'));
  await cluster.until(async () => (await cluster.pod('web')) === undefined);
  assert.deepEqual(running?.signals, ['SIGTERM', 'SIGKILL']);
});

test('preStop runs before SIGTERM, within the grace period', async () => {
  const commands: string[] = [];
  const execute = (command: readonly string[]) => {
    commands.push(command.join(' '));
    return { exitCode: 0, signal: 0, output: '', timedOut: false };
  };
  await using cluster = await new Cluster({ execute }).start();
  const lifecycle = { preStop: { exec: { command: ['bye'] } } };
  await cluster.createPod('web', { containers: [{ ...main, lifecycle }] });
  await when(cluster, isReady);
  await cluster.delete(podType, 'web');
  await cluster.until(async () => (await cluster.pod('web')) === undefined);
  assert.deepEqual(commands, ['/bin/bye']);
});

test('activeDeadlineSeconds fails a Pod and ends its containers', async () => {
  await using cluster = await new Cluster().start();
  await cluster.createPod('web', { activeDeadlineSeconds: 5 });
  const pod = await when(cluster, phase('Failed'), 10_000);
  assert.equal(pod.status?.reason, 'DeadlineExceeded');
  await cluster.until(() => cluster.containers.running.length === 0);
});

test('after a crash of Fnlet a Pod is started again, and its restart is counted', async () => {
  await using cluster = await new Cluster().start();
  await cluster.createPod('web');
  const before = await when(cluster, isReady);
  await cluster.crash();
  cluster.begin();
  const pod = await when(
    cluster,
    (found) => container(found)?.restartCount === 1 && isReady(found),
  );
  assert.equal(container(pod)?.lastState?.terminated?.exitCode, 137);
  assert.equal(pod.status?.podIP, before.status?.podIP);
});

test('a Pod that must not restart has failed after a crash of Fnlet', async () => {
  await using cluster = await new Cluster().start();
  await cluster.createPod('web', { restartPolicy: 'Never' });
  await when(cluster, isReady);
  await cluster.crash();
  cluster.begin();
  const pod = await when(cluster, phase('Failed'));
  assert.equal(container(pod)?.state?.terminated?.reason, 'ContainerStatusUnknown');
});

test('a Pod that was made anew under its name is another one', async () => {
  const started: ContainerStart[] = [];
  const onStart = (start: ContainerStart) => void started.push(start);
  await using cluster = await new Cluster({ onStart }).start();
  await cluster.createPod('web');
  const first = await when(cluster, isReady);
  await cluster.delete(podType, 'web', 0);
  await cluster.createPod('web');
  await when(cluster, (pod) => isReady(pod) && pod.metadata.uid !== first.metadata.uid);
  assert.equal(cluster.containers.running.length, 1);
  assert.notEqual(started[0]?.pod, started[1]?.pod);
});

/** Puts a container for debugging into the Pod `web`. */
function debug(cluster: Cluster, name: string, more: Partial<Container> = {}): Promise<Pod> {
  const ephemeralContainers = [{ name, image: 'node', command: ['look'], ...more }];
  const change = { type: 'merge', patch: { spec: { ephemeralContainers } } } as const;
  const target = { subresource: 'ephemeralcontainers' };
  return cluster.pump(
    cluster.client.of<Pod>(podType).patch({ namespace, name: 'web' }, change, target),
  );
}

const debugger_ = (pod: Pod): ContainerStatus | undefined =>
  pod.status?.ephemeralContainerStatuses?.[0];

test('a container for debugging runs once beside the others, and changes nothing of the Pod', async () => {
  await using cluster = await new Cluster().start();
  await cluster.createPod('web');
  await when(cluster, isReady);
  await debug(cluster, 'look');
  const running = await when(cluster, (pod) => debugger_(pod)?.state?.running !== undefined);
  assert.equal(debugger_(running)?.ready, false);
  end(cluster, 'look', 3);
  const over = await when(cluster, (pod) => debugger_(pod)?.state?.terminated !== undefined);
  assert.equal(debugger_(over)?.state?.terminated?.exitCode, 3);
  await cluster.clock.advance(60_000);
  const later = await cluster.pod('web');
  assert.equal(later && debugger_(later)?.restartCount, 0);
  assert.equal(later?.status?.phase, 'Running');
  assert.equal(findCondition(later?.status?.conditions, 'Ready')?.status, 'True');
  assert.deepEqual(
    cluster.containers.starts.map((start) => start.container),
    ['main', 'look'],
  );
});

test('a container for debugging runs where init containers do not end, with its environment', async () => {
  await using cluster = await new Cluster().start();
  await cluster.create(configMapType, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings', namespace },
    data: { COLOUR: 'red' },
  });
  await cluster.createPod('web', { initContainers: [{ ...main, name: 'first' }] });
  await when(cluster, (pod) => container(pod, 'first')?.state?.running !== undefined);
  await debug(cluster, 'look', { envFrom: [{ configMapRef: { name: 'settings' } }] });
  await when(cluster, (pod) => debugger_(pod)?.state?.running !== undefined);
  const start = cluster.containers.starts.find((one) => one.container === 'look');
  assert.equal(start?.env.COLOUR, 'red');
});

test('what debugs a Pod ends with it, and does not keep a Pod that is done', async () => {
  await using cluster = await new Cluster().start();
  await cluster.createPod('web', { restartPolicy: 'Never' });
  await when(cluster, isReady);
  await debug(cluster, 'look');
  await when(cluster, (pod) => debugger_(pod)?.state?.running !== undefined);
  end(cluster, 'main', 0);
  await when(cluster, phase('Succeeded'));
  await when(cluster, (pod) => debugger_(pod)?.state?.terminated !== undefined);
  assert.deepEqual(cluster.containers.running, []);
});

test('what debugged a Pod when its Fnlet ended is not started again', async () => {
  await using cluster = await new Cluster().start();
  await cluster.createPod('web');
  await when(cluster, isReady);
  await debug(cluster, 'look');
  await when(cluster, (pod) => debugger_(pod)?.state?.running !== undefined);
  await cluster.crash();
  cluster.begin();
  const pod = await when(cluster, (found) => debugger_(found)?.state?.terminated !== undefined);
  assert.equal(debugger_(pod)?.state?.terminated?.reason, 'ContainerStatusUnknown');
});
