import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject } from '@fnlet/base';
import type { ResourceType } from '@fnlet/machinery';
import { type ControllerRevision, controllerRevisionType } from '../src/controller-revision.ts';
import { daemonSetType } from '../src/daemon-set.ts';
import { type Pod, type PodTemplate, podType } from '../src/pod.ts';
import { revisionHashLabel, type StatefulSet, statefulSetType } from '../src/stateful-set.ts';
import { Cluster, namespace } from './cluster.ts';

function template(command: string): PodTemplate {
  const containers = [{ name: 'main', image: 'node', command: [command] }];
  return { metadata: { labels: { app: 'db' } }, spec: { containers } };
}

async function createSet(cluster: Cluster, type: ResourceType, limit = 10): Promise<void> {
  const spec = {
    selector: { matchLabels: { app: 'db' } },
    template: template('one'),
    revisionHistoryLimit: limit,
    ...(type === statefulSetType ? { replicas: 1, serviceName: 'db' } : {}),
  };
  const metadata = { name: 'db', namespace };
  await cluster.create(type, { apiVersion: 'apps/v1', kind: type.kind, metadata, spec });
  await runs(cluster, 'one');
}

/** Waits until the one Pod runs this command. */
async function runs(cluster: Cluster, command: string): Promise<void> {
  const running = (): string =>
    cluster.containers.running.map(({ start }) => start.command[0]).join();
  await cluster.until(() => running() === `/bin/${command}`, 60_000);
}

/** The history, oldest first, as `number command`. */
async function history(cluster: Cluster): Promise<readonly string[]> {
  const revisions = await cluster.list<ControllerRevision>(controllerRevisionType);
  return revisions
    .toSorted((a, b) => a.revision - b.revision)
    .map(({ revision, data }) => `${revision} ${/"command":\["(\w+)"/.exec(textOf(data))?.[1]}`);
}

function textOf(value: unknown): string {
  return JSON.stringify(value);
}

async function rollOut(cluster: Cluster, type: ResourceType, command: string): Promise<void> {
  await cluster.patch(type, 'db', { spec: { template: template(command) } });
  await runs(cluster, command);
}

for (const type of [statefulSetType, daemonSetType]) {
  test(`a ${type.kind} has a history that can be gone back in`, async () => {
    await using cluster = await new Cluster().start();
    await createSet(cluster, type);
    assert.deepEqual(await history(cluster), ['1 one']);
    await rollOut(cluster, type, 'two');
    assert.deepEqual(await history(cluster), ['1 one', '2 two']);

    const revisions = await cluster.list<ControllerRevision>(controllerRevisionType);
    const data = revisions.find(({ revision }) => revision === 1)?.data;
    assert.ok(isJsonObject(data) && isJsonObject(data.spec) && isJsonObject(data.spec.template));
    const { $patch, ...value } = data.spec.template;
    assert.equal($patch, 'replace');
    const operation = { op: 'replace', path: '/spec/template', value };
    const sent = { type: 'json', patch: [operation] } as const;
    await cluster.pump(cluster.client.of(type).patch({ namespace, name: 'db' }, sent));
    await runs(cluster, 'one');
    assert.deepEqual(await history(cluster), ['2 two', '3 one']);
  });

  test(`the history of a ${type.kind} keeps as many as its limit says`, async () => {
    await using cluster = await new Cluster().start();
    await createSet(cluster, type, 1);
    for (const command of ['two', 'three', 'four']) await rollOut(cluster, type, command);
    const isShort = async (): Promise<boolean> => (await history(cluster)).length === 2;
    await cluster.until(isShort, 60_000);
    assert.deepEqual(await history(cluster), ['3 three', '4 four']);
  });

  test(`the history of a ${type.kind} goes with it`, async () => {
    await using cluster = await new Cluster().start();
    await createSet(cluster, type);
    await cluster.delete(type, 'db');
    await cluster.until(async () => (await history(cluster)).length === 0);
  });
}

test('the status of a StatefulSet and its Pods name the revision', async () => {
  await using cluster = await new Cluster().start();
  await createSet(cluster, statefulSetType);
  const name = async (): Promise<string | undefined> => {
    const { status } = (await cluster.get<StatefulSet>(statefulSetType, 'db')) ?? {};
    return status?.currentRevision === status?.updateRevision ? status?.updateRevision : undefined;
  };
  const told = await cluster.until(name);
  const [revision] = await cluster.list<ControllerRevision>(controllerRevisionType);
  assert.equal(revision?.metadata.name, told);
  const [pod] = await cluster.list<Pod>(podType);
  assert.equal(pod?.metadata.labels?.[revisionHashLabel], told);
});
