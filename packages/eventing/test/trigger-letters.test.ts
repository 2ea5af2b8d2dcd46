// The dead letters of Triggers, in a whole API, on the test's clock.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '@fnlet/base';
import type { CloudEvent } from '../src/event/cloud-event.ts';
import { namespace, World } from './world.ts';

const minute = 60_000;
const { signal } = new AbortController();
const all = { namespace, filter: {} };

/** A Trigger with some dead letters, and a target that works by then. */
async function startWithLetters(count: number): Promise<World> {
  const world = await World.start();
  for (const name of ['hello', 'other']) await world.createFunction(name);
  world.answer = () => 400;
  const cron = { schedule: '*/5 * * * *', data: { a: 1 }, missed: 'skip' };
  await world.applySpec('often', { source: { cron }, target: { function: 'hello' } });
  await world.pass(5 * count * minute);
  assert.equal((await (await world.letters()).list(all, 100)).letters.length, count);
  world.answer = () => 200;
  world.calls.length = 0;
  return world;
}

function attributes(world: World, name: string): readonly (string | undefined)[] {
  return world.calls.map(({ headers }) => new Map(headers).get(name));
}

test('dead letters are listed without their data, and one is shown with it', async () => {
  await using world = await startWithLetters(3);
  const letters = await world.letters();
  const { letters: views, hasMore } = await letters.list(all, 2);
  assert.deepEqual([views.length, hasMore], [2, true]);
  const [first] = views;
  assert.deepEqual([first?.trigger, first?.reason, first?.code], ['often', 'Refused', 400]);
  assert.equal(Object(first?.event).data, undefined);
  const shown = await letters.get(namespace, first?.name ?? '');
  assert.deepEqual(Object(shown.event).data, { a: 1 });
  assert.equal(Object(shown.event).fnletreason, undefined);
  assert.deepEqual((await letters.list({ ...all, namespace: 'other' }, 9)).letters, []);
});

test('an event that is replayed at once is delivered, though it came a moment ago', async () => {
  await using world = await startWithLetters(1);
  const letters = await world.letters();
  const [view] = (await letters.list(all, 9)).letters;
  assert.deepEqual(await letters.replay(all, signal), { replayed: 1, isDone: true });
  await world.pass(6_000);
  assert.deepEqual(attributes(world, 'ce-id'), [Object(view?.event).id]);
  assert.deepEqual(attributes(world, 'ce-fnletreplay'), ['1']);
  assert.equal((await world.status('often')).deadLetters, 0);
});

test('an event that fails again is a dead letter again, and can be replayed again', async () => {
  await using world = await startWithLetters(1);
  const letters = await world.letters();
  world.answer = () => 400;
  await letters.replay(all, signal);
  await world.pass(1_000);
  world.answer = () => 200;
  world.calls.length = 0;
  assert.deepEqual(await letters.replay(all, signal), { replayed: 1, isDone: true });
  await world.pass(1_000);
  assert.deepEqual(attributes(world, 'ce-fnletreplay'), ['2']);
});

test('dead letters are replayed to another Function; what that does not take stays', async () => {
  await using world = await startWithLetters(2);
  const letters = await world.letters();
  world.answer = () => 503;
  await assert.rejects(
    letters.replay({ ...all, to: 'other' }, signal),
    (error) => hasCode(error, 'NotTaken') && error.message.includes('503'),
  );
  assert.equal((await letters.list(all, 9)).letters.length, 2);
  world.answer = () => 200;
  assert.equal((await letters.replay({ ...all, to: 'function/other' }, signal)).replayed, 2);
  assert.deepEqual(new Set(world.calls.map((call) => call.function)), new Set(['other']));
  await world.pass(6_000);
  assert.equal((await world.status('often')).deadLetters, 0);
});

test('a replay that ends early has sent no event that is still a dead letter', async () => {
  await using world = await startWithLetters(3);
  const letters = await world.letters();
  world.answer = () => (world.calls.length < 3 ? 200 : 400);
  await assert.rejects(letters.replay({ ...all, to: 'other' }, signal), {
    code: 'NotTaken',
    message: /the answer 400, expected 2xx; before it 2 of the dead letters were replayed$/,
  });
  const [left, ...others] = (await letters.list(all, 9)).letters;
  assert.equal(others.length, 0);
  assert.equal(attributes(world, 'ce-id').indexOf(Object(left?.event).id), 2);
});

test('one dead letter is replayed by its number, or those of a reason', async () => {
  await using world = await startWithLetters(3);
  const letters = await world.letters();
  const replay = async (filter: object): Promise<number> =>
    (await letters.replay({ ...all, trigger: 'often', filter }, signal)).replayed;
  assert.equal(await replay({ reason: 'Exhausted' }), 0);
  assert.equal(await replay({ number: 2 }), 1);
  assert.equal(await replay({ number: 2 }), 0);
  assert.equal(await replay({ reason: 'Refused' }), 2);
});

test('dead letters are replayed to another Trigger, if it is there', async () => {
  await using world = await startWithLetters(1);
  const cron = { schedule: '0 0 1 1 *' };
  await world.applySpec('rare', { source: { cron }, target: { function: 'other' } });
  const letters = await world.letters();
  await assert.rejects(letters.replay({ ...all, to: 'trigger/none' }, signal), (error) =>
    hasCode(error, 'NotFound'),
  );
  assert.equal((await letters.replay({ ...all, to: 'trigger/rare' }, signal)).replayed, 1);
  await world.pass(1_000);
  assert.deepEqual(
    world.calls.map((call) => call.function),
    ['other'],
  );
});

test('a slow replay ends after a while, and goes on where it ended', async () => {
  await using world = await startWithLetters(3);
  const letters = await world.letters();
  const slow = { ...all, perSecond: 0.06 };
  const first = letters.replay(slow, signal);
  await world.pass(21_000);
  assert.deepEqual(await first, { replayed: 2, isDone: false });
  assert.equal((await letters.list(all, 9)).letters.length, 1);
  assert.deepEqual(await letters.replay(slow, signal), { replayed: 1, isDone: true });
});

test('one dead letter is dropped, or all that a filter names', async () => {
  await using world = await startWithLetters(3);
  const letters = await world.letters();
  const [first, second] = (await letters.list(all, 9)).letters;
  const name = first?.name ?? '';
  assert.equal((await letters.remove(namespace, name)).name, name);
  for (const gone of [name, 'often.99', 'often', 'none.1']) {
    await assert.rejects(letters.get(namespace, gone), (error) => hasCode(error, 'NotFound'), gone);
  }
  const { id } = Object(second?.event);
  assert.equal(await letters.drop({ ...all, filter: { id } }), 1);
  assert.equal(await letters.drop({ ...all, trigger: 'often' }), 1);
  await assert.rejects(letters.drop({ ...all, trigger: 'none' }), (error) =>
    hasCode(error, 'NotFound'),
  );
  await world.pass(6_000);
  assert.equal((await world.status('often')).deadLetters, 0);
});

test('dead letters are there after a restart, before anything is delivered', async () => {
  await using world = await startWithLetters(2);
  await world.restart();
  await world.cluster.settle();
  assert.equal((await (await world.letters()).list(all, 9)).letters.length, 2);
});

test('what a Broker brought is replayed to the Trigger that gave it up, and to no other', async () => {
  await using world = await World.start();
  await world.applyBroker('shop');
  for (const name of ['bill', 'pack']) {
    await world.createFunction(name);
    await world.applySpec(name, {
      source: { broker: { name: 'shop' } },
      target: { function: name },
    });
  }
  world.answer = ({ function: name }) => (name === 'bill' ? 400 : 200);
  const event: CloudEvent = {
    attributes: { specversion: '1.0', id: '1', source: '/s', type: 'order' },
    data: undefined,
  };
  await world.brokers.accept({ namespace, name: 'shop' }, [event]);
  await world.pass(1_000);
  world.calls.length = 0;
  const letters = await world.letters();
  await assert.rejects(letters.replay(all, signal), (error) => hasCode(error, 'NotTaken'));
  world.answer = () => 200;
  world.calls.length = 0;
  assert.equal((await letters.replay(all, signal)).replayed, 1);
  await world.pass(1_000);
  assert.deepEqual(
    world.calls.map((call) => call.function),
    ['bill'],
  );
});
