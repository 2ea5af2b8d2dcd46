import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileOrderingKey, orderingKeyOf } from './ordering-key.ts';

const kafka = { servers: ['k:9092'], topics: ['t'], from: 'newest' } as const;
const target = { function: 'f' };

test('records of Kafka and Kinesis keep the order of their keys, unless the Trigger says otherwise', () => {
  assert.equal(orderingKeyOf({ source: { kafka }, target }), 'partitionkey');
  const delivery = { orderingKey: 'subject' };
  assert.equal(orderingKeyOf({ source: { kafka }, target, delivery }), 'subject');
  assert.equal(orderingKeyOf({ source: {}, target }), undefined);
  const kinesis = { stream: 's', region: 'r', from: 'newest', secret: 'aws' };
  assert.equal(orderingKeyOf({ source: { kinesis }, target }), 'partitionkey');
});

test('a key is an attribute or an expression; without it an event has none', () => {
  const attributes = { specversion: '1.0', id: '1', source: '/s', type: 'a.b' } as const;
  const event = { attributes, data: undefined };
  assert.equal(compileOrderingKey('type')(event), 'a.b');
  assert.equal(compileOrderingKey('subject')(event), undefined);
  assert.equal(compileOrderingKey("CONCAT(LEFT(type, 1), '-', id)")(event), 'a-1');
  assert.throws(() => compileOrderingKey('LEFT('));
});
