import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readGatewayUser } from './identify-gateway.ts';

const username = 'system:serviceaccount:fnlet-system:fnlet-gateway';
const prefix = 'authentication.kubernetes.io';

test('readGatewayUser() takes nobody else', () => {
  for (const other of ['fnlet-controller', 'fnlet-gateway-2']) {
    const user = { username: `system:serviceaccount:fnlet-system:${other}` };
    assert.equal(readGatewayUser(user, 'fnlet-system'), undefined);
  }
  assert.equal(readGatewayUser({ username }, 'elsewhere'), undefined);
  assert.equal(readGatewayUser({}, 'fnlet-system'), undefined);
});

test('readGatewayUser() reads what the token says of its Pod', () => {
  const read = (extra: object) => readGatewayUser({ username, ...extra }, 'fnlet-system');
  assert.deepEqual(read({}), { node: undefined, pod: undefined });
  const pod = { [`${prefix}/pod-name`]: ['gateway-1'] };
  assert.deepEqual(read({ extra: pod }), { node: undefined, pod: 'gateway-1' });
  const node = { [`${prefix}/node-name`]: ['node-1'] };
  assert.deepEqual(read({ extra: { ...pod, ...node } }), { node: 'node-1', pod: 'gateway-1' });
  assert.equal(read({ extra: { [`${prefix}/node-name`]: 'node-1' } })?.node, undefined);
});
