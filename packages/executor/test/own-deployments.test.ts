/** Revisions with a Deployment of their own, on a real API and with real Runners. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createCertificates, type TlsIdentity } from '@fnlet/apiserver';
import { isJsonObject, type JsonObject, systemClock } from '@fnlet/base';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { deploymentType, serviceType } from '../src/cluster/deployment-type.ts';
import type { RunnableRevision } from '../src/executor.ts';
import { podType } from '../src/instance-pod.ts';
import { PodWorld } from './pod-world.ts';
import { revisionFixture } from './revision-fixture.ts';

const root = mkdtempSync(join(tmpdir(), 'own-deployments-'));
let tls: TlsIdentity;

before(async () => {
  tls = await createCertificates(systemClock.now());
});

after(() => rmSync(root, { recursive: true, force: true }));

function world(): PodWorld {
  return new PodWorld({ root, tls });
}

const key = { namespace: 'default', name: 'hello-00001' };

function own(changes: Partial<RunnableRevision> = {}): RunnableRevision {
  return revisionFixture({ pod: { executor: 'deployment' }, ...changes });
}

async function find(w: PodWorld, type: ResourceType): Promise<KubeObject | undefined> {
  return await w.client.of<KubeObject>(type).tryGet(key);
}

async function replicas(w: PodWorld): Promise<unknown> {
  const found = await find(w, deploymentType);
  const spec = found !== undefined && 'spec' in found ? found.spec : undefined;
  return isJsonObject(spec) ? spec.replicas : undefined;
}

async function podsOf(w: PodWorld): Promise<readonly KubeObject[]> {
  const { items } = await w.client
    .of<KubeObject>(podType)
    .list({ labelSelector: 'fnlet.dev/revision=hello-00001' });
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

test('a Revision has a Deployment and a Service, whose Pods answer as Instances', async () => {
  await using w = world();
  const revision = w.withSource(own());
  w.executor.ensure(revision, 2);
  await w.ready(2);
  assert.equal(await replicas(w), 2);
  const { metadata } = (await find(w, serviceType)) ?? {};
  assert.deepEqual(metadata?.ownerReferences, [revision.owner]);
  for (const { address } of w.executor.instances()) {
    assert.equal(await w.call(address), 'hello');
  }
  // They stay with their ReplicaSet, and tell which Instance they are.
  const ids = w.executor.instances().map(({ id }) => id);
  await w.until(async () => {
    const named = (await podsOf(w)).map((pod) => pod.metadata.labels?.['fnlet.dev/instance']);
    return ids.every((id) => named.includes(id));
  });
  // No warm Pod was used for it.
  assert.equal((await w.kubelet).pods.length, 2);
});

test('fewer Instances end the Pods that drain, and no others; none is asleep', async () => {
  await using w = world();
  const revision = w.withSource(own());
  w.executor.ensure(revision, 3);
  await w.ready(3);
  const [oldest] = w.executor.instances();
  w.executor.ensure(revision, 1);
  await w.ready(1);
  assert.equal(w.executor.instances()[0]?.id, oldest?.id);
  await w.until(async () => (await podsOf(w)).length === 1);
  assert.equal(await replicas(w), 1);
  assert.equal(await w.call(oldest?.address), 'hello');
  w.executor.ensure(revision, 0);
  await w.until(async () => (await podsOf(w)).length === 0);
  assert.equal(await replicas(w), 0);
  w.executor.ensure(revision, 1);
  await w.ready(1);
  assert.equal(await replicas(w), 1);
});

test('a Pod that vanishes is replaced', async () => {
  await using w = world();
  w.executor.ensure(w.withSource(own()), 1);
  await w.ready(1);
  const [pod] = await podsOf(w);
  const name = pod?.metadata.name ?? '';
  await w.client.of(podType).delete({ namespace: 'default', name }, { gracePeriodSeconds: 0 });
  await w.until(() => w.executor.instances()[0]?.restarts === 1);
  await w.ready(1);
  assert.equal(await w.call(w.executor.instances()[0]?.address), 'hello');
});

test('a process that crashes begins anew in the same Pod', async () => {
  await using w = world();
  w.executor.ensure(w.withSource(own()), 1);
  await w.ready(1);
  const [pod] = await podsOf(w);
  (await w.kubelet).crash(pod?.metadata.name ?? '');
  await w.until(() => w.executor.instances()[0]?.restarts === 1);
  await w.ready(1);
  assert.deepEqual(
    (await podsOf(w)).map(({ metadata }) => metadata.uid),
    [pod?.metadata.uid],
  );
  assert.equal(await w.call(w.executor.instances()[0]?.address), 'hello');
});

for (const type of [deploymentType, serviceType]) {
  test(`a ${type.kind} that somebody deletes is back`, async () => {
    await using w = world();
    w.executor.ensure(w.withSource(own()), 1);
    await w.ready(1);
    await w.until(async () => (await find(w, type)) !== undefined);
    const { uid } = (await find(w, type))?.metadata ?? {};
    await w.client.of(type).delete(key);
    await w.until(async () => {
      const found = await find(w, type);
      return found !== undefined && found.metadata.uid !== uid;
    });
    await w.ready(1);
  });
}

const drifts: readonly (readonly [string, ResourceType, JsonObject])[] = [
  ['history', deploymentType, { spec: { revisionHistoryLimit: 7 } }],
  ['a label', deploymentType, { metadata: { labels: { 'fnlet.dev/revision': 'other' } } }],
  ['a selector', serviceType, { spec: { selector: { 'fnlet.dev/revision': 'other' } } }],
];

for (const [what, type, patch] of drifts) {
  test(`${what} of a ${type.kind} that somebody changes is as it was, and theirs stays`, async () => {
    await using w = world();
    w.executor.ensure(w.withSource(own()), 1);
    await w.ready(1);
    await w.until(async () => (await find(w, type)) !== undefined);
    const before = stable(await find(w, type));
    const client = w.client.of(type);
    await client.patch(key, { type: 'merge', patch: { metadata: { annotations: { mine: 'a' } } } });
    await client.patch(key, { type: 'merge', patch });
    await w.until(async () => stable(await find(w, type)) === before);
    assert.equal((await find(w, type))?.metadata.annotations?.mine, 'a');
  });
}

test('a number that somebody says holds, also while something else is put right', async () => {
  await using w = world();
  w.executor.ensure(w.withSource(own()), 1);
  await w.ready(1);
  await w.until(async () => (await find(w, deploymentType)) !== undefined);
  const client = w.client.of(deploymentType);
  const labels = { 'fnlet.dev/function': 'other' };
  await client.patch(key, { type: 'merge', patch: { metadata: { labels } } });
  // As `kubectl scale` does, before what was written for the label has come.
  await client.patch(key, { type: 'merge', patch: { spec: { replicas: 3 } } });
  await w.until(async () => {
    const found = await find(w, deploymentType);
    return found?.metadata.labels?.['fnlet.dev/function'] === 'hello';
  });
  assert.equal(await replicas(w), 3);
  await w.ready(3);
});

/** What Fnlet has said of it. */
function stable(object: KubeObject | undefined): string {
  assert.ok(object !== undefined);
  const { labels, ownerReferences } = object.metadata;
  return JSON.stringify([labels, ownerReferences, 'spec' in object ? object.spec : undefined]);
}

test('Pods outlive their controller, and the next one takes them over, all of them', async () => {
  await using w = world();
  const revision = w.withSource(own());
  w.executor.ensure(revision, 2);
  await w.ready(2);
  await w.until(async () =>
    (await podsOf(w)).every(({ metadata }) => metadata.labels?.['fnlet.dev/instance']),
  );
  const before = (await podsOf(w)).map(({ metadata }) => metadata.name);
  await w.restart();
  await w.executor.synced;
  w.executor.ensure(revision, 2);
  await w.ready(2);
  assert.deepEqual(
    (await podsOf(w)).map(({ metadata }) => metadata.name),
    before,
  );
  assert.equal(await replicas(w), 2);
});

test('a Pod that somebody else ends takes no calls any more, and another one follows', async () => {
  await using w = world();
  w.executor.ensure(w.withSource(own()), 1);
  await w.ready(1);
  const [before] = w.executor.instances();
  const phases: string[] = [];
  w.executor.subscribe(({ instance, kind }) => {
    if (instance.id === before?.id) phases.push(kind);
  });
  const [pod] = await podsOf(w);
  // As a drain of its node does, or whoever deletes it.
  const name = pod?.metadata.name ?? '';
  await w.client.of(podType).delete({ namespace: 'default', name }, { gracePeriodSeconds: 20 });
  await w.until(() => w.executor.instances().some(({ id }) => id !== before?.id));
  await w.ready(1);
  assert.deepEqual(phases, ['draining', 'stopped'], 'it did not crash');
  assert.equal(await w.call(w.executor.instances()[0]?.address), 'hello');
  assert.equal(await replicas(w), 1);
});

test('Pods of another template are given the code too, and take the place of those before', async () => {
  await using w = world();
  w.executor.ensure(w.withSource(own()), 2);
  await w.ready(2);
  const before = new Set(w.executor.instances().map(({ id }) => id));
  const least: number[] = [];
  w.executor.subscribe(() => {
    least.push(w.executor.instances().filter(({ phase }) => phase === 'ready').length);
  });
  // As `kubectl rollout restart` does.
  const annotations = { 'kubectl.kubernetes.io/restartedAt': 'now' };
  const patch = { spec: { template: { metadata: { annotations } } } };
  await w.client.of(deploymentType).patch(key, { type: 'merge', patch });
  await w.until(() => {
    const now = w.executor.instances();
    return now.length === 2 && now.every(({ id, phase }) => !before.has(id) && phase === 'ready');
  });
  // The kubelet here takes a Pod for ready once it is claimed, which is a little early.
  assert.ok(Math.min(...least) >= 1, 'somebody serves at any time');
  await w.until(async () => (await podsOf(w)).length === 2);
  assert.equal(await replicas(w), 2);
});

test('a Deployment that is not wanted stays away when it goes, and comes back when it is', async () => {
  await using w = world();
  const revision = w.withSource(own());
  w.executor.ensure(revision, 1);
  await w.ready(1);
  w.executor.ensure(revision, 0);
  await w.until(async () => (await podsOf(w)).length === 0 && (await replicas(w)) === 0);
  await w.client.of(deploymentType).delete(key);
  const other = own({ revision: 'hello-00002' });
  w.executor.ensure(w.withSource(other), 1);
  await w.ready(1);
  assert.equal(await find(w, deploymentType), undefined);
  w.executor.ensure(revision, 1);
  await w.ready(2);
  assert.equal(await replicas(w), 1);
});

test('one that waits is given a Pod that serves already, whenever that connects', async () => {
  await using w = world();
  const revision = w.withSource(own());
  w.executor.ensure(revision, 1);
  await w.ready(1);
  const [pod] = await podsOf(w);
  await w.until(async () => (await podsOf(w))[0]?.metadata.labels?.[instance] !== undefined);
  // The next owner does not see that it is an Instance: what said so was lost with this one.
  const name = pod?.metadata.name ?? '';
  const labels = { [instance]: null };
  const target = { namespace: 'default', name };
  await w.client.of(podType).patch(target, { type: 'merge', patch: { metadata: { labels } } });
  await w.restart();
  await w.executor.synced;
  w.executor.ensure(revision, 1);
  await w.ready(1);
  assert.deepEqual(
    (await podsOf(w)).map(({ metadata }) => metadata.name),
    [name],
  );
  assert.equal(await replicas(w), 1);
});

const instance = 'fnlet.dev/instance';

test('code that does not load ends its Pod, and says why', async () => {
  await using w = world();
  w.executor.ensure(w.withSource(own({ handler: 'unloadable' })), 1);
  await w.until(() => w.executor.instances()[0]?.lastExit !== undefined);
  assert.equal(w.executor.instances()[0]?.lastExit?.failure?.code, 'SyntaxError');
  await w.until(() => w.executor.instances()[0]?.phase === 'backingOff');
  assert.equal(await replicas(w), 1);
});

test('a Pod of one Revision is not given the code of another', async () => {
  await using w = world();
  const [one, other] = [own(), own({ revision: 'hello-00002' })];
  w.executor.ensure(w.withSource(one), 1);
  w.executor.ensure(w.withSource(other), 1);
  await w.ready(2);
  for (const { revision, id } of w.executor.instances()) {
    await w.until(async () => {
      const { items } = await w.client
        .of<KubeObject>(podType)
        .list({ labelSelector: `fnlet.dev/instance=${id}` });
      return items[0]?.metadata.labels?.['fnlet.dev/revision'] === revision.revision;
    });
  }
});
