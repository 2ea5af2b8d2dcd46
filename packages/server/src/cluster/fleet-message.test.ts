import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFleetOrder } from './fleet-message.ts';

const revision = 'default/hello-1';
const endpoint = { id: 'hello-1-abcde', host: '10.0.0.1', port: 8080 };

test('parseFleetOrder() reads which Instances are near, where that is said', () => {
  for (const near of [{}, { near: true }, { near: false }]) {
    const order = { type: 'endpoints', revision, endpoints: [{ ...endpoint, ...near }] };
    assert.deepEqual(parseFleetOrder(order), order);
  }
  const other = { type: 'endpoints', revision, endpoints: [{ ...endpoint, near: 'yes' }] };
  assert.deepEqual(parseFleetOrder(other), { ...other, endpoints: [endpoint] });
});

test('parseFleetOrder() goes past fields and words of a later release', () => {
  const later = { ...endpoint, rack: 'r1' };
  const order = { type: 'endpoints', revision, endpoints: [later], since: 3 };
  assert.deepEqual(parseFleetOrder(order), { type: 'endpoints', revision, endpoints: [later] });
  assert.equal(parseFleetOrder({ type: 'racks', gateways: 2 }), undefined);
});

test('parseFleetOrder() reads how many Gateways share a zone', () => {
  assert.deepEqual(parseFleetOrder({ type: 'zone', gateways: 3 }), { type: 'zone', gateways: 3 });
  assert.equal(parseFleetOrder({ type: 'zone', gateways: -1 }), undefined);
  assert.equal(parseFleetOrder({ type: 'zone' }), undefined);
});
