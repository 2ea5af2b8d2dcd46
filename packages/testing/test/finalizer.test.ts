import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '@fnlet/base';
import type { ResourceClient } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import { createFinalizer, decideFinalizer, type Finalizer } from '@fnlet/reconcile';
import fc from 'fast-check';
import { createSite, type OperatorWorld, siteType, startOperatorWorld } from './operator-world.ts';

const { signal } = new AbortController();
const own = 'example.com/own';
const key = { namespace: 'default', name: 'web' };

function sitesOf({ cluster }: OperatorWorld): ResourceClient<KubeObject> {
  return cluster.client.of<KubeObject>(siteType);
}

function finalizerOf(world: OperatorWorld): Finalizer<KubeObject> {
  return createFinalizer({ client: sitesOf(world), name: own });
}

async function finalizersOf(world: OperatorWorld): Promise<readonly string[] | undefined> {
  return (await sitesOf(world).tryGet(key))?.metadata.finalizers;
}

test('a run adds it, reconciles with it, cleans up, and lets go', async () => {
  await using world = await startOperatorWorld();
  const site = await createSite(world, 'web');
  const finalizer = finalizerOf(world);
  assert.equal(decideFinalizer(site, own), 'add');
  const marked = await finalizer.add(site, signal);
  assert.ok(marked);
  assert.equal(decideFinalizer(marked, own), 'reconcile');
  await sitesOf(world).delete(key);
  const going = await sitesOf(world).get(key);
  assert.equal(decideFinalizer(going, own), 'cleanup');
  await finalizer.remove(going, signal);
  assert.equal(await sitesOf(world).tryGet(key), undefined);
});

test('what is being deleted never gets it, even when that was not known', async () => {
  await using world = await startOperatorWorld();
  const site = await createSite(world, 'web', ['example.com/other']);
  await sitesOf(world).delete(key);
  const going = await sitesOf(world).get(key);
  assert.equal(decideFinalizer(going, own), 'gone');
  assert.equal(await finalizerOf(world).add(going, signal), undefined);
  assert.equal(await finalizerOf(world).add(site, signal), undefined);
  assert.deepEqual(await finalizersOf(world), ['example.com/other']);
});

test('what is there already, or off already, is no write', async () => {
  await using world = await startOperatorWorld();
  const site = await createSite(world, 'web', [own]);
  assert.equal(await finalizerOf(world).add(site, signal), site);
  const bare = await finalizerOf(world).remove(site, signal);
  assert.ok(bare);
  world.takeWrites();
  assert.equal(await finalizerOf(world).remove(bare, signal), bare);
  assert.deepEqual(world.takeWrites(), []);
});

test('an object of the same name keeps its finalizers', async () => {
  await using world = await startOperatorWorld();
  const old = await createSite(world, 'web', [own]);
  await finalizerOf(world).remove(old, signal);
  await sitesOf(world).delete(key);
  assert.equal(await finalizerOf(world).remove(old, signal), undefined);
  await createSite(world, 'web', [own]);
  assert.equal(await finalizerOf(world).remove(old, signal), undefined);
  assert.equal(
    await finalizerOf(world).add({ ...old, metadata: { ...old.metadata, finalizers: [] } }, signal),
    undefined,
  );
  assert.deepEqual(await finalizersOf(world), [own]);
});

test('what the API refuses is told, without trying again', async () => {
  await using world = await startOperatorWorld();
  const site = await createSite(world, 'web');
  const bad = createFinalizer({ client: sitesOf(world), name: 'not a name/x/y' });
  world.takeWrites();
  await assert.rejects(
    () => bad.add(site, signal),
    (error) => hasCode(error, 'Invalid'),
  );
  assert.equal(world.takeWrites().length, 1);
});

const others = ['example.com/a', 'example.com/b', 'example.com/c'];
const lists = fc.shuffledSubarray([own, ...others]);

test('whatever others do to the list meanwhile, theirs stays exactly as it is', async () => {
  await using world = await startOperatorWorld();
  await createSite(world, 'web');
  const sites = sitesOf(world);
  const setList = async (finalizers: readonly string[]): Promise<KubeObject> => {
    const { metadata, ...rest } = await sites.get(key);
    return sites.update({ ...rest, metadata: { ...metadata, finalizers } });
  };
  const property = async (
    before: readonly string[],
    after: readonly string[],
    verb: 'add' | 'remove',
  ): Promise<void> => {
    const seen = await setList(before);
    await setList(after);
    await finalizerOf(world)[verb](seen, signal);
    const left = (await finalizersOf(world)) ?? [];
    // Judged by what was seen: who saw it off leaves alone what came after.
    const isActed = before.includes(own) === (verb === 'remove');
    const foreign = after.filter((name) => name !== own);
    assert.deepEqual(
      left.filter((name) => name !== own),
      foreign,
    );
    assert.equal(left.includes(own), isActed ? verb === 'add' : after.includes(own));
  };
  await fc.assert(fc.asyncProperty(lists, lists, fc.constantFrom('add', 'remove'), property), {
    numRuns: 60,
  });
});
