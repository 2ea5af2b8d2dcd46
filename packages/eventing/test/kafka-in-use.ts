import { after, before } from 'node:test';
import type { KafkaSource } from '@fnlet/api';
import { Admin, Producer } from '@platformatic/kafka';
import { KafkaServer, lacksKafka } from './kafka-server.ts';

/** A broker of Kafka that the tests of one file share, and who makes topics and records there. */
export interface KafkaInUse {
  readonly server: KafkaServer;
  readonly admin: Admin;
  readonly producer: Producer;
  /** A source that reads a topic from its beginning, in a group of its name. */
  spec(topic: string, more?: Partial<KafkaSource>): KafkaSource;
}

/** Starts one before the tests of this file, where there is a broker, and ends it after them. */
export function useKafka(): KafkaInUse {
  let opened: Pick<KafkaInUse, 'server' | 'admin' | 'producer'> | undefined;
  const open = (): Pick<KafkaInUse, 'server' | 'admin' | 'producer'> => {
    if (opened === undefined) throw new Error('There is no broker of Kafka');
    return opened;
  };
  before(async () => {
    if (lacksKafka !== false) return;
    const server = await KafkaServer.start();
    const to = { clientId: 'test', bootstrapBrokers: [server.address], retries: true };
    opened = { server, admin: new Admin(to), producer: new Producer(to) };
  });
  after(async () => {
    if (opened === undefined) return;
    await opened.producer.close();
    await opened.admin.close();
    await opened.server[Symbol.asyncDispose]();
  });
  return {
    get server() {
      return open().server;
    },
    get admin() {
      return open().admin;
    },
    get producer() {
      return open().producer;
    },
    spec: (topic, more = {}) => ({
      ...{ servers: [open().server.address], topics: [topic], from: 'oldest' },
      ...{ consumerGroup: topic, ...more },
    }),
  };
}
