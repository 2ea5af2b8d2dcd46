import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyHost } from './service-names.ts';

test('classifyHost() knows a Service by its whole name', () => {
  for (const host of [
    'other.default.svc.cluster.local',
    'other.default.svc.cluster.local.',
    'other.default.svc',
    'Other.Default.SVC.cluster.local',
  ]) {
    assert.deepEqual(classifyHost(host, 'shop'), { kind: 'service' });
  }
});

test('classifyHost() takes one or two labels for a Service that there may be', () => {
  const other = { kind: 'short', name: 'other', namespace: 'shop' };
  assert.deepEqual(classifyHost('other', 'shop'), other);
  assert.deepEqual(classifyHost('other.default', 'shop'), { ...other, namespace: 'default' });
});

test('classifyHost() leaves all other names to the system', () => {
  for (const host of [
    'localhost',
    '127.0.0.1',
    '::1',
    'www.example.com',
    'a.b.c.svc.cluster.local',
    'svc.cluster.local',
    '.default.svc',
    'under_score',
    '',
    '10',
    '1.2',
  ]) {
    assert.deepEqual(classifyHost(host, 'shop'), { kind: 'other' }, host);
  }
});
