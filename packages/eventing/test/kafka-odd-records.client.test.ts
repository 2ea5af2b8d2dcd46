// Records that a real broker of Kafka has, and that nobody would write for a test.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Admin, Producer } from '@platformatic/kafka';
import { KafkaRecords } from '../src/sources/kafka/kafka-records.ts';
import { useKafka } from './kafka-in-use.ts';
import { KafkaServer, lacksKafka } from './kafka-server.ts';
import { impatientClock, running, SourceDesk } from './source-desk.ts';
import { until } from './until.ts';

const skip = lacksKafka;
const kafka = useKafka();
const { spec } = kafka;

async function makeTopic(name: string, partitions = 1): Promise<void> {
  await kafka.admin.createTopics({ topics: [name], partitions, replicas: 1 });
}

type OddHeader = readonly [string | Buffer, string | Buffer];

interface OddRecord {
  readonly key?: Buffer;
  readonly value: Buffer | null;
  readonly headers?: readonly OddHeader[];
}

async function sendOdd(topic: string, records: readonly OddRecord[]): Promise<void> {
  const writer = new Producer<Buffer, Buffer | null, Buffer, Buffer>({
    ...{ clientId: 'test', bootstrapBrokers: [kafka.server.address], retries: true },
    // A value that is none is sent as such.
    serializers: { value: (value) => value ?? undefined },
  });
  for (const { key, value, headers = [] } of records) {
    const bytes = (part: string | Buffer): Buffer => Buffer.from(part);
    const map = new Map(headers.map(([name, each]) => [bytes(name), bytes(each)]));
    const given = key === undefined ? {} : { key };
    await writer.send({ messages: [{ topic, value, headers: map, ...given }] });
  }
  await writer.close();
}

test('what a transaction wrote that was aborted does not come', { skip }, async () => {
  await makeTopic('aborted');
  const writer = new Producer({
    ...{ clientId: 'test', bootstrapBrokers: [kafka.server.address], retries: true },
    ...{ idempotent: true, transactionalId: 'writer' },
  });
  const write = async (end: 'commit' | 'abort', ...values: readonly string[]): Promise<void> => {
    const transaction = await writer.beginTransaction();
    for (const value of values) {
      await transaction.send({ messages: [{ topic: 'aborted', value: Buffer.from(value) }] });
    }
    await transaction[end]();
  };
  await write('commit', 'one');
  await write('abort', 'no', 'no');
  await write('commit', 'two');
  await write('abort', 'never');
  await write('commit', 'three');
  // More than a broker answers with at once: where it ends is in a later answer.
  await write('abort', ...Array.from({ length: 4 }, () => 'x'.repeat(500_000)));
  await write('commit', 'four');
  await writer.close();
  const desk = new SourceDesk(impatientClock);
  await using _source = await running(new KafkaRecords(spec('aborted'), desk));
  await until(() => desk.bodies.includes('four'), { what: 'the last record' });
  assert.deepEqual(
    desk.bodies.map((body) => body.slice(0, 5)),
    ['one', 'two', 'three', 'four'],
  );
  // The end of the last transaction is an offset, too, and no record that waits.
  await until(() => desk.state?.lag === 0, { what: 'nothing to wait' });
});

test('a record whose time is none is an event without a time', { skip }, async () => {
  await makeTopic('times');
  const times = [1_700_000_000_000n, 1_700_000_000_000_000n, 1_700_000_000_000_000_000n];
  for (const timestamp of times) {
    const value = Buffer.from(String(timestamp));
    await kafka.producer.send({ messages: [{ topic: 'times', value, timestamp }] });
  }
  const desk = new SourceDesk();
  await using _source = await running(new KafkaRecords(spec('times'), desk));
  await desk.has(3);
  assert.deepEqual(
    desk.events.map(({ attributes: { time } }) => time),
    ['2023-11-14T22:13:20.000Z', undefined, undefined],
  );
});

test('members of one group that read other topics read all of these', { skip }, async () => {
  await makeTopic('left', 2);
  await makeTopic('right', 2);
  const [left, right] = [new SourceDesk(impatientClock), new SourceDesk(impatientClock)];
  const group = { consumerGroup: 'shared' };
  await using _left = await running(new KafkaRecords(spec('left', group), left));
  await until(() => left.state?.connected === true, { what: 'the first member' });
  await using _right = await running(new KafkaRecords(spec('right', group), right));
  await until(() => right.state?.connected === true, { what: 'the second member' });
  const values = Array.from({ length: 20 }, (_, index) => String(index));
  for (const topic of ['left', 'right']) {
    const messages = values.map((value, index) => {
      return { topic, value: Buffer.from(value), partition: index % 2 };
    });
    await kafka.producer.send({ messages });
  }
  const all = (desk: SourceDesk): boolean => new Set(desk.bodies).size === values.length;
  await until(() => all(left) && all(right), { what: 'the records of both topics' });
});

test('compressed records come', { skip }, async () => {
  await makeTopic('packed');
  const ways = ['gzip', 'snappy', 'lz4', 'zstd'] as const;
  for (const compression of ways) {
    const messages = Array.from({ length: 3 }, () => ({
      topic: 'packed',
      value: Buffer.from(compression),
    }));
    await kafka.producer.send({ compression, messages });
  }
  const desk = new SourceDesk();
  await using _source = await running(new KafkaRecords(spec('packed'), desk));
  await desk.has(12);
  assert.deepEqual(
    desk.bodies,
    ways.flatMap((way) => [way, way, way]),
  );
});

test('keys, values and headers may be anything', { skip }, async () => {
  await makeTopic('odd');
  const binary = Buffer.from([0xff, 0xfe, 0x00]);
  const event = ['specversion 1.0', 'id 1', 'source /s', 'type t'].map((text) => {
    const [name, value = ''] = text.split(' ');
    return [`ce_${name}`, value] as const;
  });
  const nested = '['.repeat(200_000) + ']'.repeat(200_000);
  const deep = Buffer.from(
    `{"specversion":"1.0","id":"1","source":"/s","type":"t","data":${nested},"time":"yesterday"}`,
  );
  const text = (value: string): Buffer => Buffer.from(value);
  const typed = (type: string): readonly OddHeader[] => [['content-type', type]];
  await sendOdd('odd', [
    { key: text('gone'), value: null },
    { value: text('') },
    { key: binary, value: binary, headers: [[binary, binary]] },
    { key: text(''), value: text('empty'), headers: [['', '']] },
    { value: text('bad'), headers: [...event, ['ce_time', 'yesterday']] },
    { value: text('twice'), headers: [...event, ['ce_id', '2']] },
    { value: null, headers: event },
    { value: text('batch'), headers: typed('application/cloudevents-batch+json') },
    { value: text('[]'), headers: typed('no type') },
    { value: text('long'), headers: typed(`text/${'x'.repeat(8_150)}`) },
    { value: deep, headers: typed('application/cloudevents+json') },
    { value: text('x'.repeat(1_040_000)) },
    { value: text('h'), headers: [['big', Buffer.alloc(1_000_000)]] },
    { value: text('last') },
  ]);
  const desk = new SourceDesk();
  await using _source = await running(new KafkaRecords(spec('odd'), desk));
  await desk.has(14);
  const found = desk.events.map(({ attributes: { id, partitionkey, datacontenttype }, data }) => {
    return [id, partitionkey, datacontenttype, data?.length];
  });
  assert.deepEqual(found, [
    ['odd/0/0', 'gone', undefined, undefined],
    ['odd/0/1', undefined, undefined, undefined],
    ['odd/0/2', '//4A', 'application/octet-stream', 3],
    ['odd/0/3', undefined, 'text/plain', 5],
    ['odd/0/4', undefined, 'text/plain', 3],
    ['2', undefined, undefined, 5],
    ['1', undefined, undefined, undefined],
    ['odd/0/7', undefined, 'application/cloudevents-batch+json', 5],
    ['odd/0/8', undefined, undefined, 2],
    ['odd/0/9', undefined, undefined, 4],
    ['odd/0/10', undefined, 'application/cloudevents+json', deep.length],
    ['odd/0/11', undefined, 'text/plain', 1_040_000],
    ['odd/0/12', undefined, 'text/plain', 1],
    ['odd/0/13', undefined, 'text/plain', 4],
  ]);
});

test('another cluster is no new making of a topic, and is begun by itself', { skip }, async () => {
  await using other = await KafkaServer.start({ cluster: 8 });
  const to = { clientId: 'test', bootstrapBrokers: [other.address], retries: true };
  const [otherAdmin, otherProducer] = [new Admin(to), new Producer(to)];
  const desk = new SourceDesk();
  const topic = 'moved';
  const write = (writer: Producer, value: string): Promise<unknown> =>
    writer.send({ messages: [{ topic, value: Buffer.from(value) }] });
  await makeTopic(topic);
  await otherAdmin.createTopics({ topics: [topic], partitions: 1, replicas: 1 });
  await write(otherProducer, 'old');
  const here = spec(topic, { from: 'newest' });
  const there = { ...here, servers: [other.address] };
  for (const [place, writer] of [
    [here, kafka.producer],
    [there, otherProducer],
    [here, kafka.producer],
  ] as const) {
    desk.state = undefined;
    await using _source = await running(new KafkaRecords(place, desk));
    await until(() => desk.state?.connected === true, { what: 'the source to be connected' });
    const count = desk.events.length;
    await write(writer, `new ${count}`);
    await desk.has(count + 1);
  }
  await otherAdmin.close();
  await otherProducer.close();
  assert.deepEqual(desk.bodies, ['new 0', 'new 1', 'new 2']);
  assert.deepEqual(desk.told, []);
  assert.equal(new Set(desk.events.map(({ attributes: { id } }) => id)).size, 3);
});

test('what waits to be kept is bounded in bytes, too', { skip }, async () => {
  await makeTopic('large');
  await makeTopic('small');
  const large = { topic: 'large', value: Buffer.alloc(500_000) };
  for (let each = 0; each < 80; each++) await kafka.producer.send({ messages: [large, large] });
  const kept = Promise.withResolvers<void>();
  const sizes: number[] = [];
  const desk = Object.assign(new SourceDesk(), {
    async accept(events: readonly unknown[]): Promise<void> {
      sizes.push(events.length);
      await kept.promise;
    },
  });
  await using _source = await running(new KafkaRecords(spec('large'), desk));
  const other = new SourceDesk();
  await using _other = await running(new KafkaRecords(spec('small'), other));
  try {
    await until(() => sizes.length > 0, { what: 'the first records' });
    // Nothing is kept while these come, which takes longer than to fetch all of the others.
    for (let each = 0; each < 200; each++) {
      await kafka.producer.send({ messages: [{ topic: 'small', value: Buffer.from('x') }] });
      await other.has(each + 1);
    }
  } finally {
    kept.resolve();
  }
  await until(() => sizes.reduce((sum, size) => sum + size, 0) === 160, { what: 'all records' });
  assert.ok(Math.max(...sizes) < 100, `found ${sizes} records at a time`);
});
