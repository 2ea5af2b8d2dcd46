import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SimulatedReplica } from './simulated-replica.ts';
import { SimulatedWorld } from './simulated-world.ts';

async function simulate(seed: number): Promise<void> {
  await using world = await SimulatedWorld.open(seed);
  const replicas = Array.from({ length: 4 }, () => new SimulatedReplica(world.addNode()));
  let held: readonly (readonly number[])[] = [];
  const look = (): void => {
    held = replicas.map((replica) => replica.act());
    const all = held.flat();
    const twice = all.find((shard, at) => all.indexOf(shard) !== at);
    assert.equal(twice, undefined, `seed ${seed}: shard ${twice} is run by two`);
  };
  await world.run(120_000, () => {
    world.disturb();
    look();
  });
  world.heal();
  await world.run(40_000, look);
  const counts = held.map(({ length }) => length);
  assert.deepEqual(counts, [16, 16, 16, 16], `seed ${seed}: shared equally once all is well`);
  replicas[0]?.stop();
  await world.run(10_000, look);
  const left = held.map(({ length }) => length);
  assert.deepEqual(left.toSorted(), [0, 21, 21, 22], `seed ${seed}: who leaves hands over`);
  for (const replica of replicas) replica.stop();
  await world.run(15_000, look);
  await Promise.all(replicas.map(({ ended }) => ended));
}

const seeds = Number(process.env.SEEDS ?? 2);

test('no key is ever run by two, and every key by one again, whatever happens', async () => {
  for (let seed = 1; seed <= seeds; seed++) await simulate(seed);
});
