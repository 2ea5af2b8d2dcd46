import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveDelivery } from '@fnlet/api';
import { seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import { openMemoryLog } from '@fnlet/store/log';
import { openDeadLetterSink } from '../src/dead-letters/dead-letter-sink.ts';
import { DeadLetters } from '../src/dead-letters/dead-letters.ts';
import type { GivenUpEvent } from '../src/delivery/given-up-event.ts';
import type { CloudEvent } from '../src/event/cloud-event.ts';
import { assertKeepable, eventEntry } from '../src/event/event-entry.ts';
import { eventLimits } from '../src/event/limits.ts';
import { packEvent } from '../src/event/packed-event.ts';
import { answerOf, DeliveryWorld, eventOf } from './delivery-world.ts';

const origin = { trigger: 'default/orders', destination: 'hello' };

function givenUp(sequence: number, event: CloudEvent = eventOf(String(sequence))): GivenUpEvent {
  const times = { attempts: 1, firstMs: 0, lastMs: 0 };
  const answer = Buffer.from('no');
  return { event, sequence, reason: 'Refused', status: 400, answer, ...times };
}

async function lettersOf(count: number): Promise<{ letters: DeadLetters; clock: VirtualClock }> {
  const clock = new VirtualClock();
  const letters = await DeadLetters.open(openMemoryLog({ clock }), 'uid', clock);
  for (let n = 1; n <= count; n++) {
    await letters.bury(givenUp(n), origin);
    await clock.advance(1_000);
  }
  return { letters, clock };
}

function idsOf(events: readonly CloudEvent[]): readonly string[] {
  return events.map(({ attributes: { id } }) => id);
}

async function left(letters: DeadLetters): Promise<readonly string[]> {
  return idsOf((await letters.list({}, { limit: 1_000 })).letters.map(({ event }) => event));
}

test('letters are kept with their cause, and shown page by page', async () => {
  const { letters } = await lettersOf(5);
  const first = await letters.list({}, { limit: 3 });
  assert.deepEqual(idsOf(first.letters.map(({ event }) => event)), ['1', '2', '3']);
  const second = await letters.list({}, { from: first.next ?? 0, limit: 3 });
  assert.deepEqual(idsOf(second.letters.map(({ event }) => event)), ['4', '5']);
  assert.equal(second.next, undefined);
  const [letter] = first.letters;
  assert.deepEqual(letter?.cause.reason, 'Refused');
  assert.deepEqual(await letters.get(letter?.number ?? 0), letter);
  assert.equal(await letters.get(99), undefined);
});

test('an event that is given up twice, as after a crash, is one letter', async () => {
  const { letters } = await lettersOf(1);
  await letters.bury(givenUp(1), origin);
  assert.equal(await letters.count(), 1);
});

test('the largest event is kept with its cause, and replayed', async () => {
  const clock = new VirtualClock();
  const log = openMemoryLog({ clock });
  const letters = await DeadLetters.open(log, 'uid', clock);
  const small = { ...eventOf('1'), data: new Uint8Array() };
  const data = new Uint8Array(eventLimits.keptBytesMax - packEvent(small).length);
  const event = { ...small, data };
  assertKeepable(event);
  // Each byte that is no UTF-8 is three when it is shown.
  const answer = new Uint8Array(2_000).fill(0xff);
  const destination = `https://${'d'.repeat(2_000)}`;
  await letters.bury({ ...givenUp(1, event), answer }, { ...origin, destination });
  const stream = await log.stream('elsewhere');
  const accept = async (events: readonly CloudEvent[]): Promise<void> => {
    await stream.append(events.map(eventEntry));
  };
  assert.equal(await letters.replay({}, { accept }), 1);
  assert.deepEqual([await letters.count(), (await stream.size()).records], [0, 1]);
});

test('letters are found by type, source, id and time', async () => {
  const { letters, clock } = await lettersOf(4);
  const startMs = clock.now() - 4_000;
  const found = async (filter: Parameters<typeof letters.list>[0]): Promise<readonly string[]> =>
    idsOf((await letters.list(filter, { limit: 9 })).letters.map(({ event }) => event));
  assert.deepEqual(await found({ id: '2' }), ['2']);
  assert.deepEqual(await found({ type: 'other' }), []);
  assert.deepEqual(await found({ type: 'test', source: '/test', id: '3' }), ['3']);
  assert.deepEqual(await found({ sinceMs: startMs + 1_000, untilMs: startMs + 3_000 }), ['2', '3']);
});

test('what is replayed goes once it is taken, the rest stays', async () => {
  const { letters } = await lettersOf(4);
  const taken: CloudEvent[] = [];
  const accept = async (events: readonly CloudEvent[]): Promise<void> => {
    assert.equal((await left(letters)).length, 4 - taken.length);
    taken.push(...events);
  };
  assert.equal(await letters.replay({ id: '2' }, { accept }), 1);
  assert.deepEqual([idsOf(taken), taken[0]?.attributes.fnletreplay], [['2'], 1]);
  assert.deepEqual(await left(letters), ['1', '3', '4']);
});

test('what is not taken stays', async () => {
  const { letters } = await lettersOf(2);
  const accept = async (): Promise<void> => {
    throw new Error('the log is full');
  };
  await assert.rejects(letters.replay({}, { accept }), /the log is full/);
  assert.deepEqual(await left(letters), ['1', '2']);
});

test('a replay leaves what is given up meanwhile: an event that fails again is not replayed twice', async () => {
  const { letters } = await lettersOf(1);
  let count = 0;
  const accept = async ([event]: readonly CloudEvent[]): Promise<void> => {
    await letters.bury(givenUp(100 + count++, event), origin);
  };
  assert.equal(await letters.replay({}, { accept }), 1);
  assert.deepEqual([count, await left(letters)], [1, ['1']]);
});

test('a replay keeps to its rate, and ends when it is told to', async () => {
  const { letters, clock } = await lettersOf(10);
  const taken: string[] = [];
  const stop = new AbortController();
  const replayed = letters.replay(
    {},
    {
      accept: async (events) => void taken.push(...idsOf(events)),
      perSecond: 2,
      signal: stop.signal,
    },
  );
  for (let n = 0; n < 20; n++) await clock.advance(100);
  assert.deepEqual(taken, ['1', '2', '3', '4', '5']);
  stop.abort();
  assert.equal(await replayed, 5);
  assert.equal(await letters.count(), 5);
});

test('what is dropped is gone', async () => {
  const { letters } = await lettersOf(3);
  assert.equal(await letters.drop({ id: '2' }), 1);
  assert.deepEqual(await left(letters), ['1', '3']);
  assert.equal(await letters.drop({}), 2);
});

test('a sink gets the letters that come, with their cause; what it does not take stays', async () => {
  await using world = new DeliveryWorld();
  const { clock, log } = world;
  const letters = await DeadLetters.open(log, 'uid', clock);
  await letters.bury(givenUp(1), origin);
  const got: CloudEvent[] = [];
  const refused: unknown[] = [];
  const stop = new AbortController();
  const open = () =>
    openDeadLetterSink({
      owner: 'uid',
      letters,
      policy: resolveDelivery({ retry: 1, batch: { size: 9 }, orderingKey: 'subject' }),
      target: {
        deliver: async ({ events }) => {
          got.push(...events);
          return answerOf(events[0]?.attributes.id === '3' ? 500 : 202);
        },
      },
      onRefused: ({ event, status }) => void refused.push([event.attributes.id, status]),
      clock,
      random: seededRandom(1),
      logger: silentLogger,
    });
  const running = (await open()).run(stop.signal);
  await letters.bury(givenUp(2), origin);
  await letters.bury(givenUp(3), origin);
  await world.pass(1_000, 100);
  assert.deepEqual(idsOf(got), ['2', '3', '3']);
  assert.equal(got[0]?.attributes.knativeerrorcode, 400);
  assert.deepEqual(await left(letters), ['1', '3']);
  assert.deepEqual(refused, [['3', 500]]);
  stop.abort();
  await running;
  await letters.bury(givenUp(4), origin);
  const again = new AbortController();
  const rerunning = (await open()).run(again.signal);
  await world.settle();
  assert.deepEqual(idsOf(got).slice(3), ['4']);
  again.abort();
  await rerunning;
});
