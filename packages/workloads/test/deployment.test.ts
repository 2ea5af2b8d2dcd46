import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCondition } from '@fnlet/machinery';
import { type Deployment, deploymentType, revisionAnnotation } from '../src/deployment.ts';
import { isPodReady, isTerminating, type Pod, podType } from '../src/pod.ts';
import { type ReplicaSet, replicaSetType } from '../src/replica-set.ts';
import { Cluster, namespace } from './cluster.ts';

function deployment(change: Partial<Deployment['spec']> = {}): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template: template('one'),
      ...change,
    },
  };
}

function template(command: string): Deployment['spec']['template'] {
  return {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'main', image: 'node', command: [command] }] },
  };
}

function isDone({ metadata, spec, status }: Deployment): boolean {
  const { replicas = 1 } = spec;
  return (
    status?.observedGeneration === metadata.generation &&
    (status?.updatedReplicas ?? 0) === replicas &&
    (status?.replicas ?? 0) === replicas &&
    (status?.availableReplicas ?? 0) === replicas
  );
}

function when(
  cluster: Cluster,
  condition: (found: Deployment) => boolean = isDone,
): Promise<Deployment> {
  return cluster.until(async () => {
    const found = await cluster.get<Deployment>(deploymentType, 'web');
    return found !== undefined && condition(found) ? found : undefined;
  }, 20_000);
}

async function alive(cluster: Cluster): Promise<readonly Pod[]> {
  const pods = await cluster.list<Pod>(podType);
  return pods.filter((pod) => !isTerminating(pod));
}

/** What the containers that run were started with. */
function commands(cluster: Cluster): string[] {
  return cluster.containers.running.map(({ start }) => start.command[0] ?? '').sort();
}

test('a Deployment becomes available', async () => {
  await using cluster = await new Cluster().start();
  await cluster.create(deploymentType, deployment());
  const found = await when(cluster);
  assert.equal(findCondition(found.status?.conditions, 'Available')?.status, 'True');
  assert.equal(
    findCondition(found.status?.conditions, 'Progressing')?.reason,
    'NewReplicaSetAvailable',
  );
  assert.equal(found.metadata.annotations?.[revisionAnnotation], '1');
  assert.equal(found.metadata.generation, 1);
  assert.deepEqual(commands(cluster), ['/bin/one', '/bin/one']);
  assert.ok((await cluster.reasons('web')).includes('ScalingReplicaSet'));
});

test('a settled Deployment writes nothing more', async () => {
  await using cluster = await new Cluster().start();
  await cluster.create(deploymentType, deployment());
  const found = await when(cluster);
  await cluster.clock.advance(5_000);
  const later = await when(cluster);
  assert.equal(later.metadata.resourceVersion, found.metadata.resourceVersion);
});

test('a Pod that is deleted is replaced', async () => {
  await using cluster = await new Cluster().start();
  await cluster.create(deploymentType, deployment({ replicas: 1 }));
  await when(cluster);
  const [first] = await alive(cluster);
  await cluster.delete(podType, first?.metadata.name ?? '');
  await cluster.until(async () => {
    const [pod, ...others] = await cluster.list<Pod>(podType);
    const isNew = pod !== undefined && pod.metadata.uid !== first?.metadata.uid;
    return isNew && isPodReady(pod) && others.length === 0;
  });
});

test('another template is rolled out, and rolled back', async () => {
  await using cluster = await new Cluster().start();
  await cluster.create(deploymentType, deployment());
  await when(cluster);
  await cluster.patch(deploymentType, 'web', { spec: { template: template('two') } });
  const second = await when(cluster);
  assert.equal(second.metadata.annotations?.[revisionAnnotation], '2');
  await cluster.until(() => commands(cluster).join() === '/bin/two,/bin/two');
  await cluster.patch(deploymentType, 'web', { spec: { template: template('one') } });
  const third = await when(cluster);
  assert.equal(third.metadata.annotations?.[revisionAnnotation], '3');
  const sets = await cluster.list<ReplicaSet>(replicaSetType);
  assert.equal(sets.length, 2);
  await cluster.until(() => commands(cluster).join() === '/bin/one,/bin/one');
});

test('a rollout that does not become ready leaves the old Pods alone', async () => {
  let ok = true;
  await using cluster = await new Cluster({ probe: () => ({ ok, message: 'no' }) }).start();
  const { spec, metadata = {} } = template('one');
  const readinessProbe = { tcpSocket: { port: 80 }, periodSeconds: 10_000 };
  const probed = (command: string): Deployment['spec']['template'] => ({
    metadata,
    spec: {
      containers: spec.containers.map((c) => ({ ...c, command: [command], readinessProbe })),
    },
  });
  await cluster.create(
    deploymentType,
    deployment({ template: probed('one'), progressDeadlineSeconds: 60 }),
  );
  await when(cluster);
  ok = false;
  await cluster.patch(deploymentType, 'web', { spec: { template: probed('two') } });
  await when(cluster, ({ status }) => status?.updatedReplicas === 1);
  await cluster.clock.advance(61_000);
  assert.deepEqual(commands(cluster), ['/bin/one', '/bin/one', '/bin/two']);
  const late = await when(cluster, ({ status }) => {
    const progress = findCondition(status?.conditions, 'Progressing');
    return progress?.reason === 'ProgressDeadlineExceeded';
  });
  assert.equal(findCondition(late.status?.conditions, 'Available')?.status, 'True');
});

test('a Recreate starts the new Pods when the old ones are gone', async () => {
  const both: string[] = [];
  await using cluster = await new Cluster({
    onStart: ({ command }) => void both.push(`${command[0]} beside ${commands(cluster).length}`),
  }).start();
  await cluster.create(deploymentType, deployment({ strategy: { type: 'Recreate' }, replicas: 1 }));
  await when(cluster);
  await cluster.patch(deploymentType, 'web', { spec: { template: template('two') } });
  await when(cluster);
  // It counts itself.
  assert.deepEqual(both, ['/bin/one beside 1', '/bin/two beside 1']);
});

test('a paused Deployment waits with its template, not with its scale', async () => {
  await using cluster = await new Cluster().start();
  await cluster.create(deploymentType, deployment());
  await when(cluster);
  await cluster.patch(deploymentType, 'web', {
    spec: { paused: true, replicas: 3, template: template('two') },
  });
  await cluster.until(() => commands(cluster).length === 3);
  await cluster.clock.advance(1_000);
  assert.ok(!commands(cluster).includes('/bin/two'));
  await cluster.patch(deploymentType, 'web', { spec: { paused: null } });
  await when(cluster);
  await cluster.until(() => commands(cluster).every((command) => command === '/bin/two'));
});

test('scaled to nothing, it has nothing', async () => {
  await using cluster = await new Cluster().start();
  await cluster.create(deploymentType, deployment());
  await when(cluster);
  await cluster.patch(deploymentType, 'web', { spec: { replicas: 0 } });
  await when(cluster);
  await cluster.until(() => commands(cluster).length === 0);
});

test('Pods that are relabelled are let go, and taken back', async () => {
  await using cluster = await new Cluster().start();
  await cluster.create(deploymentType, deployment({ replicas: 1 }));
  await when(cluster);
  const [pod] = await alive(cluster);
  const { name = '', labels = {} } = pod?.metadata ?? {};
  await cluster.patch(podType, name, { metadata: { labels: { app: 'other' } } });
  await cluster.until(async () => (await alive(cluster)).length === 2);
  const released = await cluster.pod(name);
  assert.deepEqual(released?.metadata.ownerReferences ?? [], []);
  await cluster.patch(podType, name, { metadata: { labels: { app: labels.app } } });
  await cluster.until(async () => (await alive(cluster)).length === 1);
});

test('all goes with the Deployment', async () => {
  await using cluster = await new Cluster().start();
  await cluster.create(deploymentType, deployment());
  await when(cluster);
  await cluster.delete(deploymentType, 'web');
  await cluster.until(async () => (await cluster.list(podType)).length === 0);
  assert.deepEqual(await cluster.list(replicaSetType), []);
  assert.deepEqual(commands(cluster), []);
});

test('a restart of Fnlet goes on with the same Pods', async () => {
  await using cluster = await new Cluster().start();
  await cluster.create(deploymentType, deployment());
  await when(cluster);
  const before = (await alive(cluster)).map(({ metadata }) => metadata.name);
  await cluster.crash();
  cluster.begin();
  await cluster.until(() => commands(cluster).length === 2);
  await when(cluster);
  assert.deepEqual(
    (await alive(cluster)).map(({ metadata }) => metadata.name),
    before,
  );
});
