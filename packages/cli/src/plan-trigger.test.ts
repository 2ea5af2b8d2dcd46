import assert from 'node:assert/strict';
import { test } from 'node:test';
import { triggerCrd } from '@fnlet/api';
import { flagName, planTrigger } from './plan-trigger.ts';
import { triggerSourceFlags } from './trigger-flags.ts';

test('planTrigger() puts the flags of a source where the Trigger has them', () => {
  const flags = { schedule: '@hourly', timeZone: 'Europe/Berlin', data: '{"a":1}', function: 'f' };
  assert.deepEqual(planTrigger('cron', flags), {
    source: { cron: { schedule: '@hourly', timeZone: 'Europe/Berlin', data: { a: 1 } } },
    target: { function: 'f' },
  });
  const http = { host: ['a.example'], path: ['/in'], method: [], events: 'any', url: 'http://b' };
  assert.deepEqual(planTrigger('http', http), {
    source: {
      http: { hosts: ['a.example'], paths: [{ prefix: '/in' }], events: { format: 'any' } },
    },
    target: { url: 'http://b' },
  });
});

test('planTrigger() knows filters, delivery and pause', () => {
  const how = { retry: 2, orderingKey: 'subject', concurrency: 4, deadLetter: 'complaints' };
  const which = { filter: ['type=a', 'subject=x=y'], cesql: 'id = 1' };
  const flags = { broker: 'shop', toBroker: 'audit', paused: true, ...how, ...which };
  assert.deepEqual(planTrigger('broker', flags), {
    source: { broker: { name: 'shop' } },
    filters: [{ exact: { type: 'a' } }, { exact: { subject: 'x=y' } }, { cesql: 'id = 1' }],
    target: { broker: 'audit' },
    delivery: { ...how, deadLetter: { function: 'complaints' } },
    paused: true,
  });
});

test('planTrigger() refuses no target, several, and filters without a value', () => {
  assert.throws(() => planTrigger('cron', {}), /found 0 targets, expected one/);
  assert.throws(() => planTrigger('cron', { function: 'a', url: 'http://b' }), /found 2 targets/);
  assert.throws(() => planTrigger('cron', { function: 'a', filter: ['type'] }), /found "type"/);
});

test('each flag of a source is a field that the kind Trigger has', () => {
  const schema: unknown = triggerCrd.spec.versions[0]?.schema?.openAPIV3Schema;
  const { properties } = Object(schema).properties.spec.properties.source;
  for (const [kind, { flags }] of Object.entries(triggerSourceFlags)) {
    const fields = Object.keys(properties[kind].properties);
    for (const { field } of flags) assert.ok(fields.includes(field), `${kind}.${field}`);
    const needed = flags.filter(({ isRequired }) => isRequired).map(({ field }) => field);
    assert.deepEqual([...needed].sort(), [...(properties[kind].required ?? [])].sort(), kind);
    assert.equal(new Set(flags.map(flagName)).size, flags.length);
  }
  assert.deepEqual(Object.keys(triggerSourceFlags).sort(), Object.keys(properties).sort());
});
