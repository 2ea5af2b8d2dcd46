import assert from 'node:assert/strict';
import { test } from 'node:test';
import { group, keys, SimulatedReplica } from '../../test/simulated-replica.ts';
import { SimulatedWorld } from '../../test/simulated-world.ts';
import { type Lease, leaseType } from '../election/lease.ts';

async function leases(world: SimulatedWorld): Promise<readonly Lease[]> {
  return (await world.client.of<Lease>(leaseType).list({ namespace: 'default' })).items;
}

async function runUntil(
  world: SimulatedWorld,
  isReached: () => boolean,
  boundMs: number,
): Promise<number> {
  let tookMs: number | undefined;
  let elapsedMs = 0;
  await world.run(boundMs, () => {
    elapsedMs += 100;
    if (tookMs === undefined && isReached()) tookMs = elapsedMs;
  });
  return tookMs ?? Number.POSITIVE_INFINITY;
}

test('a replica alone has everything within a second, and leaves nothing behind', async () => {
  await using world = await SimulatedWorld.open(1);
  const replica = new SimulatedReplica(world.addNode());
  assert.ok((await runUntil(world, () => replica.act().length === keys.length, 5_000)) <= 1_000);
  replica.stop();
  await world.run(5_000, () => replica.act());
  await replica.ended;
  const left = await leases(world);
  assert.deepEqual(
    left.map(({ metadata }) => metadata.name),
    [group.name],
  );
});

test('an idle replica writes once each three seconds, whatever it holds', async () => {
  await using world = await SimulatedWorld.open(1);
  const replica = new SimulatedReplica(world.addNode());
  await world.run(10_000, () => replica.act());
  const own = async (): Promise<number> => {
    const [found] = (await leases(world)).filter(({ metadata }) => metadata.name !== group.name);
    return Number(found?.metadata.resourceVersion);
  };
  const before = await own();
  await world.run(60_000, () => replica.act());
  const writes = (await own()) - before;
  assert.ok(writes >= 16 && writes <= 21, `${writes} writes in a minute`);
  replica.stop();
  await world.run(5_000, () => replica.act());
  await replica.ended;
});

test('keys move within 14 s when a replica dies, and within seconds when one joins or leaves', async () => {
  await using world = await SimulatedWorld.open(1);
  const first = new SimulatedReplica(world.addNode());
  await world.run(5_000, () => first.act());
  const second = new SimulatedReplica(world.addNode());
  const isShared = (): boolean =>
    first.act().length === keys.length / 2 && second.act().length === keys.length / 2;
  assert.ok((await runUntil(world, isShared, 12_000)) <= 10_000);
  second.node.network.isCut = true;
  const hasAll = (): boolean => first.act().length === keys.length;
  const movedMs = await runUntil(world, hasAll, 20_000);
  assert.ok(movedMs > 7_000 && movedMs <= 15_000, `moved after ${movedMs} ms`);
  assert.deepEqual(second.act(), []);
  const dead = (await leases(world)).filter(({ metadata }) => metadata.name.startsWith('node-1'));
  assert.deepEqual(dead, [], 'the Lease of the dead is removed');
  world.heal();
  assert.ok((await runUntil(world, isShared, 15_000)) <= 12_000, 'who comes back gets its share');
  second.stop();
  assert.ok((await runUntil(world, hasAll, 8_000)) <= 7_000);
  first.stop();
  await world.run(5_000, () => first.act());
  await Promise.all([first.ended, second.ended]);
});

test('a Lease of the group that nobody can read moves nothing, and keeps nobody from leaving', async () => {
  await using world = await SimulatedWorld.open(1);
  const replica = new SimulatedReplica(world.addNode());
  await world.run(5_000, () => replica.act());
  const annotations = { 'fnlet.dev/shards': 'broken' };
  const patch = { type: 'merge', patch: { metadata: { annotations } } } as const;
  await world.client.of<Lease>(leaseType).patch(group, patch);
  await world.run(20_000, () => replica.act());
  assert.equal(replica.act().length, keys.length);
  replica.stop();
  await world.run(12_000, () => replica.act());
  await replica.ended;
});

test('a replica that never reached the API stops when it is told to', async () => {
  await using world = await SimulatedWorld.open(1);
  const node = world.addNode();
  node.network.isCut = true;
  const replica = new SimulatedReplica(node);
  await world.run(20_000, () => assert.deepEqual(replica.act(), []));
  replica.stop();
  await world.run(12_000, () => replica.act());
  await replica.ended;
});
