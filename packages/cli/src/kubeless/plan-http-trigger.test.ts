import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planHttpTrigger, planHttpTriggerUpdate } from './plan-http-trigger.ts';

const key = { name: 'door', namespace: 'default' };
const wish = { functionName: 'hello', gateway: 'nginx' };

test('planHttpTrigger() names a host below the address of the API, as Kubeless does', () => {
  const trigger = planHttpTrigger(key, wish, '127.0.0.1');
  assert.deepEqual(trigger.metadata, { ...key, labels: { 'created-by': 'kubeless' } });
  assert.deepEqual(trigger.spec, {
    'function-name': 'hello',
    'host-name': 'hello.127.0.0.1.nip.io',
    gateway: 'nginx',
  });
  assert.equal(planHttpTrigger(key, wish, 'api.example.com').spec['host-name'], undefined);
});

test('planHttpTrigger() takes every flag', () => {
  const flags = {
    ...{ hostname: 'a.example.com', path: '/echo', gateway: 'kong', corsEnable: true },
    ...{ basicAuthSecret: 'users', tlsSecret: 'cert' },
  };
  assert.deepEqual(planHttpTrigger(key, { ...wish, ...flags }, '127.0.0.1').spec, {
    ...{ 'function-name': 'hello', 'host-name': 'a.example.com', path: 'echo', gateway: 'kong' },
    ...{ 'basic-auth-secret': 'users', 'tls-secret': 'cert', 'cors-enable': true },
  });
});

test('planHttpTrigger() refuses what contradicts itself', () => {
  const without = { ...wish, gateway: 'kong' };
  assert.throws(() => planHttpTrigger(key, without, '127.0.0.1'), /Hostname is required/);
  const both = { ...wish, enableTLSAcme: true, tlsSecret: 'cert' };
  assert.throws(() => planHttpTrigger(key, both, '127.0.0.1'), /both --enableTLSAcme and/);
});

test('planHttpTriggerUpdate() changes what flags name, and keeps the rest', () => {
  const before = planHttpTrigger(key, { ...wish, path: 'a', corsEnable: true }, '127.0.0.1');
  const after = planHttpTriggerUpdate(before, { path: 'b' });
  assert.deepEqual(after.spec, { ...before.spec, path: 'b' });
  assert.equal(planHttpTriggerUpdate(before, { functionName: 'x' }).spec['function-name'], 'x');
});
