import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from './limits.ts';
import { readServiceName } from './service-names.ts';
import { StandIns } from './stand-ins.ts';

const other = { namespace: 'default', name: 'other' };

test('readServiceName() knows a Service by its whole name, in any case', () => {
  for (const host of [
    'other.default.svc.cluster.local',
    'other.default.svc.cluster.local.',
    'other.default.svc',
    'Other.Default.SVC.cluster.local',
  ]) {
    assert.deepEqual(readServiceName(host, 'shop'), other);
  }
});

test('readServiceName() knows a Pod of a Service by its whole name', () => {
  for (const host of ['db-0.db.default.svc.cluster.local', 'DB-0.db.default.svc']) {
    assert.deepEqual(readServiceName(host, 'shop'), { namespace: 'default', name: 'db-0.db' });
  }
});

test('readServiceName() takes one or two labels for a Service that there may be', () => {
  assert.deepEqual(readServiceName('Other', 'default'), other);
  assert.deepEqual(readServiceName('other.default', 'shop'), other);
});

test('readServiceName() leaves all other names to the system', () => {
  for (const host of [
    'localhost',
    '127.0.0.1',
    '::1',
    'www.example.com',
    'a.b.c.d.svc.cluster.local',
    'a.b.c',
    'svc.cluster.local',
    '.default.svc',
    'under_score',
    '',
    '10',
    '1.2',
    '1a.default.svc.cluster.local',
  ]) {
    assert.equal(readServiceName(host, 'shop'), undefined, host);
  }
});

test('a Service keeps the address that stands for it, and nobody else has it', () => {
  const standIns = new StandIns();
  const address = standIns.of(other);
  assert.match(address, /^240\./);
  assert.equal(standIns.of({ ...other }), address);
  assert.notEqual(standIns.of({ namespace: 'default', name: 'another' }), address);
  assert.deepEqual(standIns.serviceAt(address), other);
  assert.equal(standIns.serviceAt('240.1.2.3'), undefined);
  assert.equal(standIns.serviceAt('127.0.0.1'), undefined);
});

test('with too many Services the first loses its address, which leads nowhere then', () => {
  const standIns = new StandIns();
  const address = standIns.of(other);
  for (let i = 0; i < limits.standInsMax; i++) standIns.of({ namespace: 'n', name: `s${i}` });
  assert.equal(standIns.serviceAt(address), undefined);
  assert.notEqual(standIns.of(other), address);
});
