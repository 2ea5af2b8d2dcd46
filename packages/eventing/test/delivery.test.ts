import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogConsumer, LogStream } from '@fnlet/store/log';
import { unboundedSlots } from '../src/delivery/delivery-slots.ts';
import { answerOf, DeliveryWorld, eventOf } from './delivery-world.ts';

test('events are delivered, once each, and gone from the stream after a while', async () => {
  await using world = new DeliveryWorld({ limits: { removeRecords: 2 } });
  await world.append(eventOf('a'), eventOf('b'));
  await world.start();
  await world.append(eventOf('c'), eventOf('d'));
  await world.settle();
  assert.deepEqual(world.ids, ['a', 'b', 'c', 'd']);
  const { lag, inFlight, retrying } = await world.delivery.state();
  assert.deepEqual([lag, inFlight, retrying], [0, 0, 0]);
  const { records } = await (await world.stream()).size();
  assert.equal(records, 0);
  assert.equal(world.clock.timers, 0, 'an idle Trigger has no timer');
});

test('the target gets data and attributes as they were, which try it is, and a key', async () => {
  await using world = new DeliveryWorld({
    target: ({ attempt }) => answerOf(attempt === 1 ? 500 : 200),
  });
  await world.append(eventOf('a', 'x'));
  await world.start();
  await world.pass(200);
  const [first, second] = world.attempts;
  assert.deepEqual(first?.events, [eventOf('a', 'x')]);
  assert.deepEqual([first?.attempt, second?.attempt], [1, 2]);
  assert.match(first?.idempotencyKey ?? '', /^[0-9a-f]{32}$/);
  assert.equal(first?.idempotencyKey, second?.idempotencyKey);
});

test('an event that fails is tried N + 1 times, then given up with its cause', async () => {
  await using world = new DeliveryWorld({
    policy: { retry: 2, backoffDelay: '1s' },
    target: () => answerOf(500),
  });
  await world.append(eventOf('a'));
  await world.start();
  const startMs = world.clock.now();
  await world.pass(10_000, 100);
  assert.equal(world.attempts.length, 3);
  const [dead] = world.givenUp;
  assert.deepEqual(
    [dead?.event.attributes.id, dead?.reason, dead?.status, dead?.attempts, dead?.sequence],
    ['a', 'Exhausted', 500, 3, 1],
  );
  assert.equal(Buffer.from(dead?.answer ?? []).toString(), 'answer 500');
  assert.deepEqual([dead?.firstMs, dead?.lastMs], [startMs, startMs + 3_000]);
  assert.deepEqual((await world.delivery.state()).lag, 0);
});

test('a refusal is given up at once', async () => {
  await using world = new DeliveryWorld({ target: () => answerOf(400) });
  await world.append(eventOf('a'));
  await world.start();
  assert.deepEqual(
    world.givenUp.map(({ reason, attempts }) => [reason, attempts]),
    [['Refused', 1]],
  );
});

test('an event is settled only when its dead letter is kept', async () => {
  let isFull = true;
  const kept: string[] = [];
  await using world = new DeliveryWorld({
    target: () => answerOf(400),
    giveUp: async ({ event }) => {
      if (isFull) throw new Error('the disk is full');
      kept.push(event.attributes.id);
    },
  });
  await world.append(eventOf('a'));
  await world.start();
  await world.pass(3_000, 1_000);
  assert.equal((await world.delivery.state()).lag, 1);
  isFull = false;
  await world.pass(1_000);
  assert.deepEqual([kept, (await world.delivery.state()).lag], [['a'], 0]);
  assert.equal(world.attempts.length, 1);
});

test('a restart forgets neither tries nor times', async () => {
  await using world = new DeliveryWorld({
    policy: { retry: 5, backoffDelay: '10s' },
    target: ({ events }) => answerOf(events[0]?.attributes.id === 'bad' ? 500 : 200),
  });
  await world.append(eventOf('bad'), eventOf('good'));
  await world.start();
  await world.pass(10_000);
  await world.stop();
  await world.pass(5_000);
  await world.start();
  assert.deepEqual(world.ids, ['bad', 'good', 'bad']);
  await world.pass(14_999);
  assert.equal(world.attempts.length, 3);
  await world.pass(1);
  assert.deepEqual(
    world.attempts.map(({ attempt }) => attempt),
    [1, 1, 2, 3],
  );
});

test('of a key one event is under way, in order; others pass by one that fails', async () => {
  let broken = true;
  await using world = new DeliveryWorld({
    policy: { orderingKey: 'subject', backoffDelay: '1m' },
    target: ({ events }) => answerOf(broken && events[0]?.attributes.subject === 'x' ? 500 : 200),
  });
  await world.append(eventOf('x1', 'x'), eventOf('y1', 'y'), eventOf('x2', 'x'), eventOf('none'));
  await world.append(eventOf('y2', 'y'));
  await world.start();
  assert.deepEqual(world.ids, ['x1', 'y1', 'none', 'y2']);
  broken = false;
  await world.pass(60_000);
  assert.deepEqual(world.ids.slice(4), ['x1', 'x2']);
});

test('after a dead letter the next event of its key goes on', async () => {
  await using world = new DeliveryWorld({
    policy: { orderingKey: 'subject' },
    target: ({ events }) => answerOf(events[0]?.attributes.id === 'x1' ? 422 : 200),
  });
  await world.append(eventOf('x1', 'x'), eventOf('x2', 'x'));
  await world.start();
  assert.deepEqual([world.ids, world.givenUp.length], [['x1', 'x2'], 1]);
});

test('coalesce: what comes while a key runs leads to exactly one further run', async () => {
  const runs: PromiseWithResolvers<void>[] = [];
  await using world = new DeliveryWorld({
    policy: { orderingKey: 'subject', coalesce: true },
    target: async () => {
      const run = Promise.withResolvers<void>();
      runs.push(run);
      await run.promise;
      return answerOf(200);
    },
  });
  await world.append(eventOf('0', 'x'));
  await world.start();
  for (let n = 1; n <= 100; n++) await world.append(eventOf(String(n), 'x'));
  await world.settle();
  runs[0]?.resolve();
  await world.settle();
  runs[1]?.resolve();
  await world.settle();
  assert.deepEqual(world.ids, ['0', '100']);
  assert.equal((await world.delivery.state()).lag, 0);
  assert.equal(world.delivery.counts.superseded, 99);
});

test('coalesce: a newer event takes the place of one that waits for its retry', async () => {
  await using world = new DeliveryWorld({
    policy: { orderingKey: 'subject', coalesce: true, backoffDelay: '1h' },
    target: ({ events }) => answerOf(events[0]?.attributes.id === 'old' ? 500 : 200),
  });
  await world.append(eventOf('old', 'x'));
  await world.start();
  await world.append(eventOf('new', 'x'));
  await world.settle();
  assert.deepEqual(world.ids, ['old', 'new']);
  await world.pass(7_200_000, 3_600_000);
  assert.deepEqual(world.ids, ['old', 'new']);
  assert.equal(world.clock.timers, 0);
});

test('a target that is down is probed by one event, and no tries are used up', async () => {
  let isUp = false;
  await using world = new DeliveryWorld({
    policy: { retry: 2, concurrency: 8 },
    target: () => answerOf(isUp ? 200 : 0),
  });
  await world.append(...Array.from({ length: 50 }, (_, n) => eventOf(String(n))));
  await world.start();
  assert.equal((await world.delivery.state()).circuit, 'open');
  assert.ok(world.attempts.length <= 8);
  await world.pass(600_000, 1_000);
  assert.equal(world.givenUp.length, 0);
  assert.ok(world.attempts.length < 50, `${world.attempts.length} requests in ten minutes`);
  isUp = true;
  await world.pass(30_000, 1_000);
  const { lag, circuit } = await world.delivery.state();
  assert.deepEqual([lag, circuit], [0, 'closed']);
});

test('one event alone that brings the target down is given up, and stops nobody', async () => {
  await using world = new DeliveryWorld({
    policy: { retry: 3 },
    target: ({ events }) => answerOf(events[0]?.attributes.id === 'poison' ? 502 : 200),
  });
  await world.append(eventOf('poison'));
  await world.start();
  for (let n = 0; n < 20; n++) {
    await world.append(eventOf(String(n)));
    await world.pass(200);
    assert.ok(world.ids.includes(String(n)), `event ${n}`);
  }
  assert.deepEqual(
    world.givenUp.map(({ event, attempts }) => [event.attributes.id, attempts]),
    [['poison', 4]],
  );
});

test('no more requests at once than concurrency allows', async () => {
  let now = 0;
  let most = 0;
  await using world = new DeliveryWorld({
    policy: { concurrency: 3 },
    target: async () => {
      most = Math.max(most, ++now);
      await new Promise<void>((resolve) => void world.clock.after(100, resolve));
      now--;
      return answerOf(200);
    },
  });
  await world.append(...Array.from({ length: 20 }, (_, n) => eventOf(String(n))));
  await world.start();
  await world.pass(1_000, 100);
  assert.deepEqual([world.ids.length, most], [20, 3]);
});

test('no more requests in a time than the rate allows', async () => {
  await using world = new DeliveryWorld({ policy: { rate: { perSecond: 10, burst: 2 } } });
  await world.append(...Array.from({ length: 20 }, (_, n) => eventOf(String(n))));
  await world.start();
  assert.equal(world.ids.length, 2);
  await world.pass(1_000, 100);
  assert.equal(world.ids.length, 12);
});

test('what comes of events is written before many more are sent', async () => {
  await using world = new DeliveryWorld();
  await world.append(...Array.from({ length: 20 }, (_, n) => eventOf(String(n))));
  const consumer = await (await world.stream()).consumer('delivery');
  const slow: LogConsumer = {
    cursor: 0,
    outstanding: () => consumer.outstanding(),
    commit: async (change) => {
      await new Promise<void>((resolve) => void world.clock.after(1_000, resolve));
      await consumer.commit(change);
    },
  };
  const policy = { concurrency: 1 };
  await world.start({ consumer: slow, policy, limits: { unwrittenMax: 5 } });
  assert.equal(world.ids.length, 5);
  await world.pass(10_000, 1_000);
  assert.equal(world.ids.length, 20);
});

test('a batch goes when it is full, or its time is over', async () => {
  await using world = new DeliveryWorld({ policy: { batch: { size: 3, wait: '5s' } } });
  await world.append(...['1', '2', '3', '4'].map((id) => eventOf(id)));
  await world.start();
  assert.deepEqual(
    world.attempts.map(({ events }) => events.length),
    [3],
  );
  await world.pass(5_000);
  assert.deepEqual(
    world.attempts.map(({ events }) => events.length),
    [3, 1],
  );
});

test('of a batch that is refused, each event is tried alone', async () => {
  await using world = new DeliveryWorld({
    policy: { batch: { size: 3 } },
    target: ({ events }) =>
      answerOf(events.some(({ attributes }) => attributes.id === '2') ? 400 : 200),
  });
  await world.append(...['1', '2', '3'].map((id) => eventOf(id)));
  await world.start();
  assert.deepEqual(world.ids, ['1', '2', '3', '1', '2', '3']);
  assert.deepEqual(
    world.givenUp.map(({ event }) => event.attributes.id),
    ['2'],
  );
});

test('what is tried alone waits for no batch', async () => {
  await using world = new DeliveryWorld({
    policy: { batch: { size: 3, wait: '1m' }, backoffDelay: '1s', retry: 3 },
    target: ({ events }) => answerOf(events.length > 1 ? 500 : 200),
  });
  await world.append(...['1', '2', '3'].map((id) => eventOf(id)));
  await world.start();
  await world.pass(1_000);
  assert.deepEqual(world.ids, ['1', '2', '3', '1', '2', '3']);
});

test('what a consumer does not want is passed by', async () => {
  await using world = new DeliveryWorld({ wants: ({ attributes: { id } }) => id !== 'b' });
  await world.append(eventOf('a'), eventOf('b'), eventOf('c'));
  await world.start();
  assert.deepEqual([world.ids, (await world.delivery.state()).lag], [['a', 'c'], 0]);
});

test('nothing is sent while it is paused', async () => {
  await using world = new DeliveryWorld();
  const delivery = await world.start();
  delivery.pause();
  await world.append(eventOf('a'));
  await world.pass(1_000);
  assert.deepEqual([world.ids, (await delivery.state()).lag], [[], 1]);
  delivery.resume();
  await world.settle();
  assert.deepEqual(world.ids, ['a']);
});

test('bytes that are no event are a dead letter, and stop nobody', async () => {
  await using world = new DeliveryWorld();
  await (await world.stream()).append([{ payload: Buffer.from('what?') }]);
  await world.append(eventOf('a'));
  await world.start();
  assert.deepEqual(world.ids, ['a']);
  const [dead] = world.givenUp;
  assert.deepEqual([dead?.reason, dead?.event.data?.toString()], ['Unreadable', 'what?']);
});

test('an event that the stream let go is passed by', async () => {
  await using world = new DeliveryWorld({
    policy: { backoffDelay: '1s' },
    removes: false,
    target: () => answerOf(500),
  });
  await world.append(eventOf('a'));
  await world.start();
  await (await world.stream()).trim(2);
  await world.pass(1_000);
  const { lag } = await world.delivery.state();
  assert.deepEqual([world.ids, lag, world.delivery.counts.lost], [['a'], 0, 1]);
});

test('a reply that is not taken makes the delivery fail', async () => {
  let isFull = true;
  const replies: string[] = [];
  await using world = new DeliveryWorld({
    onDelivered: async ({ body }) => {
      if (isFull) throw new Error('the broker is full');
      replies.push(Buffer.from(body).toString());
    },
  });
  await world.append(eventOf('a'));
  await world.start();
  isFull = false;
  await world.pass(200);
  assert.deepEqual([world.ids, replies], [['a', 'a'], ['answer 200']]);
});

test('a stop waits for what is under way, but not for ever', async () => {
  await using world = new DeliveryWorld({
    target: (_attempt, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(answerOf(0)));
      }),
  });
  await world.append(eventOf('a'));
  await world.start();
  await world.stop();
  await world.start({ target: () => answerOf(200) });
  assert.deepEqual(
    world.attempts.map(({ attempt }) => attempt),
    [1, 1],
  );
});

test('Delivery reads once a turn of the event loop, however many wait behind one that fails', async () => {
  const turns: (() => void)[] = [];
  const slots = unboundedSlots((callback) => turns.push(callback));
  await using world = new DeliveryWorld({
    slots,
    limits: { readRecords: 10 },
    policy: { orderingKey: 'subject', backoffDelay: '1h' },
    target: () => answerOf(500),
  });
  await world.append(...Array.from({ length: 25 }, (_, n) => eventOf(String(n), 'poison')));
  const stream = await world.stream();
  let reads = 0;
  const read: LogStream['read'] = (from, options) => {
    reads++;
    return stream.read(from, options);
  };
  const counting: LogStream = {
    name: stream.name,
    appendBytesMax: stream.appendBytesMax,
    read,
    append: (entries, options) => stream.append(entries, options),
    subscribe: (listener) => stream.subscribe(listener),
    size: () => stream.size(),
    remove: (sequences) => stream.remove(sequences),
    trim: (before) => stream.trim(before),
    consumer: (name) => stream.consumer(name),
    consumers: () => stream.consumers(),
    removeConsumer: (name) => stream.removeConsumer(name),
  };
  await world.start({ stream: counting });
  const turn = async (): Promise<void> => {
    for (const callback of turns.splice(0)) callback();
    await world.settle();
  };
  assert.equal(reads, 1);
  await turn();
  assert.equal(reads, 2);
  for (let n = 0; n < 10; n++) await turn();
  assert.equal(reads, 4, 'three with events, one that finds no more');
  assert.equal(world.attempts.length, 1);
});
