// Triggers that deliver events, in a whole API, on the test's clock.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namespace, World } from './world.ts';

const minute = 60_000;
const target = { function: 'hello' };

function every5(more: object = {}): object {
  return { source: { cron: { schedule: '*/5 * * * *', data: { a: 1 }, ...more } }, target };
}

/** The times that the calls are about. */
function times({ calls }: World): readonly string[] {
  const found = calls.map(({ headers }) => new Map(headers).get('ce-time') ?? '');
  return found.map((time) => time.slice(11, 16));
}

test('a schedule calls its Function with events, and the status tells of it', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  await world.applySpec('often', every5());
  assert.equal((await world.ready('often'))?.reason, 'Ready');
  const started = world.cluster.clock.now();
  await world.pass(10.5 * minute);
  assert.equal(world.calls.length, 2);
  const [call] = world.calls;
  assert.deepEqual([call?.function, call?.method, call?.namespace], ['hello', 'POST', namespace]);
  assert.equal(Buffer.from(call?.body ?? []).toString(), '{"a":1}');
  assert.equal(new Map(call?.headers).get('ce-type'), 'dev.fnlet.cron');
  const status = await world.status('often');
  assert.equal(status.type, 'cron');
  assert.equal(status.target, 'hello');
  assert.equal(status.lag, 0);
  assert.ok(Date.parse(status.lastEventTime ?? '') > started);
  assert.ok(Date.parse(status.nextFireTime ?? '') > world.cluster.clock.now());
});

test('a Trigger is not ready before its source runs, and ready at once when it does', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  world.cluster.writes.clear();
  await world.applySpec('often', every5());
  const writes = world.cluster.writes.entries.filter(({ subresource }) => subresource === 'status');
  assert.equal(writes.length, 2);
  assert.deepEqual((await world.ready('often'))?.reason, 'Ready');
  // After a restart it is what it was, if it is so soon.
  world.cluster.writes.clear();
  await world.restart();
  await world.listen();
  assert.deepEqual(world.cluster.writes.entries, []);
});

test('an idle Trigger writes nothing', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  await world.applySpec('rare', every5({ schedule: '0 0 1 1 *' }));
  await world.pass(minute);
  world.cluster.writes.clear();
  await world.pass(60 * minute);
  assert.deepEqual(world.cluster.writes.entries, []);
});

test('events wait while there is no Function, and come once there is', async () => {
  await using world = await World.start();
  await world.applySpec('often', every5());
  assert.equal((await world.ready('often'))?.reason, 'FunctionNotFound');
  await world.pass(11 * minute);
  assert.equal(world.calls.length, 0);
  assert.equal((await world.status('often')).lag, 2);
  await world.createFunction('hello');
  await world.pass(minute);
  assert.deepEqual(times(world).length, 2);
  assert.equal((await world.ready('often'))?.reason, 'Ready');
});

test('what waits for a Function is known, by all Triggers that lead to it', async () => {
  await using world = await World.start();
  assert.equal(world.lagOf('hello'), 0);
  await world.createFunction('hello');
  await world.createFunction('other');
  const held = Promise.withResolvers<number>();
  world.answer = () => held.promise;
  const everyMinute = { source: { cron: { schedule: '* * * * *' } }, target };
  await world.applySpec('often', everyMinute);
  await world.applySpec('seldom', every5());
  await world.applySpec('elsewhere', { ...everyMinute, target: { function: 'other' } });
  await world.pass(5.5 * minute);
  assert.deepEqual([world.lagOf('hello'), world.lagOf('other')], [6, 5]);
  await world.applySpec('seldom', { ...every5(), paused: true });
  assert.equal(world.lagOf('hello'), 5);
  held.resolve(200);
  await world.pass(100);
  assert.deepEqual([world.lagOf('hello'), world.lagOf('other')], [0, 0]);
});

test('what waits for a Function is not known before its Triggers run again', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  world.answer = () => 503;
  await world.applySpec('often', every5());
  await world.pass(5.1 * minute);
  assert.equal(world.lagOf('hello'), 1);
  await world.restart();
  assert.equal(world.lagOf('hello'), undefined);
  await world.listen();
  await world.pass(1_000);
  assert.equal(world.lagOf('hello'), 1);
});

test('what fails is tried again, and what comes to nothing is a dead letter', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  world.answer = () => 500;
  const delivery = { retry: 2, backoffDelay: '1s' };
  await world.applySpec('often', { ...every5(), delivery });
  await world.pass(6 * minute);
  assert.equal(world.calls.length, 3);
  const status = await world.status('often');
  assert.deepEqual([status.lag, status.deadLetters], [0, 1]);
});

test('a restart forgets nothing: neither events that wait nor times that passed', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  world.answer = () => 503;
  await world.applySpec('often', every5());
  await world.pass(5 * minute);
  assert.ok(world.calls.length > 0);
  await world.restart();
  await world.pass(10 * minute);
  world.calls.length = 0;
  world.answer = () => 200;
  await world.listen();
  await world.pass(2 * minute);
  assert.equal(world.calls.length, 2);
});

test('a pause holds everything up, its end goes on', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  await world.applySpec('often', { ...every5({ missed: 'all' }), paused: true });
  assert.equal((await world.ready('often'))?.reason, 'Paused');
  await world.pass(11 * minute);
  assert.equal(world.calls.length, 0);
  await world.applySpec('often', { ...every5({ missed: 'all' }), paused: false });
  await world.pass(1_000);
  assert.equal((await world.ready('often'))?.reason, 'Ready');
});

test('a schedule that is none is told, and put right by an edit', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  await world.applySpec('often', every5({ schedule: '61 * * * *' }));
  await world.pass(10_000);
  const ready = await world.ready('often');
  assert.equal(ready?.reason, 'SourceFailed');
  assert.match(ready?.message ?? '', /end of range \(61\)/);
  await world.applySpec('often', every5());
  await world.pass(10_000);
  assert.equal((await world.ready('often'))?.reason, 'Ready');
});

test('an edit of the target takes along what waits', async () => {
  await using world = await World.start();
  await world.createFunction('other');
  await world.applySpec('often', every5());
  await world.pass(6 * minute);
  await world.applySpec('often', { ...every5(), target: { function: 'other' } });
  await world.pass(1_000);
  assert.deepEqual(
    world.calls.map((call) => call.function),
    ['other'],
  );
});

test('a filter leaves out what it does not let through', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  const filters = [{ suffix: { time: ':10:00.000Z' } }];
  await world.applySpec('often', { ...every5(), filters });
  await world.pass(20 * minute);
  assert.deepEqual(
    times(world).map((time) => time.slice(3)),
    ['10'],
  );
});

test('what waits goes with its Trigger, which says so', async () => {
  await using world = await World.start();
  await world.applySpec('often', every5());
  await world.pass(6 * minute);
  assert.equal((await world.log.streams('')).length, 3);
  await world.delete('often');
  await world.pass(5_000);
  assert.deepEqual(await world.log.streams(''), []);
  assert.ok((await world.events('often')).includes('Warning EventsDropped'));
});

test('what is kept of a Trigger goes at the next start, too', async () => {
  await using world = await World.start();
  await world.applySpec('often', every5());
  await world.applySpec('stays', every5());
  await world.pass(6 * minute);
  await world.restart();
  await world.delete('often');
  await world.listen();
  await world.pass(5_000);
  assert.equal((await world.log.streams('trigger/')).length, 1);
});

test('with Replace an event gives up the one before it', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  let aborted = 0;
  world.answer = (_, signal) =>
    world.calls.length > 1
      ? 200
      : new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            aborted++;
            resolve(499);
          });
        });
  const replacing = every5({ concurrencyPolicy: 'Replace' });
  await world.applySpec('often', { ...replacing, delivery: { retry: 0 } });
  await world.pass(11 * minute);
  assert.equal(aborted, 1);
  assert.equal(world.calls.length, 2);
  // That it was given up is no failure of the target, and no end of the event's tries.
  const { lag, deadLetters, failures, lastFailure } = await world.status('often');
  assert.deepEqual([lag, deadLetters, failures, lastFailure], [0, 0, 0, undefined]);
});

test('with Forbid a time is left out while an event is under way', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  const first = Promise.withResolvers<number>();
  world.answer = () => (world.calls.length > 1 ? 200 : first.promise);
  await world.applySpec('often', every5({ concurrencyPolicy: 'Forbid' }));
  await world.pass(11 * minute);
  assert.equal(world.calls.length, 1);
  assert.ok((await world.events('often')).includes('Warning TimeLeftOut'));
  first.resolve(200);
  await world.pass(5 * minute);
  assert.equal(world.calls.length, 2);
});

test('what is too large to be kept is a dead letter without its data, which no replay takes', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  await world.applySpec('often', every5({ data: 'x'.repeat(1_050_000) }));
  await world.pass(6 * minute);
  assert.equal((await world.status('often')).deadLetters, 1);
  assert.ok((await world.events('often')).includes('Warning EventTooLarge'));
  const letters = await world.letters();
  const query = { namespace, trigger: 'often', filter: {} };
  const { letters: listed } = await letters.list(query, 9);
  const [letter] = listed;
  assert.deepEqual([letter?.reason, letter?.attempts], ['TooLarge', 0]);
  assert.match(letter?.answer ?? '', /found 10\d{5} bytes, expected at most 1000000/);
  const { replayed } = await letters.replay(query, new AbortController().signal);
  assert.deepEqual([replayed, (await letters.list(query, 9)).letters.length], [0, 1]);
  assert.equal(await letters.drop(query), 1);
  assert.equal(world.calls.length, 0);
});

test('a log that cannot be opened is tried again', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  world.logTrouble = new Error('The server of the log does not answer');
  await world.applySpec('often', every5());
  await world.pass(minute);
  assert.equal(await world.ready('often'), undefined);
  world.logTrouble = undefined;
  await world.pass(10 * minute);
  assert.equal((await world.ready('often'))?.reason, 'Ready');
  assert.ok(world.calls.length > 0);
});
