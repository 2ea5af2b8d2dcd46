// Messages of a real server of NATS as events.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NatsSource } from '@fnlet/api';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connect, headers, type NatsConnection } from '@nats-io/transport-node';
import { createNatsSource } from '../src/sources/nats/nats-source.ts';
import { lacksNatsServer, NatsServer } from './nats-server.ts';
import { running, SourceDesk } from './source-desk.ts';
import { until } from './until.ts';

const skip = lacksNatsServer;

interface World extends AsyncDisposable {
  readonly server: NatsServer;
  readonly client: NatsConnection;
  readonly streams: JetStreamManager;
  readonly desk: SourceDesk;
  spec(more: Partial<NatsSource>): NatsSource;
}

async function openWorld(settings = '', options: object = {}): Promise<World> {
  const server = await NatsServer.start(settings);
  const client = await connect({ servers: server.url, maxReconnectAttempts: -1, ...options });
  const streams = await jetstreamManager(client, { checkAPI: false });
  return {
    ...{ server, client, streams, desk: new SourceDesk() },
    spec: (more) => ({ servers: [server.url], from: 'oldest', ...more }),
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

function publish({ client }: World, subject: string, ...bodies: readonly string[]): void {
  for (const body of bodies) client.publish(subject, body);
}

/** Both have found their way back to the server. */
async function listening({ desk, client }: World): Promise<void> {
  await until(() => desk.state?.connected === true, { what: 'the source to be connected' });
  await until(() => client.flush().then(() => true), { what: 'the client to be connected' });
}

test('messages of a subject come as events, wildcards too', { skip }, async () => {
  await using world = await openWorld();
  const { desk } = world;
  await using _source = await running(createNatsSource(world.spec({ subject: 'a.*' }), desk));
  await until(
    () => {
      publish(world, 'a.ping', 'ping');
      return desk.events.length > 0;
    },
    { what: 'the first message' },
  );
  desk.events.length = 0;
  publish(world, 'b.no', 'x');
  publish(world, 'a.json', '{"n":1}');
  await until(() => desk.bodies.includes('{"n":1}'), { what: 'the message' });
  assert.ok(!desk.bodies.includes('x'));
  const { attributes } = desk.events.at(-1) ?? assert.fail('no event');
  const { id, time, ...others } = attributes;
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.match(String(time), /^\d{4}-.*Z$/);
  assert.deepEqual(others, {
    specversion: '1.0',
    source: '/apis/fnlet.dev/v1alpha1/namespaces/default/triggers/orders',
    type: 'dev.fnlet.nats.message',
    subject: 'a.json',
    datacontenttype: 'application/json',
  });
});

test('a message that carries an event is that event', { skip }, async () => {
  await using world = await openWorld();
  const { desk, client, streams } = world;
  await streams.streams.add({ name: 'E', subjects: ['e.>'] });
  const binary = headers();
  for (const [name, value] of Object.entries({
    specversion: '1.0',
    id: '7',
    source: '/s',
    type: 't',
  })) {
    binary.set(`ce-${name}`, value);
  }
  binary.set('content-type', 'text/plain');
  client.publish('e.binary', 'hi', { headers: binary });
  const structured = headers();
  structured.set('content-type', 'application/cloudevents+json');
  const event = { specversion: '1.0', id: '8', source: '/s', type: 't', data: { a: 1 } };
  client.publish('e.structured', JSON.stringify(event), { headers: structured });
  client.publish('e.broken', '{"id":', { headers: structured });
  await using _source = await running(createNatsSource(world.spec({ stream: 'E' }), desk));
  await desk.has(3);
  assert.deepEqual(desk.bodies, ['hi', '{"a":1}', '{"id":']);
  const found = desk.events.map(({ attributes: { id, type } }) => [id, type]);
  assert.deepEqual(found, [
    ['7', 't'],
    ['8', 't'],
    ['E.3', 'dev.fnlet.nats.message'],
  ]);
});

test('a message whose subject or id cannot be an attribute comes without that', {
  skip,
}, async () => {
  await using world = await openWorld();
  const { desk, client, streams } = world;
  await streams.streams.add({ name: 'ODD', subjects: ['odd.>'] });
  const fields = headers();
  fields.set('Nats-Msg-Id', 'one\u0001');
  client.publish('odd.\u0001', 'first', { headers: fields });
  client.publish('odd.plain', 'second');
  await client.flush();
  {
    await using _source = await running(createNatsSource(world.spec({ stream: 'ODD' }), desk));
    await desk.has(2);
  }
  desk.state = undefined;
  await using _source = await running(createNatsSource(world.spec({ subject: 'odd.>' }), desk));
  await until(() => desk.state?.connected === true, { what: 'the source to be connected' });
  client.publish('odd.\u0001', 'third', { headers: fields });
  client.publish('odd.plain', 'fourth');
  await desk.has(4);
  assert.deepEqual(desk.bodies, ['first', 'second', 'third', 'fourth']);
  const found = desk.events.map(({ attributes: { subject } }) => subject);
  assert.deepEqual(found, [undefined, 'odd.plain', undefined, 'odd.plain']);
});

test('a stream is acknowledged only after events are kept, and goes on there', {
  skip,
}, async () => {
  await using world = await openWorld();
  const { desk, streams } = world;
  await streams.streams.add({ name: 'S', subjects: ['s.>'] });
  publish(world, 's.a', '1', '2', '3');
  const spec = world.spec({ stream: 'S', subject: 's.a' });
  const kept = Promise.withResolvers<void>();
  desk.gate = kept.promise;
  {
    await using _source = await running(createNatsSource(spec, desk));
    const consumer = `fnlet-${desk.uid}`;
    const pending = async (): Promise<number> =>
      (await streams.consumers.info('S', consumer)).num_ack_pending;
    await until(async () => (await pending().catch(() => 0)) === 3, {
      what: 'messages to be sent',
    });
    kept.resolve();
    await desk.has(3);
    await until(async () => (await pending()) === 0, { what: 'messages to be acknowledged' });
    await until(() => desk.state?.lag === 0, { what: 'the lag' });
  }
  publish(world, 's.a', '4');
  publish(world, 's.b', 'not asked for');
  await using _again = await running(createNatsSource(spec, desk));
  await desk.has(4);
  assert.deepEqual(desk.bodies, ['1', '2', '3', '4']);
});

test('a server that goes and comes back is told of, and nothing is missed', { skip }, async () => {
  await using world = await openWorld();
  const { desk, streams, server } = world;
  await streams.streams.add({ name: 'S', subjects: ['s'] });
  await using _source = await running(createNatsSource(world.spec({ stream: 'S' }), desk));
  publish(world, 's', '1');
  await desk.has(1);
  await server.stop();
  await until(() => desk.state?.connected === false, { what: 'the loss to be told' });
  assert.match(desk.state?.trouble ?? '', /gone/);
  await server.start();
  await listening(world);
  publish(world, 's', '2');
  await until(() => desk.bodies.includes('2'), { what: 'the message after the restart' });
});

test('a wrong password, a missing stream and a push consumer are told', { skip }, async () => {
  await using world = await openWorld('authorization { user: ada, password: right }', {
    ...{ user: 'ada', pass: 'right' },
  });
  const { desk, streams } = world;
  const run = (more: Partial<NatsSource>): Promise<void> =>
    createNatsSource(world.spec(more), desk).run(AbortSignal.timeout(20_000));
  await assert.rejects(run({ stream: 'S' }), { code: 'Forbidden' });
  await assert.rejects(run({ stream: 'S', secret: 'empty' }), {
    code: 'Forbidden',
    message: /Cannot use Secret "empty"/,
  });
  desk.secrets = { 'nats/user': 'ada', 'nats/password': 'right' };
  await assert.rejects(run({ stream: 'S', secret: 'nats' }), {
    code: 'Unreachable',
    message: /Cannot read stream "S": .*not found/,
  });
  await streams.streams.add({ name: 'S', subjects: ['s'] });
  await streams.consumers.add('S', { durable_name: 'push', deliver_subject: 'x' });
  await assert.rejects(run({ stream: 'S', consumer: 'push', secret: 'nats' }), {
    code: 'Unreachable',
    message: /push consumer/,
  });
});

for (const more of [{ stream: 'S' }, { subject: 's' }]) {
  const what = Object.keys(more).join();
  test(`who is not let in any more ends with the reason (${what})`, { skip }, async () => {
    const login = (password: string): string =>
      `authorization { user: ada, password: ${password} }`;
    await using world = await openWorld(login('one'), { user: 'ada', pass: 'one' });
    const { desk, server } = world;
    await world.streams.streams.add({ name: 'S', subjects: ['s'] });
    desk.secrets = { 'nats/user': 'ada', 'nats/password': 'one' };
    const source = createNatsSource(world.spec({ ...more, secret: 'nats' }), desk);
    const ended = source.run(AbortSignal.timeout(30_000));
    const rejected = assert.rejects(ended, { code: 'Forbidden', message: /Authorization/ });
    await until(
      () => {
        publish(world, 's', 'here');
        return desk.events.length > 0;
      },
      { what: 'the first message' },
    );
    await server.stop();
    await server.start(login('two'));
    await rejected;
  });
}

test('a stream that newest finds missing is read from its beginning', { skip }, async () => {
  await using world = await openWorld();
  const { desk, streams } = world;
  const source = createNatsSource(world.spec({ stream: 'S', from: 'newest' }), desk);
  await assert.rejects(source.run(AbortSignal.timeout(30_000)), { code: 'Unreachable' });
  await streams.streams.add({ name: 'S', subjects: ['s'] });
  publish(world, 's', 'first');
  await world.client.flush();
  await using _source = await running(source);
  await desk.has(1);
  assert.deepEqual(desk.bodies, ['first']);
});

test('a stream that is removed ends the source with the reason', { skip }, async () => {
  await using world = await openWorld();
  const { desk, streams } = world;
  await streams.streams.add({ name: 'S', subjects: ['s'] });
  const run = createNatsSource(world.spec({ stream: 'S' }), desk).run(AbortSignal.timeout(30_000));
  const rejected = assert.rejects(run, { code: 'Unreachable', message: /deleted/ });
  publish(world, 's', '1');
  await desk.has(1);
  await streams.streams.delete('S');
  await rejected;
});

test('a stream that is made anew is read from its beginning, and nothing of it taken as known', {
  skip,
}, async () => {
  await using world = await openWorld();
  const { desk, streams } = world;
  const make = (): Promise<unknown> => streams.streams.add({ name: 'S', subjects: ['s'] });
  const source = createNatsSource(world.spec({ stream: 'S', from: 'newest' }), desk);
  await make();
  {
    await using _source = await running(source);
    await listening(world);
    publish(world, 's', 'one');
    await desk.has(1);
  }
  await streams.streams.delete('S');
  await assert.rejects(source.run(AbortSignal.timeout(30_000)), { code: 'Unreachable' });
  await make();
  publish(world, 's', 'two');
  await world.client.flush();
  await using _again = await running(source);
  await desk.has(2);
  assert.deepEqual(desk.bodies, ['one', 'two']);
  const ids = desk.events.map(({ attributes: { id } }) => id);
  assert.equal(ids[0], 'S.1');
  assert.match(String(ids[1]), /^S\.1@\d+$/);
  assert.deepEqual(desk.told, ['StreamReplaced']);
});

test('a consumer that was deleted is made anew where it was', { skip }, async () => {
  await using world = await openWorld();
  const { desk, streams } = world;
  await streams.streams.add({ name: 'S', subjects: ['s'] });
  publish(world, 's', 'old');
  const source = createNatsSource(world.spec({ stream: 'S', from: 'newest' }), desk);
  const ended = source.run(AbortSignal.timeout(30_000));
  const rejected = assert.rejects(ended, { code: 'Unreachable', message: /deleted/ });
  await listening(world);
  publish(world, 's', 'one');
  await desk.has(1);
  await streams.consumers.delete('S', `fnlet-${desk.uid}`);
  await rejected;
  publish(world, 's', 'two');
  await world.client.flush();
  await using _again = await running(source);
  await until(() => desk.bodies.includes('two'), { what: 'what came meanwhile' });
  assert.ok(!desk.bodies.includes('old'));
});
