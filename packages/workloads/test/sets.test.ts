import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCondition, type KubeObject, type ResourceType } from '@fnlet/machinery';
import { type DaemonSet, daemonSetType } from '../src/daemon-set.ts';
import { type Pod, type PodTemplate, podType } from '../src/pod.ts';
import { type ReplicaSet, replicaSetType } from '../src/replica-set.ts';
import {
  type ReplicationController,
  replicationControllerType,
} from '../src/replication-controller.ts';
import { type StatefulSet, statefulSetType } from '../src/stateful-set.ts';
import { Cluster, namespace } from './cluster.ts';

const namespaceType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
};

const selector = { matchLabels: { app: 'db' } };

function template(command: string): PodTemplate {
  const containers = [{ name: 'main', image: 'node', command: [command] }];
  return { metadata: { labels: { app: 'db' } }, spec: { containers } };
}

function statefulSet(change: Partial<StatefulSet['spec']> = {}): StatefulSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'db', namespace },
    spec: { replicas: 3, selector, serviceName: 'db', template: template('one'), ...change },
  };
}

/** What runs, as `pod command`, by the Pods' names. */
function running(cluster: Cluster): string {
  return cluster.containers.running
    .map(({ start }) => `${start.key.name} ${start.command[0]?.slice(5)}`)
    .sort()
    .join();
}

test('a StatefulSet makes its Pods by number, one when the one before is ready', async () => {
  let ok = false;
  await using cluster = await new Cluster({ probe: () => ({ ok, message: 'no' }) }).start();
  const { spec, metadata = {} } = template('one');
  const readinessProbe = { tcpSocket: { port: 80 }, periodSeconds: 1 };
  const containers = spec.containers.map((container) => ({ ...container, readinessProbe }));
  await cluster.create(
    statefulSetType,
    statefulSet({ template: { metadata, spec: { containers } } }),
  );
  await cluster.until(() => running(cluster) === 'db-0 one');
  await cluster.clock.advance(2_000);
  assert.equal(running(cluster), 'db-0 one');
  ok = true;
  await cluster.until(() => running(cluster) === 'db-0 one,db-1 one,db-2 one', 10_000);
  const pod = await cluster.pod('db-1');
  assert.equal(pod?.spec.hostname, 'db-1');
});

test('a StatefulSet scales down from the highest number, and renews from there', async () => {
  await using cluster = await new Cluster().start();
  await cluster.create(statefulSetType, statefulSet());
  await cluster.until(() => running(cluster) === 'db-0 one,db-1 one,db-2 one');
  await cluster.patch(statefulSetType, 'db', { spec: { replicas: 2 } });
  await cluster.until(() => running(cluster) === 'db-0 one,db-1 one');
  const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 1 } };
  await cluster.patch(statefulSetType, 'db', {
    spec: { updateStrategy, template: template('two') },
  });
  await cluster.until(() => running(cluster) === 'db-0 one,db-1 two');
  await cluster.clock.advance(1_000);
  assert.equal(running(cluster), 'db-0 one,db-1 two');
  const whole = { type: 'RollingUpdate', rollingUpdate: { partition: 0 } };
  await cluster.patch(statefulSetType, 'db', { spec: { updateStrategy: whole } });
  await cluster.until(() => running(cluster) === 'db-0 two,db-1 two');
  await cluster.until(async () => {
    const found = await cluster.get<StatefulSet>(statefulSetType, 'db');
    const { currentRevision, updateRevision, updatedReplicas } = found?.status ?? {};
    return currentRevision === updateRevision && updatedReplicas === 2;
  });
});

test('a Pod of a StatefulSet that is deleted comes back under its name', async () => {
  await using cluster = await new Cluster().start();
  await cluster.create(statefulSetType, statefulSet({ replicas: 1 }));
  await cluster.until(() => running(cluster) === 'db-0 one');
  const before = (await cluster.pod('db-0'))?.metadata.uid;
  await cluster.delete(podType, 'db-0');
  await cluster.until(async () => {
    const { uid } = (await cluster.pod('db-0'))?.metadata ?? {};
    return uid !== undefined && uid !== before && running(cluster) === 'db-0 one';
  });
});

test('a DaemonSet has one Pod on the node, and renews it', async () => {
  await using cluster = await new Cluster().start();
  const daemonSet: DaemonSet = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'db', namespace },
    spec: { selector, template: template('one') },
  };
  await cluster.create(daemonSetType, daemonSet);
  const commands = (): string =>
    cluster.containers.running.map(({ start }) => start.command[0]).join();
  await cluster.until(() => commands() === '/bin/one');
  await cluster.patch(daemonSetType, 'db', { spec: { template: template('two') } });
  await cluster.until(() => commands() === '/bin/two');
  await cluster.until(async () => {
    const found = await cluster.get<DaemonSet>(daemonSetType, 'db');
    const { numberReady, updatedNumberScheduled, desiredNumberScheduled } = found?.status ?? {};
    return numberReady === 1 && updatedNumberScheduled === 1 && desiredNumberScheduled === 1;
  });
  assert.equal((await cluster.list<Pod>(podType)).length, 1);
});

test('a DaemonSet that fits no node has no Pod', async () => {
  await using cluster = await new Cluster().start();
  const { spec } = template('one');
  const fussy = { ...template('one'), spec: { ...spec, nodeSelector: { disk: 'fast' } } };
  await cluster.create<DaemonSet>(daemonSetType, {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'db', namespace },
    spec: { selector, template: fussy },
  });
  await cluster.clock.advance(1_000);
  assert.deepEqual(await cluster.list(podType), []);
});

test('a ReplicaSet whose Pods are refused says so once, and tries again in peace', async () => {
  await using cluster = await new Cluster().start();
  const going = { namespace: '', name: 'going' };
  const namespaces = cluster.client.of(namespaceType);
  const held: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'going' } };
  await cluster.create(namespaceType, held);
  const set: ReplicaSet = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'web', namespace: going.name },
    spec: { replicas: 0, selector, template: template('one') },
  };
  await cluster.create(replicaSetType, set);
  // Pods go before everything else, so one that stays keeps the ReplicaSet too.
  await cluster.create<Pod>(podType, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'stays', namespace: going.name, finalizers: ['test.example/hold'] },
    spec: template('one').spec,
  });
  await cluster.pump(namespaces.delete(going));
  const sets = cluster.client.of<ReplicaSet>(replicaSetType);
  const key = { namespace: going.name, name: 'web' };
  await cluster.pump(sets.patch(key, { type: 'merge', patch: { spec: { replicas: 1 } } }));
  const told = await cluster.until(async () => {
    const found = await cluster.pump(sets.get(key));
    return findCondition(found.status?.conditions, 'ReplicaFailure') && found;
  });
  await cluster.clock.advance(10_000);
  const later = await cluster.pump(sets.get(key));
  assert.equal(later.metadata.resourceVersion, told.metadata.resourceVersion);
  const [condition] = told.status?.conditions ?? [];
  assert.match(condition?.message ?? '', /because it is being terminated/);
});

test('a ReplicationController keeps its number of Pods, and adopts those that it selects', async () => {
  await using cluster = await new Cluster().start();
  const { spec } = template('one');
  const labels = { app: 'db' };
  await cluster.create(podType, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'orphan', namespace, labels },
    spec,
  });
  await cluster.create(replicationControllerType, {
    apiVersion: 'v1',
    kind: 'ReplicationController',
    metadata: { name: 'db', namespace },
    spec: { replicas: 2, selector: labels, template: { metadata: { labels }, spec } },
  });
  await cluster.until(() => cluster.containers.running.length === 2);
  const orphan = await cluster.pod('orphan');
  const [owner] = orphan?.metadata.ownerReferences ?? [];
  assert.deepEqual(
    [owner?.apiVersion, owner?.kind, owner?.name],
    ['v1', 'ReplicationController', 'db'],
  );
  await cluster.until(async () => {
    const found = await cluster.get<ReplicationController>(replicationControllerType, 'db');
    const { replicas, readyReplicas, availableReplicas, observedGeneration } = found?.status ?? {};
    return [replicas, readyReplicas, availableReplicas, observedGeneration].join() === '2,2,2,1';
  });
  await cluster.patch(replicationControllerType, 'db', { spec: { replicas: 0 } });
  await cluster.until(() => cluster.containers.running.length === 0);
});
