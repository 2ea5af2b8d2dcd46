/** Messages of real systems, in a real Fnlet: what was sent is delivered, whoever dies meanwhile. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { Admin, Producer } from '@platformatic/kafka';
import { KafkaServer, lacksKafka } from '../packages/eventing/test/kafka-server.ts';
import { KinesisServer, lacksKinesis } from '../packages/eventing/test/kinesis-server.ts';
import { lacksNatsServer, NatsServer } from '../packages/eventing/test/nats-server.ts';
import { type FnletProcess, makeDataDirectory, startFnlet } from './fnlet-process.ts';
import { OutsideTarget } from './outside-target.ts';
import { openTriggers } from './trigger-access.ts';
import { until } from './until.ts';

interface Story {
  readonly source: object;
  /** Sends so many more messages; they are numbered from 0. */
  send(count: number): Promise<void>;
  /** The id of the event of a message. */
  idOf(number: number): string;
}

/** Sends before Fnlet starts, while it is killed, while it is away, and after it is back. */
async function tell({ source, send, idOf }: Story): Promise<void> {
  await using outside = new OutsideTarget();
  outside.isOpen = true;
  const spec = { source, target: { url: await outside.listen() } };
  const dataDirectory = await makeDataDirectory();
  const ready = async (fnlet: FnletProcess): Promise<void> => {
    const triggers = await openTriggers(fnlet);
    await triggers.applySecret('aws', { aws_access_key_id: 'A', aws_secret_access_key: 'S' });
    await triggers.apply('messages', spec);
    await until(async () => (await triggers.ready('messages')) === 'True Ready', { what: 'Ready' });
    await triggers.close();
  };
  const arrived = (count: number): Promise<unknown> =>
    until(() => new Set(outside.ids).size >= count, { what: `${count} events`, timeoutMs: 60_000 });
  try {
    await send(20);
    {
      await using stack = new AsyncDisposableStack();
      const fnlet = await startFnlet({ dataDirectory });
      stack.defer(async () => void (await fnlet.stop('SIGKILL')));
      await ready(fnlet);
      await arrived(20);
      const sending = send(200);
      await arrived(60);
      await fnlet.stop('SIGKILL');
      await sending;
    }
    await send(20);
    await using fnlet = await startFnlet({ dataDirectory });
    await ready(fnlet);
    await send(20);
    await arrived(260);
    const expected = Array.from({ length: 260 }, (_, number) => idOf(number));
    assert.deepEqual(new Set(outside.ids), new Set(expected));
  } finally {
    await rm(dataDirectory, { recursive: true, force: true });
  }
}

test('a stream of JetStream loses nothing when Fnlet is killed', {
  skip: lacksNatsServer,
}, async () => {
  await using server = await NatsServer.start();
  const client = await connect({ servers: server.url });
  const streams = await jetstreamManager(client);
  await streams.streams.add({ name: 'ORDERS', subjects: ['orders.>'] });
  let sent = 0;
  await tell({
    source: { nats: { servers: [server.url], stream: 'ORDERS', from: 'oldest' } },
    async send(count) {
      for (let each = 0; each < count; each++, sent++) {
        await jetstream(client).publish('orders.new', `${sent}`);
      }
    },
    idOf: (number) => `ORDERS.${number + 1}`,
  });
  await client.close();
});

test('a topic of Kafka loses nothing when Fnlet is killed', { skip: lacksKafka }, async () => {
  await using server = await KafkaServer.start();
  const to = { clientId: 'test', bootstrapBrokers: [server.address] };
  const admin = new Admin(to);
  await admin.createTopics({ topics: ['orders'], partitions: 1, replicas: 1 });
  await admin.close();
  const producer = new Producer(to);
  let sent = 0;
  await tell({
    source: { kafka: { servers: [server.address], topics: ['orders'], from: 'oldest' } },
    async send(count) {
      for (let each = 0; each < count; each++, sent++) {
        const value = Buffer.from(String(sent));
        await producer.send({ messages: [{ topic: 'orders', key: Buffer.from('k'), value }] });
      }
    },
    idOf: (number) => `orders/0/${number}`,
  });
  await producer.close();
});

test('a stream of Kinesis that is split loses nothing when Fnlet is killed', {
  skip: lacksKinesis,
}, async () => {
  await using server = await KinesisServer.start();
  await server.createStream('orders', 1);
  const ids: string[] = [];
  const endpoint = server.url;
  await tell({
    source: {
      kinesis: { stream: 'orders', region: 'us-east-1', endpoint, from: 'oldest', secret: 'aws' },
    },
    async send(count) {
      for (let each = 0; each < count; each++) {
        // While Fnlet runs, is killed, and is away.
        if (ids.length === 30) await server.split('orders', 'shardId-000000000000');
        if (ids.length === 225) await server.split('orders', 'shardId-000000000001');
        ids.push(await server.put('orders', `key ${ids.length % 20}`, 'data'));
      }
    },
    idOf: (number) => ids[number] ?? assert.fail('it was not sent'),
  });
});
