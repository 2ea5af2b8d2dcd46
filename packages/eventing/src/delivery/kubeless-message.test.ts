import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TriggerSource } from '@fnlet/api';
import type { CloudEvent } from '../event/cloud-event.ts';
import { kubelessMessage, kubelessOrigin } from './kubeless-message.ts';

const kafka: TriggerSource = {
  kafka: { servers: ['kafka:9092'], topics: ['orders'], from: 'newest' },
};
const nats: TriggerSource = {
  nats: { servers: ['nats://nats:4222'], subject: 'orders', from: 'newest' },
};
const cron: TriggerSource = {
  cron: { schedule: '@hourly', missed: 'once', concurrencyPolicy: 'Allow' },
};

function event(data: string | undefined, time = '2026-03-01T10:05:00.120Z'): CloudEvent {
  const attributes = { specversion: '1.0', id: 'orders/0/7', source: '/t#orders', time } as const;
  const type = 'dev.fnlet.kafka.record';
  return {
    attributes: { ...attributes, type },
    data: data === undefined ? undefined : Buffer.from(data),
  };
}

test('kubelessMessage() gives a message of Kafka the headers of a KafkaTrigger', () => {
  const { method, headers, body } = kubelessMessage(event('{"a":1}'), kubelessOrigin(kafka));
  assert.equal(method, 'POST');
  assert.equal(Buffer.from(body).toString(), '{"a":1}');
  assert.deepEqual(headers, {
    'ce-specversion': '1.0',
    'ce-id': 'orders/0/7',
    'ce-source': '/t#orders',
    'ce-type': 'dev.fnlet.kafka.record',
    'ce-time': '2026-03-01T10:05:00.120Z',
    'content-type': 'application/json',
    'event-id': 'orders/0/7',
    'event-time': '2026-03-01 10:05:00.12 +0000 UTC',
    'event-type': 'application/json',
    'event-namespace': 'kafkatriggers.kubeless.io',
    'event-topic': 'orders',
  });
});

test('kubelessMessage() says that a message is JSON only of objects, as Go reads them', () => {
  const form = 'application/x-www-form-urlencoded';
  for (const [data, type] of [
    ['{}', 'application/json'],
    ['null', 'application/json'],
    ['[1]', form],
    ['"a"', form],
    ['7', form],
    ['a=b', form],
    ['{', form],
    [undefined, form],
  ] as const) {
    const { method, headers } = kubelessMessage(event(data), kubelessOrigin(nats));
    assert.deepEqual(
      [method, headers['content-type'], headers['event-type']],
      ['POST', type, type],
      data,
    );
    assert.equal(headers['event-namespace'], 'natstriggers.kubeless.io');
    assert.equal(headers['event-topic'], undefined);
  }
});

test('kubelessMessage() gets without a payload when a schedule calls, and posts one as JSON', () => {
  const time = '2026-03-01T10:05:00.000Z';
  const plain = kubelessMessage(event(undefined, time), kubelessOrigin(cron));
  assert.deepEqual([plain.method, plain.body.length], ['GET', 0]);
  assert.equal(plain.headers['event-time'], '2026-03-01 10:05:00+00:00');
  assert.equal(plain.headers['event-namespace'], 'cronjobtrigger.kubeless.io');
  assert.equal(plain.headers['event-type'], 'application/json');
  const posted = kubelessMessage(event('[1]', time), kubelessOrigin(cron));
  assert.deepEqual([posted.method, posted.headers['content-type']], ['POST', 'application/json']);
});
