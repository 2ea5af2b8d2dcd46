import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode, isJsonObject } from '@fnlet/base';
import { createClient } from '@fnlet/client';
import { findCondition } from '@fnlet/machinery';
import {
  createStatusApplier,
  keepOwnManagedFields,
  type ObjectWithStatus,
  type StatusApplier,
  type StatusIntent,
} from '@fnlet/reconcile';
import {
  createSite,
  type OperatorWorld,
  siteType,
  startOperatorWorld,
  withoutManagedFields,
} from './operator-world.ts';

const { signal } = new AbortController();
const ready = { type: 'Ready', status: 'True', reason: 'Up' } as const;
const starting = { type: 'Ready', status: 'False', reason: 'Starting' } as const;

function applierOf(
  { cluster }: OperatorWorld,
  fieldManager = 'sites',
): StatusApplier<ObjectWithStatus> {
  const { clock } = cluster;
  const client = createClient(cluster.transport(), { fieldManager, clock });
  const sites = client.of<ObjectWithStatus>(siteType);
  return createStatusApplier({ client: sites, fieldManager, clock });
}

async function readSite({ cluster }: OperatorWorld): Promise<ObjectWithStatus> {
  const key = { namespace: 'default', name: 'web' };
  return cluster.client.of<ObjectWithStatus>(siteType).get(key);
}

/** A field of the status. */
function fieldOf({ status }: ObjectWithStatus, name: string): unknown {
  return isJsonObject(status) ? status[name] : undefined;
}

test('a status is written once, in this process and the next', async () => {
  await using world = await startOperatorWorld();
  await createSite(world, 'web');
  const applier = applierOf(world);
  const say: StatusIntent = { fields: { url: 'http://web', items: [] }, conditions: [ready] };
  assert.ok(await applier.write(await readSite(world), say, signal));
  await world.cluster.advance('1h');
  world.takeWrites();
  assert.equal(await applier.write(await readSite(world), say, signal), undefined);
  assert.equal(await applierOf(world).write(await readSite(world), say, signal), undefined);
  const bare = withoutManagedFields(await readSite(world));
  assert.equal(await applier.write(bare, say, signal), undefined);
  const slim = keepOwnManagedFields('sites')(await readSite(world));
  assert.equal(slim.metadata.managedFields?.length, 1);
  assert.equal(await applierOf(world).write(slim, say, signal), undefined);
  assert.deepEqual(world.takeWrites(), []);
});

test('what was said and is said no longer goes, what others say stays', async () => {
  await using world = await startOperatorWorld();
  await createSite(world, 'web');
  const [applier, other] = [applierOf(world), applierOf(world, 'other')];
  await applier.write(
    await readSite(world),
    { fields: { url: 'a', old: 1 }, conditions: [ready] },
    signal,
  );
  const theirs = { type: 'Audited', status: 'True', reason: 'Fine' } as const;
  await other.write(await readSite(world), { fields: { note: 'b' }, conditions: [theirs] }, signal);
  await applier.write(await readSite(world), { fields: { url: 'c' }, conditions: [ready] }, signal);
  const site = await readSite(world);
  assert.deepEqual(
    ['url', 'old', 'note'].map((name) => fieldOf(site, name)),
    ['c', undefined, 'b'],
  );
  assert.deepEqual(
    site.status?.conditions?.map(({ type }) => type),
    ['Ready', 'Audited'],
  );
});

test('what another replica has said meanwhile is not said again', async () => {
  await using world = await startOperatorWorld();
  await createSite(world, 'web');
  const [first, second] = [applierOf(world), applierOf(world)];
  const say = (url: string): StatusIntent => ({ fields: { url }, conditions: [ready] });
  await first.write(await readSite(world), say('a'), signal);
  await second.write(await readSite(world), say('b'), signal);
  world.takeWrites();
  const bare = withoutManagedFields(await readSite(world));
  assert.equal(await first.write(bare, say('b'), signal), undefined);
  await second.write(await readSite(world), say('c'), signal);
  world.takeWrites();
  assert.equal(await first.write(await readSite(world), say('c'), signal), undefined);
  assert.deepEqual(world.takeWrites(), []);
  await second.write(await readSite(world), say('d'), signal);
  assert.ok(await first.write(await readSite(world), say('c'), signal));
});

test('after a write whose answer was lost, an old cache keeps nothing from being said', async () => {
  await using world = await startOperatorWorld();
  await createSite(world, 'web');
  const applier = applierOf(world);
  await applier.write(await readSite(world), { fields: { url: 'a' } }, signal);
  const old = await readSite(world);
  world.cluster.faults.loseAnswer({ verb: 'patch', resource: 'sites' });
  await assert.rejects(() => applier.write(old, { fields: { url: 'b' } }, signal));
  assert.equal(fieldOf(await readSite(world), 'url'), 'b');
  await applier.write(old, { fields: { url: 'a' } }, signal);
  assert.equal(fieldOf(await readSite(world), 'url'), 'a');
  world.takeWrites();
  assert.equal(
    await applier.write(await readSite(world), { fields: { url: 'a' } }, signal),
    undefined,
  );
  assert.deepEqual(world.takeWrites(), []);
});

test('the transition time moves with the status of a condition, and with nothing else', async () => {
  await using world = await startOperatorWorld();
  await createSite(world, 'web');
  const applier = applierOf(world);
  const times: (string | undefined)[] = [];
  for (const condition of [starting, { ...starting, reason: 'Pulling' }, ready, ready]) {
    await applier.write(await readSite(world), { conditions: [condition] }, signal);
    const { status } = await readSite(world);
    times.push(findCondition(status?.conditions, 'Ready')?.lastTransitionTime);
    await world.cluster.advance('10s');
  }
  const [first, , third] = times;
  assert.deepEqual(times, [first, first, third, third]);
  assert.notEqual(first, third);
});

test('a cache that is behind the own last write does not move the transition time', async () => {
  await using world = await startOperatorWorld();
  await createSite(world, 'web');
  const applier = applierOf(world);
  const old = await readSite(world);
  await applier.write(old, { conditions: [ready] }, signal);
  await world.cluster.advance('10s');
  world.takeWrites();
  assert.equal(await applier.write(old, { conditions: [ready] }, signal), undefined);
  assert.deepEqual(world.takeWrites(), []);
});

test('observedGeneration is the generation that was read, not the newest', async () => {
  await using world = await startOperatorWorld();
  const site = await createSite(world, 'web');
  await world.meddle({ ...site, spec: { replicas: 2 } });
  await applierOf(world).write(site, { conditions: [ready] }, signal);
  const { status, metadata } = await readSite(world);
  assert.deepEqual([status?.observedGeneration, metadata.generation], [1, 2]);
  assert.equal(findCondition(status?.conditions, 'Ready')?.observedGeneration, 1);
});

test('a new object of the same name does not get the status of the old one', async () => {
  await using world = await startOperatorWorld();
  const site = await createSite(world, 'web');
  const sites = world.cluster.client.of<ObjectWithStatus>(siteType);
  await sites.delete({ namespace: 'default', name: 'web' });
  const write = (): Promise<unknown> =>
    applierOf(world).write(site, { conditions: [ready] }, signal);
  await assert.rejects(write, (error) => hasCode(error, 'NotFound'));
  const fresh = await createSite(world, 'web');
  await assert.rejects(write, (error) => hasCode(error, 'Conflict'));
  const { metadata, status = {} } = await readSite(world);
  assert.deepEqual(status, {});
  // Not even for a moment.
  assert.equal(metadata.resourceVersion, fresh.metadata.resourceVersion);
});

test('a status that somebody else overwrote is said again', async () => {
  await using world = await startOperatorWorld();
  await createSite(world, 'web');
  const applier = applierOf(world);
  await applier.write(await readSite(world), { fields: { url: 'a' } }, signal);
  const live = await readSite(world);
  const sites = world.cluster.client.of<ObjectWithStatus>(siteType);
  const overwritten = { ...live.status, url: 'b' };
  await sites.updateStatus({ ...live, status: overwritten });
  assert.ok(await applier.write(await readSite(world), { fields: { url: 'a' } }, signal));
  assert.equal(fieldOf(await readSite(world), 'url'), 'a');
  applier.forget(live.metadata.uid ?? '');
  world.takeWrites();
  await applier.write(await readSite(world), { fields: { url: 'a' } }, signal);
  assert.deepEqual(world.takeWrites(), []);
});
