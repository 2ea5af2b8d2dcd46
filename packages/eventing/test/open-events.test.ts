// What is in memory of events that wait: counted, whatever their number.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OpenQuota } from '../src/delivery/open-quota.ts';
import { answerOf, DeliveryWorld, eventOf, type Script } from './delivery-world.ts';

async function appendMany(world: DeliveryWorld, count: number, key?: string): Promise<void> {
  for (let first = 0; first < count; first += 1_000) {
    const events = Array.from({ length: Math.min(1_000, count - first) }, (_, n) =>
      eventOf(`${first + n}`, key),
    );
    await world.append(...events);
  }
}

test('of what is pending as much is in memory, whether it is a thousand events or twenty', async () => {
  const found: number[] = [];
  for (const pending of [1_000, 20_000]) {
    const openQuota = new OpenQuota({ max: 1_000_000, shareMin: 2_000 });
    const never: Script = (_attempt, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(answerOf(500)));
      });
    await using world = new DeliveryWorld({ target: never, openQuota });
    await appendMany(world, pending);
    const delivery = await world.start({ target: never, limits: { graceMs: 0 } });
    await world.pass(10_000, 1_000);
    assert.equal((await delivery.state()).lag, pending);
    found.push(openQuota.open);
  }
  assert.equal(found[0], found[1]);
  // What is under way, what is ready, and one read.
  assert.ok((found[0] ?? 0) <= 32 + 32 + 32, `${found[0]} events are in memory`);
});

test('Triggers whose events wait behind a failing one share what may be in memory', async () => {
  const openQuota = new OpenQuota({ max: 300, shareMin: 50 });
  let isDown = true;
  const target: Script = () => answerOf(isDown ? 500 : 200);
  const policy = { orderingKey: 'subject', retry: 100, backoffDelay: '1s', backoffMax: '1s' };
  await using stack = new AsyncDisposableStack();
  const worlds = Array.from({ length: 4 }, () =>
    stack.use(new DeliveryWorld({ policy, target, openQuota })),
  );
  for (const world of worlds) {
    await appendMany(world, 500, 'poison');
    await world.start();
    await world.pass(5_000, 500);
  }
  // All of it, what each may have anyway, and its last read of 32: of two thousand.
  assert.ok(openQuota.open <= 300 + 4 * (50 + 32), `${openQuota.open} events are in memory`);
  assert.ok(openQuota.open >= 300, 'it is used');
  isDown = false;
  for (const world of worlds) {
    await world.pass(60_000, 500);
    const taken = [...new Set(world.ids)];
    assert.deepEqual(
      taken,
      Array.from({ length: 500 }, (_, n) => `${n}`),
      'all came, in order',
    );
    assert.equal((await world.delivery.state()).lag, 0);
    await world.stop();
  }
  assert.equal(openQuota.open, 0);
});
