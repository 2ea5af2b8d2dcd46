/**
 * Messages of real systems in a cluster, where the controller that leads is killed meanwhile and
 * the log is JetStream, of which an append is one message: what was sent is delivered.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Admin, Producer } from '@platformatic/kafka';
import { KafkaServer, lacksKafka } from '../packages/eventing/test/kafka-server.ts';
import { KinesisServer, lacksKinesis } from '../packages/eventing/test/kinesis-server.ts';
import { findNatsPrograms, NatsServer } from '../packages/store/test/nats-server.ts';
import {
  applyObject,
  awaitCondition,
  secretType,
  clusterWaitMs as timeoutMs,
  triggerType,
} from './cluster-objects.ts';
import { ClusterParts } from './cluster-parts.ts';
import { OutsideTarget } from './outside-target.ts';
import { until } from './until.ts';

const [program] = findNatsPrograms();
const lacksNats = program === undefined && 'no nats-server is on this machine';

/** Several of them are more than one message of NATS takes. */
const large = 'x'.repeat(300_000);

interface Story {
  readonly source: object;
  /** Sends one more; returns the id of its event. */
  send(data: string): Promise<string>;
}

/** Sends before the controller starts, while it leads, after it was killed, and to the next one. */
async function tell({ source, send }: Story): Promise<void> {
  assert.ok(program !== undefined);
  await using nats = await NatsServer.start(program);
  await using cluster = await ClusterParts.start();
  await using outside = new OutsideTarget();
  outside.isOpen = true;
  const target = { url: await outside.listen() };
  const ids: string[] = [];
  const sendMany = async (count: number): Promise<void> => {
    for (let each = 0; each < count; each++) ids.push(await send(each % 2 === 0 ? large : 'small'));
  };
  const arrived = (): Promise<unknown> =>
    until(() => ids.every((id) => outside.ids.includes(id)), {
      what: `${ids.length} events`,
      timeoutMs,
    }).catch((error: unknown) => {
      throw new Error(cluster.output(), { cause: error });
    });

  await sendMany(20);
  const args = ['--events-log', `${nats.url}?name=house`];
  const first = await cluster.controller('first', args);
  await cluster.gateway();
  const second = await cluster.controller('second', args);
  await until(() => second.output().includes('Ready to lead'), { what: 'a standby', timeoutMs });
  const keys = { aws_access_key_id: 'A', aws_secret_access_key: 'S' };
  await applyObject(cluster, secretType, { name: 'aws', type: 'Opaque', stringData: keys });
  await applyObject(cluster, triggerType, { name: 'messages', spec: { source, target } });
  await awaitCondition(cluster, triggerType, { name: 'messages' });
  await arrived();
  await sendMany(20);
  await first.stop('SIGKILL');
  await sendMany(20);
  await until(() => second.output().includes('Leading'), { what: 'it to lead', timeoutMs });
  await sendMany(2);
  await arrived();
}

test('a topic of Kafka is read on by the next controller, and nothing is lost', {
  skip: lacksNats || lacksKafka,
}, async () => {
  await using server = await KafkaServer.start();
  const to = { clientId: 'test', bootstrapBrokers: [server.address] };
  const admin = new Admin(to);
  await admin.createTopics({ topics: ['orders'], partitions: 1, replicas: 1 });
  await admin.close();
  const producer = new Producer(to);
  let sent = 0;
  await tell({
    source: { kafka: { servers: [server.address], topics: ['orders'], from: 'oldest' } },
    async send(data) {
      await producer.send({ messages: [{ topic: 'orders', value: Buffer.from(data) }] });
      return `orders/0/${sent++}`;
    },
  });
  await producer.close();
});

test('a stream of Kinesis is read on by the next controller, and nothing is lost', {
  skip: lacksNats || lacksKinesis,
}, async () => {
  await using server = await KinesisServer.start();
  await server.createStream('orders', 2);
  let sent = 0;
  const endpoint = server.url;
  await tell({
    source: {
      kinesis: { stream: 'orders', region: 'us-east-1', endpoint, from: 'oldest', secret: 'aws' },
    },
    send: (data) => server.put('orders', `key ${sent++ % 20}`, data),
  });
});
