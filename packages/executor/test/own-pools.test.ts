/** Functions that are developed and have Pods of their own, on a real API and with real Runners. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createCertificates, type TlsIdentity } from '@fnlet/apiserver';
import { isJsonObject, systemClock } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { deploymentType } from '../src/cluster/deployment-type.ts';
import type { RunnableRevision } from '../src/executor.ts';
import { podType } from '../src/instance-pod.ts';
import { PodWorld } from './pod-world.ts';
import { revisionFixture } from './revision-fixture.ts';

const root = mkdtempSync(join(tmpdir(), 'own-pools-'));
let tls: TlsIdentity;

before(async () => {
  tls = await createCertificates(systemClock.now());
});

after(() => rmSync(root, { recursive: true, force: true }));

/** The Revision number `edit` of a function that is developed. */
function edit(
  w: PodWorld,
  number: number,
  changes: Partial<RunnableRevision> = {},
): RunnableRevision {
  const revision = `hello-0000${number}`;
  const owner = { apiVersion: 'fnlet.dev/v1alpha1', kind: 'Revision', name: revision };
  return w.withSource(
    revisionFixture({
      ...{ revision, env: { GREETING: `hello ${number}` } },
      owner: { ...owner, uid: `uid-${number}` },
      pod: { development: true },
      resources: { limits: { memory: '256Mi' } },
      ...changes,
    }),
  );
}

interface Shown {
  readonly uid: string | undefined;
  readonly pool: string | undefined;
  readonly revision: string | undefined;
}

async function podsOf(w: PodWorld): Promise<readonly Shown[]> {
  const { items } = await w.client.of<KubeObject>(podType).list();
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata: { uid, labels } }) => {
      return { uid, pool: labels?.['fnlet.dev/pool'], revision: labels?.['fnlet.dev/revision'] };
    });
}

/**
 * Waits for the one Pod that waits for code, and no more than that. One that has not made itself
 * known yet could be one too many, once another has; and while its pool still has the size of the
 * moment before, another one comes, of which either may be taken away.
 */
async function spareOf(w: PodWorld): Promise<Shown> {
  let found: readonly Shown[] = [];
  await w.until(async () => {
    found = (await podsOf(w)).filter(({ pool }) => pool?.startsWith('fnlet-dev-') === true);
    const [{ uid, pool } = {}] = found;
    const isSettled = (await sizes(w))[pool ?? ''] === 1;
    return found.length === 1 && isSettled && w.known.has(uid ?? '');
  });
  const [spare] = found;
  assert.ok(spare !== undefined);
  return spare;
}

async function sizes(w: PodWorld): Promise<Readonly<Record<string, unknown>>> {
  const { items } = await w.client.of<KubeObject>(deploymentType).list();
  const replicasOf = (object: KubeObject): unknown =>
    'spec' in object && isJsonObject(object.spec) ? object.spec.replicas : undefined;
  return Object.fromEntries(items.map((object) => [object.metadata.name, replicasOf(object)]));
}

/** The answer of the Instance of a Revision, once it is the only one. */
async function answerOf(w: PodWorld, { id }: RunnableRevision): Promise<string> {
  await w.until(() => {
    const all = w.executor.instances();
    return all.length === 1 && all[0]?.revision.id === id && all[0].phase === 'ready';
  });
  return await w.call(w.executor.instances()[0]?.address);
}

test('an edit is given to a Pod that runs, with the limits of the function', async () => {
  await using w = new PodWorld({ root, tls });
  const first = edit(w, 1);
  w.executor.ensure(first, 1);
  assert.equal(await answerOf(w, first), 'hello 1');
  for (const number of [2, 3]) {
    const spare = await spareOf(w);
    const [before, now] = [edit(w, number - 1), edit(w, number)];
    w.executor.ensure(now, 1);
    await w.until(() => w.executor.instances(now.id).some(({ phase }) => phase === 'ready'));
    w.executor.ensure(before, 0);
    assert.equal(await answerOf(w, now), `hello ${number}`);
    await w.until(async () =>
      (await podsOf(w)).some(({ uid, revision }) => uid === spare.uid && revision === now.revision),
    );
  }
  // One pool for all of them, and no Deployment for any.
  assert.equal(Object.keys(await sizes(w)).length, 1);
  const [pool] = (await w.client.of<KubeObject>(deploymentType).list()).items;
  assert.match(JSON.stringify(pool), /"memory":"256Mi"/);
  assert.equal(pool?.metadata.labels?.['fnlet.dev/function'], 'hello');
});

test('what a running Pod cannot take has other Pods, and nothing of the first pool stays', async () => {
  await using w = new PodWorld({ root, tls });
  const first = edit(w, 1);
  w.executor.ensure(first, 1);
  assert.equal(await answerOf(w, first), 'hello 1');
  const spare = await spareOf(w);
  const larger = edit(w, 2, { resources: { limits: { memory: '512Mi' } } });
  w.executor.ensure(larger, 1);
  await w.until(() => w.executor.instances(larger.id).some(({ phase }) => phase === 'ready'));
  w.executor.ensure(first, 0);
  assert.equal(await answerOf(w, larger), 'hello 2');
  await w.until(async () => (await sizes(w))[spare.pool ?? ''] === 0);
  assert.notEqual((await spareOf(w)).pool, spare.pool);
  // Nobody works on it any more: it has a Deployment of its own, and no Pod waits.
  const last = edit(w, 3, { pod: {}, resources: { limits: { memory: '512Mi' } } });
  w.executor.ensure(last, 1);
  await w.until(() => w.executor.instances(last.id).some(({ phase }) => phase === 'ready'));
  w.executor.ensure(larger, 0);
  assert.equal(await answerOf(w, last), 'hello 3');
  await w.until(async () => {
    const { [last.revision]: own, ...pools } = await sizes(w);
    return own === 1 && Object.values(pools).every((replicas) => replicas === 0);
  });
});

test('the next owner keeps the Instance and the Pod that waits', async () => {
  await using w = new PodWorld({ root, tls });
  const first = edit(w, 1);
  w.executor.ensure(first, 1);
  assert.equal(await answerOf(w, first), 'hello 1');
  const spare = await spareOf(w);
  const serving = (await podsOf(w)).find(({ revision }) => revision === first.revision);
  await w.restart();
  await w.executor.synced;
  w.executor.ensure(first, 1);
  assert.equal(await answerOf(w, first), 'hello 1');
  const found = (await podsOf(w)).find(({ revision }) => revision === first.revision);
  assert.equal(found?.uid, serving?.uid);
  await spareOf(w);
  const second = edit(w, 2);
  w.executor.ensure(second, 1);
  w.executor.ensure(first, 0);
  assert.equal(await answerOf(w, second), 'hello 2');
  assert.ok((await podsOf(w)).some(({ uid }) => uid === spare.uid));
});

test('a pool that is deleted comes back where it is used, and nowhere else', async () => {
  await using w = new PodWorld({ root, tls });
  const first = edit(w, 1);
  w.executor.ensure(first, 1);
  assert.equal(await answerOf(w, first), 'hello 1');
  const { pool: name = '' } = await spareOf(w);
  const deployments = w.client.of<KubeObject>(deploymentType);
  const key = { namespace: 'default', name };
  const { uid } = (await deployments.get(key)).metadata;
  await deployments.delete(key);
  await w.until(async () => {
    const found = await deployments.tryGet(key);
    return found !== undefined && found.metadata.uid !== uid;
  });
  w.executor.ensure(first, 0);
  await w.until(() => w.executor.instances().length === 0);
  await deployments.delete(key);
  // The Deployment of another function shows that what is to be written was.
  const other = edit(w, 2, { function: 'other', id: 'default/other-1', revision: 'other-1' });
  w.executor.ensure(other, 1);
  await w.ready(1);
  assert.equal(await deployments.tryGet(key), undefined);
});
