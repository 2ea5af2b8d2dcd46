// Triggers that read Brokers and write into them, in a whole API, on the test's clock.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokerType } from '@fnlet/api';
import type { CloudEvent } from '../src/event/cloud-event.ts';
import { formatBinary } from '../src/event/http-event.ts';
import { namespace, World } from './world.ts';

const shop = { namespace, name: 'shop' };

function event(id: string, type = 'order'): CloudEvent {
  return { attributes: { specversion: '1.0', id, source: '/s', type }, data: Buffer.from(id) };
}

function reading(name: string, more: object = {}): object {
  return { source: { broker: { name: 'shop' } }, target: { function: name }, ...more };
}

/** The ids of the events that a Function was called with. */
function ids({ calls }: World, name: string): readonly (string | undefined)[] {
  const own = calls.filter((call) => call.function === name);
  return own.map(({ headers }) => new Map(headers).get('ce-id'));
}

async function startShop(): Promise<World> {
  const world = await World.start();
  await world.applyBroker('shop');
  for (const name of ['bill', 'pack']) await world.createFunction(name);
  return world;
}

test('each Trigger of a Broker gets the events that its filters let through, in its own time', async () => {
  await using world = await startShop();
  await world.applySpec('bill', reading('bill'));
  await world.applySpec('pack', reading('pack', { filters: [{ exact: { id: '2' } }] }));
  world.answer = ({ function: name }) => (name === 'bill' ? 503 : 200);
  await world.brokers.accept(shop, [event('1'), event('2')]);
  await world.pass(50);
  assert.deepEqual(ids(world, 'pack'), ['2']);
  world.answer = () => 200;
  await world.pass(60_000);
  assert.deepEqual([...new Set(ids(world, 'bill'))], ['1', '2']);
  assert.deepEqual(ids(world, 'pack'), ['2']);
  assert.equal((await world.ready('bill'))?.status, 'True');
  assert.equal((await world.status('bill')).lag, 0);
});

test('the status of a Trigger tells what became of the events of its Broker', async () => {
  await using world = await startShop();
  await world.applySpec('bill', reading('bill'));
  await world.applySpec('pack', reading('pack'));
  await world.pass(60_000);
  world.answer = ({ function: name }) => (name === 'bill' ? 400 : 503);
  await world.brokers.accept(shop, [event('1'), event('2')]);
  await world.pass(10_000);
  assert.equal((await world.status('bill')).deadLetters, 2);
  const waiting = await world.status('pack');
  assert.equal(waiting.lag, 2);
  assert.ok((waiting.failures ?? 0) > 0);
  world.answer = () => 200;
  await world.pass(60_000);
  const done = await world.status('pack');
  assert.equal(done.lag, 0);
  assert.notEqual(done.lastDeliveryTime, undefined);
});

test('a Trigger whose filters are edited goes by the new ones at once', async () => {
  await using world = await startShop();
  await world.applySpec('bill', reading('bill', { filters: [{ exact: { type: 'order' } }] }));
  await world.brokers.accept(shop, [event('1'), event('2', 'refund')]);
  await world.pass(1_000);
  await world.applySpec('bill', reading('bill', { filters: [{ exact: { type: 'refund' } }] }));
  await world.brokers.accept(shop, [event('3'), event('4', 'refund')]);
  await world.pass(1_000);
  assert.deepEqual(ids(world, 'bill'), ['1', '4']);
});

test('a Trigger begins with what comes once it is there, or with all that is kept', async () => {
  await using world = await startShop();
  await world.brokers.accept(shop, [event('1')]);
  await world.pass(2_000);
  await world.applySpec('bill', reading('bill'));
  const source = { broker: { name: 'shop', from: 'oldest' } };
  await world.applySpec('pack', { ...reading('pack'), source });
  await world.brokers.accept(shop, [event('2')]);
  await world.pass(1_000);
  assert.deepEqual(ids(world, 'bill'), ['2']);
  assert.deepEqual(ids(world, 'pack'), ['1', '2']);
});

test('an event that a target answers with goes into the Broker, once', async () => {
  await using world = await startShop();
  await world.applySpec('bill', reading('bill', { filters: [{ exact: { type: 'order' } }] }));
  await world.applySpec('pack', reading('pack', { filters: [{ exact: { type: 'bill' } }] }));
  world.reply = ({ function: name }) =>
    name === 'bill' ? formatBinary(event('b-1', 'bill')) : undefined;
  await world.brokers.accept(shop, [event('1')]);
  await world.pass(1_000);
  assert.deepEqual(ids(world, 'pack'), ['b-1']);
  const [call] = world.calls.filter((each) => each.function === 'pack');
  assert.equal(new Map(call?.headers).get('ce-fnlethops'), '1');
});

test('an answer that claims to be an event and is none makes the delivery fail for good', async () => {
  await using world = await startShop();
  await world.applySpec('bill', reading('bill'));
  world.reply = () => ({ headers: { 'ce-specversion': '1.0' }, body: Buffer.of() });
  await world.brokers.accept(shop, [event('1')]);
  await world.pass(10_000);
  assert.deepEqual(ids(world, 'bill'), ['1']);
  assert.equal((await world.status('bill')).deadLetters, 1);
});

test('events that lead to each other without an end are stopped', async () => {
  await using world = await startShop();
  await world.applySpec('bill', reading('bill'));
  let count = 0;
  world.reply = () =>
    formatBinary({
      ...event(`r-${++count}`),
      attributes: { ...event('').attributes, id: `r-${count}` },
    });
  await world.brokers.accept(shop, [event('1')]);
  await world.pass(120_000);
  assert.equal(ids(world, 'bill').length, 256);
  assert.equal((await world.status('bill')).deadLetters, 1);
});

test('a restart forgets nothing of what a Trigger is not done with', async () => {
  await using world = await startShop();
  await world.applySpec('bill', reading('bill', { paused: true }));
  await world.brokers.accept(shop, [event('1'), event('2')]);
  await world.pass(6_000);
  assert.equal((await world.status('bill')).lag, 2);
  await world.restart();
  await world.listen();
  await world.applySpec('bill', reading('bill'));
  await world.pass(1_000);
  assert.deepEqual(ids(world, 'bill'), ['1', '2']);
});

test('a Trigger waits for its Broker, and for the next one of the name', async () => {
  await using world = await World.start();
  await world.createFunction('bill');
  await world.applySpec('bill', reading('bill'));
  assert.equal((await world.ready('bill'))?.reason, 'BrokerNotFound');
  for (const id of ['1', '2']) {
    await world.applyBroker('shop');
    await world.brokers.accept(shop, [event(id)]);
    await world.pass(6_000);
    assert.equal((await world.ready('bill'))?.status, 'True');
    await world.cluster.client.of(brokerType).delete(shop);
    await world.cluster.settle();
    assert.equal((await world.ready('bill'))?.reason, 'BrokerNotFound');
  }
  assert.deepEqual(ids(world, 'bill'), ['1', '2']);
});

test('a Broker is a target, and an event that comes twice is kept there once', async () => {
  await using world = await startShop();
  await world.applyBroker('archive');
  await world.applySpec('copy', {
    source: { broker: { name: 'shop' } },
    target: { broker: 'archive' },
  });
  const source = { broker: { name: 'archive' } };
  await world.applySpec('bill', { source, target: { function: 'bill' } });
  await world.brokers.accept(shop, [event('1')]);
  await world.brokers.accept({ namespace, name: 'archive' }, [event('1')]);
  await world.pass(1_000);
  assert.deepEqual(ids(world, 'bill'), ['1']);
  assert.equal((await world.status('copy')).lag, 0);
});

test('with a Trigger goes what its Broker knows of it', async () => {
  await using world = await startShop();
  await world.applySpec('bill', reading('bill'));
  await world.applySpec('pack', reading('pack'));
  const [name = ''] = await world.log.streams('broker/');
  const stream = await world.log.stream(name);
  assert.equal((await stream.consumers()).length, 2);
  await world.delete('bill');
  await world.pass(1_000);
  assert.equal((await stream.consumers()).length, 1);
});

test('a Trigger without a delivery of its own has that of its Broker, as it is now', async () => {
  await using world = await startShop();
  await world.applyBroker('shop', { delivery: { retry: 0 } });
  await world.applySpec('bill', reading('bill'));
  await world.applySpec('pack', reading('pack', { delivery: { retry: 2 } }));
  world.answer = () => 500;
  await world.brokers.accept(shop, [event('1')]);
  await world.pass(60_000);
  assert.deepEqual(ids(world, 'bill'), ['1']);
  assert.deepEqual(ids(world, 'pack'), ['1', '1', '1']);
  await world.applyBroker('shop', { delivery: { retry: 1 } });
  await world.pass(1_000);
  await world.brokers.accept(shop, [event('2')]);
  await world.pass(60_000);
  assert.deepEqual(ids(world, 'bill'), ['1', '2', '2']);
});

test('the Broker of a Trigger stays what it is', async () => {
  await using world = await startShop();
  await world.applySpec('bill', reading('bill'));
  const other = { ...reading('bill'), source: { broker: { name: 'other' } } };
  await assert.rejects(world.applySpec('bill', other), /make another Trigger/);
  const late = { ...reading('bill'), source: { broker: { name: 'shop', from: 'later' } } };
  await assert.rejects(world.applySpec('late', late), /from/);
});
