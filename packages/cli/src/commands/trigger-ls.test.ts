import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTrigger } from '@fnlet/api';
import { formatTriggerTable } from './trigger-ls.ts';

const nowMs = Date.UTC(2026, 0, 1, 0, 5);
const cron = { schedule: '@hourly', missed: 'once', concurrencyPolicy: 'Allow' };
const triggers = [
  {
    spec: { source: { cron }, target: { function: 'report' } },
    status: {
      lag: 3,
      deadLetters: 1,
      lastEventTime: '2026-01-01T00:00:00.000Z',
      conditions: [{ type: 'Ready', status: 'False', reason: 'Paused', message: '' }],
    },
  },
  { spec: { source: { http: {} }, target: { broker: 'shop' } } },
].map((parts) =>
  parseTrigger({
    ...{ apiVersion: 'fnlet.dev/v1alpha1', kind: 'Trigger' },
    ...{ metadata: { name: 'a', namespace: 'default' }, ...parts },
  }),
);

test('formatTriggerTable() shows a line for each Trigger', () => {
  const lines = formatTriggerTable(triggers, { allNamespaces: false, nowMs }).split('\n');
  assert.deepEqual(
    lines.map((line) => line.split(/ {2,}/)),
    [
      ['NAME', 'TYPE', 'TARGET', 'READY', 'REASON', 'WAITING', 'DEAD', 'LAST'],
      ['a', 'cron', 'report', 'False', 'Paused', '3', '1', '5m'],
      ['a', 'http', 'broker/shop', 'Unknown', '0', '0'],
      [''],
    ],
  );
  assert.match(formatTriggerTable(triggers, { allNamespaces: true, nowMs }), /\ndefault +a /);
});
