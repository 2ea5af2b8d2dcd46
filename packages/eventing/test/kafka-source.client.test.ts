// Records of a real broker of Kafka as events.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '@fnlet/base';
import { Admin, Producer } from '@platformatic/kafka';
import { KafkaRecords } from '../src/sources/kafka/kafka-records.ts';
import { useKafka } from './kafka-in-use.ts';
import { KafkaServer, lacksKafka } from './kafka-server.ts';
import { impatientClock, running, SourceDesk } from './source-desk.ts';
import { TestAuthority } from './test-authority.ts';
import { until } from './until.ts';

const skip = lacksKafka;
const kafka = useKafka();
const { spec } = kafka;

interface Sent {
  readonly key?: string;
  readonly value: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function send(topic: string, ...records: readonly Sent[]): Promise<void> {
  const messages = records.map(({ key, value, headers = {} }) => ({
    topic,
    ...(key === undefined ? {} : { key: Buffer.from(key) }),
    value: Buffer.from(value),
    headers: new Map(
      Object.entries(headers).map(([name, text]) => [Buffer.from(name), Buffer.from(text)]),
    ),
  }));
  await kafka.producer.send({ messages });
}

async function committed(group: string): Promise<number> {
  const [found] = await kafka.admin.listConsumerGroupOffsets({ groups: [group] });
  const partitions = (found?.topics ?? []).flatMap((topic) => topic.partitions);
  return partitions.reduce((sum, { committedOffset }) => sum + Number(committedOffset), 0);
}

test('records come as events, and their offsets are committed once these are kept', {
  skip,
}, async () => {
  const desk = new SourceDesk();
  await kafka.admin.createTopics({ topics: ['plain'], partitions: 2, replicas: 1 });
  await send('plain', { key: 'ada', value: '{"n":1}' }, { key: 'ada', value: 'two' });
  const kept = Promise.withResolvers<void>();
  desk.gate = kept.promise;
  {
    await using _source = await running(new KafkaRecords(spec('plain'), desk));
    await until(() => desk.state?.connected === true, { what: 'the source to be connected' });
    assert.equal(await committed('plain'), 0);
    kept.resolve();
    await desk.has(2);
    await until(async () => (await committed('plain')) === 2, { what: 'offsets' });
  }
  await send('plain', { key: 'ada', value: 'three' });
  await using _again = await running(new KafkaRecords(spec('plain'), desk));
  await desk.has(3);
  for (const value of ['four', 'five', 'six']) {
    await send('plain', { key: 'ada', value });
    await until(() => desk.bodies.at(-1) === value, { what: value });
  }
  assert.deepEqual(desk.bodies, ['{"n":1}', 'two', 'three', 'four', 'five', 'six']);
  const { time, ...attributes } = desk.events[0]?.attributes ?? assert.fail('no event');
  assert.match(String(time), /^20/);
  const partition = String(attributes.id).split('/')[1];
  assert.deepEqual(attributes, {
    specversion: '1.0',
    id: `plain/${partition}/0`,
    source: '/apis/fnlet.dev/v1alpha1/namespaces/default/triggers/orders#plain',
    type: 'dev.fnlet.kafka.record',
    subject: `partition:${partition}#0`,
    datacontenttype: 'application/json',
    partitionkey: 'ada',
  });
});

test('newest begins once: a restart misses nothing, though nothing came before it', {
  skip,
}, async () => {
  const desk = new SourceDesk();
  await kafka.admin.createTopics({ topics: ['begun'], partitions: 2, replicas: 1 });
  await send('begun', { key: 'a', value: 'old' }, { key: 'b', value: 'old' });
  const newest = spec('begun', { from: 'newest' });
  {
    await using _source = await running(new KafkaRecords(newest, desk));
    await until(() => desk.state?.connected === true, { what: 'the source to be connected' });
  }
  for (const key of ['a', 'b', 'c', 'd']) await send('begun', { key, value: key });
  await using _again = await running(new KafkaRecords(newest, desk));
  await desk.has(4);
  assert.deepEqual([...desk.bodies].sort(), ['a', 'b', 'c', 'd']);
});

test('a topic that was not there when newest began is read from its beginning', {
  skip,
}, async () => {
  const desk = new SourceDesk();
  const both = spec('there', { topics: ['there', 'later'], from: 'newest' });
  await kafka.admin.createTopics({ topics: ['there'], partitions: 1, replicas: 1 });
  await send('there', { value: 'old' });
  const first = new KafkaRecords(both, desk).run(AbortSignal.timeout(60_000));
  await assert.rejects(first, { code: 'Unreachable', message: /Unknown topic later/ });
  await kafka.admin.createTopics({ topics: ['later'], partitions: 1, replicas: 1 });
  await send('later', { value: 'first' });
  await using _source = await running(new KafkaRecords(both, desk));
  await desk.has(1);
  await send('there', { value: 'new' });
  await desk.has(2);
  assert.deepEqual(desk.bodies, ['first', 'new']);
});

test('a topic that is made anew is read from its beginning, and nothing of it taken as known', {
  skip,
}, async () => {
  const desk = new SourceDesk();
  const make = (): Promise<unknown> =>
    kafka.admin.createTopics({ topics: ['anew'], partitions: 1, replicas: 1 });
  await make();
  await send('anew', { value: 'one' }, { value: 'two' });
  const ended = new KafkaRecords(spec('anew'), desk).run(AbortSignal.timeout(60_000));
  const rejected = assert.rejects(ended, { code: 'Unreachable' });
  await desk.has(2);
  await until(async () => (await committed('anew')) === 2, { what: 'offsets' });
  await kafka.admin.deleteTopics({ topics: ['anew'] });
  await rejected;
  await make();
  await until(() => send('anew', { value: 'three' }).then(() => true), { what: 'a record' });
  await using _again = await running(new KafkaRecords(spec('anew'), desk));
  await desk.has(3);
  assert.deepEqual(desk.bodies, ['one', 'two', 'three']);
  const ids = desk.events.map(({ attributes: { id } }) => id);
  assert.deepEqual(ids.slice(0, 2), ['anew/0/0', 'anew/0/1']);
  assert.match(String(ids[2]), /^anew\/0\/0@[0-9a-f-]{36}$/);
  assert.deepEqual(desk.told, ['TopicReplaced']);
});

test('partitions that are added are read, too', { skip }, async () => {
  const desk = new SourceDesk(impatientClock);
  await kafka.admin.createTopics({ topics: ['grown'], partitions: 1, replicas: 1 });
  await using _source = await running(new KafkaRecords(spec('grown'), desk));
  await until(() => desk.state?.connected === true, { what: 'the source to be connected' });
  await kafka.admin.createPartitions({ topics: [{ name: 'grown', count: 4 }] });
  const values = Array.from({ length: 20 }, (_, index) => String(index));
  const sendAll = (): Promise<void> =>
    send('grown', ...values.map((value) => ({ key: value, value })));
  await until(() => sendAll().then(() => true), { what: 'the records to be sent' });
  const partitions = (): number =>
    new Set(desk.events.map(({ attributes: { id } }) => id.split('/')[1])).size;
  await until(() => partitions() > 1 && new Set(desk.bodies).size === values.length, {
    what: 'the records of all partitions',
  });
});

test('what brokers drop before it was read is told', { skip }, async () => {
  const desk = new SourceDesk();
  await kafka.admin.createTopics({ topics: ['dropped'], partitions: 1, replicas: 1 });
  await send('dropped', { value: '1' });
  {
    await using _source = await running(new KafkaRecords(spec('dropped'), desk));
    await until(async () => (await committed('dropped')) === 1, { what: 'the offset' });
  }
  await send('dropped', { value: '2' }, { value: '3' }, { value: '4' });
  const partitions = [{ partition: 0, offset: 3n }];
  await kafka.admin.deleteRecords({ topics: [{ name: 'dropped', partitions }] });
  await using _again = await running(new KafkaRecords(spec('dropped'), desk));
  await desk.has(2);
  assert.deepEqual(desk.bodies, ['1', '4']);
  assert.deepEqual(desk.told, ['RecordsExpired']);
});

test('a record that carries an event is that event', { skip }, async () => {
  const desk = new SourceDesk();
  await kafka.admin.createTopics({ topics: ['events'], partitions: 1, replicas: 1 });
  const binary = { ce_specversion: '1.0', ce_id: '100%25', ce_source: '/s', ce_type: 't' };
  const event = { specversion: '1.0', id: '8', source: '/s', type: 't', data: { a: 1 } };
  const structured = { 'content-type': 'application/cloudevents+json' };
  await send(
    'events',
    { key: 'k', value: 'hi', headers: { ...binary, 'content-type': 'text/plain' } },
    { value: JSON.stringify(event), headers: structured },
    { value: '{"id":', headers: structured },
  );
  await using _source = await running(new KafkaRecords(spec('events'), desk));
  await desk.has(3);
  const found = desk.events.map(({ attributes: { id, partitionkey } }) => [id, partitionkey]);
  assert.deepEqual(found, [
    ['100%25', 'k'],
    ['8', undefined],
    ['events/0/2', undefined],
  ]);
  assert.deepEqual(desk.bodies, ['hi', '{"a":1}', '{"id":']);
});

test('partitions that move between two members lose no record', { skip }, async () => {
  await kafka.admin.createTopics({ topics: ['moving'], partitions: 4, replicas: 1 });
  const first = new SourceDesk();
  const second = new SourceDesk();
  const values = Array.from({ length: 300 }, (_, index) => String(index));
  const sendThird = async (part: number): Promise<void> => {
    const third = values.slice(part * 100, part * 100 + 100);
    await send('moving', ...third.map((value) => ({ key: value, value })));
  };
  await sendThird(0);
  const all = (): Set<string> => new Set([...first.bodies, ...second.bodies]);
  await using _first = await running(new KafkaRecords(spec('moving'), first));
  await first.has(100);
  {
    await using _second = await running(new KafkaRecords(spec('moving'), second));
    await until(() => second.state?.connected === true, { what: 'the second member' });
    await sendThird(1);
    await until(() => all().size === 200, { what: 'the records of both' });
  }
  await sendThird(2);
  await until(() => all().size === 300, { what: 'all records' });
  assert.deepEqual(
    [...all()].map(Number).sort((a, b) => a - b),
    values.map(Number),
  );
});

test('a broker that is killed ends the source, which goes on where it was', { skip }, async () => {
  const desk = new SourceDesk();
  await kafka.admin.createTopics({ topics: ['killed'], partitions: 1, replicas: 1 });
  await send('killed', { value: '1' });
  const ended = new KafkaRecords(spec('killed'), desk).run(AbortSignal.timeout(60_000));
  const rejected = assert.rejects(ended, { code: 'Unreachable' });
  await desk.has(1);
  await until(async () => (await committed('killed')) === 1, { what: 'the offset' });
  await kafka.server.stop();
  await rejected;
  await kafka.server.start();
  await until(() => send('killed', { value: '2' }).then(() => true), { what: 'a record' });
  await using _again = await running(new KafkaRecords(spec('killed'), desk));
  await desk.has(2);
  assert.deepEqual(desk.bodies.slice(0, 2), ['1', '2']);
});

for (const mechanism of ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const) {
  test(`a wrong password is told, and the right one lets in (${mechanism})`, { skip }, async () => {
    await using closed = await KafkaServer.start({ users: { ada: 'right' }, mechanism });
    const desk = new SourceDesk();
    const secured = spec('t', { servers: [closed.address], sasl: mechanism, secret: 'kafka' });
    const run = (): Promise<void> =>
      new KafkaRecords(secured, desk).run(AbortSignal.timeout(60_000));
    await assert.rejects(run(), { code: 'Forbidden', message: /user and password/ });
    desk.secrets = { 'kafka/user': 'ada', 'kafka/password': 'wrong' };
    await assert.rejects(run(), { code: 'Forbidden' });
    desk.secrets = { 'kafka/user': 'ada', 'kafka/password': 'right' };
    const sasl = { mechanism, username: 'ada', password: 'right' };
    await sendTo({ bootstrapBrokers: [closed.address], sasl }, 'secret');
    await using _source = await running(new KafkaRecords(secured, desk));
    await desk.has(1);
    assert.deepEqual(desk.bodies, ['secret']);
  });
}

test('brokers are believed by their certificate, and so are we', { skip }, async () => {
  await using authority = await TestAuthority.make();
  const [own, client] = [await authority.issue('kafka'), await authority.issue('fnlet')];
  await using closed = await KafkaServer.start({
    users: { ada: 'right' },
    mechanism: 'SCRAM-SHA-512',
    tls: { authority, own, asksClients: true },
  });
  const desk = new SourceDesk();
  const sasl = 'SCRAM-SHA-512';
  const secured = spec('t', { servers: [closed.address], sasl, secret: 'kafka', tls: true });
  const run = (): Promise<void> => new KafkaRecords(secured, desk).run(AbortSignal.timeout(60_000));
  const login = { 'kafka/user': 'ada', 'kafka/password': 'right' };
  const trust = { 'kafka/ca.crt': authority.certificate };
  const shown = { 'kafka/tls.crt': client.certificate, 'kafka/tls.key': client.key };
  desk.secrets = login;
  await assert.rejects(run(), { code: 'Unreachable', message: /certificate/ });
  desk.secrets = { ...login, ...trust };
  await assert.rejects(run(), isRefusal);
  await using stranger = await TestAuthority.make();
  const forged = await stranger.issue('fnlet');
  const wrong = { 'kafka/tls.crt': forged.certificate, 'kafka/tls.key': forged.key };
  desk.secrets = { ...login, ...trust, ...wrong };
  await assert.rejects(run(), isRefusal);
  desk.secrets = { ...login, ...trust, ...shown };
  await sendTo(
    {
      bootstrapBrokers: [closed.address],
      sasl: { mechanism: sasl, username: 'ada', password: 'right' },
      tls: { ca: authority.certificate, cert: client.certificate, key: client.key },
    },
    'secret',
  );
  await using _source = await running(new KafkaRecords(secured, desk));
  await desk.has(1);
  assert.deepEqual(desk.bodies, ['secret']);
});

/** A broker says that it does not want us during the handshake, or when something is asked. */
function isRefusal(error: unknown): boolean {
  return hasCode(error, 'Forbidden') || hasCode(error, 'Unreachable');
}

/** Makes the topic `t` and writes a record to it. */
async function sendTo(
  to: Omit<ConstructorParameters<typeof Admin>[0], 'clientId'>,
  text: string,
): Promise<void> {
  const admin = new Admin({ clientId: 'test', ...to });
  await admin.createTopics({ topics: ['t'], partitions: 1, replicas: 1 });
  await admin.close();
  const writer = new Producer({ clientId: 'test', retries: 10, retryDelay: 200, ...to });
  await writer.send({ messages: [{ topic: 't', value: Buffer.from(text) }] });
  await writer.close();
}
