// Replicas that share Triggers by Leases, while they leave, die and are cut off at random.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomInt } from '@fnlet/base';
import { ReplicaWorld, type SeenDelivery } from './replica-world.ts';

const periodMs = 5_000;
const triggers = ['a', 'b', 'c', 'd', 'e'];
/** Until others take over from one that is silent, and some more. */
const takeoverMs = 25_000;

const often = {
  source: { cron: { schedule: '*/5 * * * * *', missed: 'all' } },
  target: { function: 'target' },
  delivery: { orderingKey: 'source', retry: 10, backoffDelay: '100ms', backoffMax: '500ms' },
};

async function begin(seed: number): Promise<ReplicaWorld> {
  const world = await ReplicaWorld.start(seed);
  for (const name of triggers) await world.applyTrigger(name, often);
  return world;
}

function byTrigger(seen: readonly SeenDelivery[]): readonly (readonly SeenDelivery[])[] {
  const groups = [...Map.groupBy(seen, ({ trigger }) => trigger).values()];
  assert.equal(groups.length, triggers.length, 'each Trigger has delivered');
  return groups;
}

/** Each time of the schedule came, and none once it was over with a later one. */
function checkComplete(seen: readonly SeenDelivery[], untilMs: number): void {
  const firstMs = Math.min(...seen.map(({ scheduledMs }) => scheduledMs));
  for (let dueMs = firstMs; dueMs < untilMs; dueMs += periodMs) {
    const tries = seen.filter(({ scheduledMs }) => scheduledMs === dueMs);
    assert.ok(
      tries.some(({ isTaken }) => isTaken),
      `the event of ${new Date(dueMs).toISOString()} is lost`,
    );
  }
  let newestMs = 0;
  for (const { scheduledMs, isTaken } of seen) {
    assert.ok(scheduledMs >= newestMs, 'an event came after one that follows it was taken');
    if (isTaken) newestMs = scheduledMs;
  }
}

/** What came again was taken by a replica that could not say so any more. */
function checkRepeats(seen: readonly SeenDelivery[]): void {
  const taken = seen.filter(({ isTaken }) => isTaken);
  for (const [id, again] of Map.groupBy(taken, (each) => each.id)) {
    for (const { replica, startMs } of again.slice(0, -1)) {
      const isTroubled = replica.troubledMs.some(
        (ms) => ms >= startMs - takeoverMs && ms <= startMs + takeoverMs,
      );
      assert.ok(isTroubled, `${id} came ${again.length} times, and ${replica.name} was well`);
    }
  }
}

test('a Trigger moves between replicas that join and leave, and no event comes twice', async () => {
  await using world = await begin(1);
  world.join();
  await world.pass(20_000);
  world.join();
  world.join();
  await world.pass(40_000);
  const sharing = new Set(world.seen.slice(-20).map(({ replica }) => replica));
  assert.ok(sharing.size > 1, 'replicas share Triggers');
  for (const replica of world.living.slice(0, 2)) {
    replica.leave();
    await world.pass(20_000);
  }
  const untilMs = world.cluster.clock.now() - periodMs;
  for (const seen of byTrigger(world.seen)) {
    checkComplete(seen, untilMs);
    const ids = seen.filter(({ isTaken }) => isTaken).map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length, 'an event was taken twice');
  }
});

const seeds = Number(process.env.SEEDS ?? 5);
for (let seed = 1; seed <= seeds; seed++) {
  test(`replicas die and are cut off: nothing is lost, nothing out of order (seed ${seed})`, async () => {
    await using world = await begin(seed);
    const { random } = world;
    world.join();
    world.join();
    for (let step = 0; step < 12; step++) {
      await world.pass(3_000 + randomInt(random, 12_000));
      const { living } = world;
      const one = living[randomInt(random, living.length)];
      const chance = random.next();
      if (one === undefined || living.length < 2 || chance < 0.2) world.join();
      else if (chance < 0.55) one.kill();
      else if (chance < 0.65) one.leave();
      else one.cut(!one.isCut);
    }
    for (const replica of world.living) if (replica.isCut) replica.cut(false);
    world.join();
    world.failing = 0;
    await world.pass(2 * takeoverMs);
    const untilMs = world.cluster.clock.now() - 2 * periodMs;
    for (const seen of byTrigger(world.seen)) {
      checkComplete(seen, untilMs);
      checkRepeats(seen);
    }
  });
}
