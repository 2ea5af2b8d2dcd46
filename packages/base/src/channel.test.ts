import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedChannel } from './channel.ts';

async function collect<T>(channel: BoundedChannel<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of channel) items.push(item);
  return items;
}

test('BoundedChannel keeps order and delivers the rest after close', async () => {
  const channel = new BoundedChannel<number>(3);
  assert.ok(channel.push(1) && channel.push(2));
  channel.close();
  assert.deepEqual(await collect(channel), [1, 2]);
});

test('BoundedChannel refuses what does not fit', () => {
  const channel = new BoundedChannel<number>(2);
  assert.deepEqual([channel.push(1), channel.push(2), channel.push(3)], [true, true, false]);
});

test('BoundedChannel wakes a waiting consumer', async () => {
  const channel = new BoundedChannel<string>(1);
  const collected = collect(channel);
  await Promise.resolve();
  channel.push('late');
  channel.close();
  assert.deepEqual(await collected, ['late']);
});

test('BoundedChannel hands an error to the consumer and drops what waited', async () => {
  const channel = new BoundedChannel<number>(3);
  channel.push(1);
  channel.fail(new Error('too slow'));
  await assert.rejects(collect(channel), /too slow/);
});

test('BoundedChannel takes nothing once the consumer has left', async () => {
  const channel = new BoundedChannel<number>(3);
  channel.push(1);
  for await (const _ of channel) break;
  assert.equal(channel.push(2), false);
});

test('BoundedChannel gives what waits at once', async () => {
  const channel = new BoundedChannel<number>(3);
  channel.push(1);
  channel.push(2);
  const batches = channel.batches();
  assert.deepEqual((await batches.next()).value, [1, 2]);
  const next = batches.next();
  channel.push(3);
  channel.close();
  assert.deepEqual((await next).value, [3]);
  assert.equal((await batches.next()).done, true);
});
