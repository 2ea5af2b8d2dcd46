import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '@fnlet/base';
import { parseEventsLog } from './events-log.ts';

const plain = { name: 'fnlet', replicas: 1, requireDurable: false };

test('parseEventsLog() reads where events are kept', () => {
  assert.equal(parseEventsLog('lmdb'), 'lmdb');
  assert.deepEqual(parseEventsLog('nats://one:4222'), { ...plain, servers: ['nats://one:4222'] });
  assert.deepEqual(
    parseEventsLog(
      'nats://one:4222,tls://two:4222?replicas=3&durable=require&name=shop&' +
        'monitor=http://one:8222&credentials=/user.creds&ca=/ca.pem&certificate=/c.pem&key=/k.pem',
    ),
    {
      servers: ['nats://one:4222', 'tls://two:4222'],
      name: 'shop',
      replicas: 3,
      requireDurable: true,
      monitor: 'http://one:8222',
      credentialsFile: '/user.creds',
      tls: { caFile: '/ca.pem', certificateFile: '/c.pem', keyFile: '/k.pem' },
    },
  );
});

test('parseEventsLog() reads who is there, and asks for TLS where an address does', () => {
  const servers = ['nats://one:4222'];
  const user = { user: 'us er', password: 'p@ss' };
  assert.deepEqual(parseEventsLog('nats://us%20er:p%40ss@one:4222'), {
    ...plain,
    servers,
    ...user,
  });
  assert.deepEqual(parseEventsLog('nats://secret@one:4222'), {
    ...plain,
    servers,
    token: 'secret',
  });
  assert.deepEqual(parseEventsLog('tls://one'), { ...plain, servers: ['tls://one'], tls: {} });
});

test('parseEventsLog() tells what it cannot read, but nothing that may be secret', () => {
  const cases: [string, RegExp][] = [
    ['', /an address/],
    ['sqlite', /expected lmdb or nats:/],
    ['http://user:secret@one', /an address/],
    ['nats://', /an address/],
    ['nats://one,', /an address/],
    ['nats://user:secret@one?replicas=6', /replicas .* from 1 to 5/],
    ['nats://user:secret@one?durable=yes', /warn or require/],
    ['nats://user:secret@one?name=a.b', /letters, digits/],
    ['nats://user:secret@one?monitor=one', /monitor/],
    ['nats://user:secret@one?size=3', /a parameter "size"/],
    ['nats://user:secret@one?ca=', /a parameter "ca"/],
  ];
  for (const [text, message] of cases) {
    assert.throws(
      () => parseEventsLog(text),
      (error) =>
        hasCode(error, 'InvalidConfig') &&
        message.test(error.message) &&
        !error.message.includes('secret'),
      text,
    );
  }
});
