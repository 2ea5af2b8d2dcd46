// Which replica runs a Trigger that delivers events: moving one loses nothing, and two never run it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KeyOwnership } from '@fnlet/reconcile';
import { World } from './world.ts';

const minute = 60_000;
const often = {
  source: { cron: { schedule: '* * * * *', missed: 'all' } },
  target: { function: 'hello' },
};

/** What decides who runs what, as the test says. */
class Ownership implements KeyOwnership {
  #owns = false;
  readonly #listeners = new Set<() => Promise<void>>();

  ownsKey(): boolean {
    return this.#owns;
  }

  subscribe(listener: () => Promise<void>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when what is no longer owned has ended. */
  async set(owns: boolean): Promise<void> {
    this.#owns = owns;
    await Promise.all([...this.#listeners].map((listener) => listener()));
  }
}

test('a Trigger runs where it is owned, and goes on where it was left', async () => {
  const ownership = new Ownership();
  await using world = await World.start({ ownership });
  await world.createFunction('hello');
  await world.applySpec('often', often);
  await world.pass(2 * minute);
  assert.equal(world.calls.length, 0);
  await ownership.set(true);
  await world.pass(2.5 * minute);
  const first = world.calls.length;
  assert.ok(first >= 2);
  await ownership.set(false);
  await world.pass(3 * minute);
  assert.equal(world.calls.length, first);
  await ownership.set(true);
  await world.pass(1_000);
  assert.equal(world.calls.length, first + 3);
});

test('who gives a Trigger away has ended what it sent, or knows nothing of it', async () => {
  const ownership = new Ownership();
  await using world = await World.start({ ownership });
  await world.createFunction('hello');
  let running = 0;
  world.answer = (_, signal) =>
    new Promise((resolve) => {
      running++;
      signal.addEventListener('abort', () => {
        running--;
        resolve(499);
      });
    });
  await world.applySpec('often', often);
  await ownership.set(true);
  await world.pass(1.5 * minute);
  assert.equal(running, 1);
  const given = ownership.set(false);
  await world.pass(10_000);
  await given;
  assert.equal(running, 0);
  world.calls.length = 0;
  world.answer = () => 200;
  await ownership.set(true);
  await world.pass(1_000);
  assert.ok(world.calls.length >= 1);
});
