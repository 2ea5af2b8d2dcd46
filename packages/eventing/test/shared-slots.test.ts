import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeliverySlots } from '../src/delivery/delivery-slots.ts';
import { answerOf, DeliveryWorld, eventOf } from './delivery-world.ts';
import { SharedSlotsLife } from './shared-slots-life.ts';

// `SEEDS=1000` for a night; a few are enough to notice most mistakes.
const seeds = Number(process.env.SEEDS ?? 20);
const first = Number(process.env.SEED ?? 1);

for (let seed = first; seed < first + seeds; seed++) {
  test(`Triggers that share slots make progress, whatever happens to others (seed ${seed})`, async () => {
    await new SharedSlotsLife(seed).live(100);
  });
}

test('a Delivery that had to wait for its turn keeps its rate while requests take long', async () => {
  const turns: (() => void)[] = [];
  const many = Number.POSITIVE_INFINITY;
  const limits = { inFlightMax: many, bytesMax: many, begunPerTurn: 1 };
  const slots = new DeliverySlots(limits, { nextTurn: (callback) => turns.push(callback) });
  await using world = new DeliveryWorld({
    slots,
    policy: { rate: { perSecond: 1, burst: 4 }, concurrency: 10 },
    target: (_, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(answerOf(0)));
      }),
  });
  await world.append(...Array.from({ length: 6 }, (_, n) => eventOf(String(n))));
  await world.start();
  const allTurns = async (): Promise<void> => {
    while (turns.length > 0) {
      for (const callback of turns.splice(0)) callback();
      await world.settle();
    }
  };
  await allTurns();
  assert.equal(world.attempts.length, 4, 'the burst');
  await world.pass(1_000);
  await allTurns();
  assert.equal(world.attempts.length, 5, 'one more after a second');
  await world.pass(1_000);
  await allTurns();
  assert.equal(world.attempts.length, 6);
});
