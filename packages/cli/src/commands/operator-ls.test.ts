import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOperator } from '@fnlet/api';
import { formatOperatorTable } from './operator-ls.ts';

const nowMs = Date.UTC(2026, 0, 1, 0, 5);
const operators = [
  {
    objects: { total: 7, settled: 5, failing: 1 },
    ...{ queue: 2, awake: false, lastRun: '2026-01-01T00:04:30.000Z' },
    conditions: [{ type: 'Ready', status: 'True', reason: 'Running', message: '' }],
  },
  undefined,
].map((status) =>
  parseOperator({
    ...{ apiVersion: 'fnlet.dev/v1alpha1', kind: 'Operator' },
    metadata: { name: 'sites', namespace: 'default' },
    spec: {
      for: { apiVersion: 'example.dev/v1', kind: 'Site' },
      reconcile: { function: 'sites' },
      ...{ concurrency: 10, deadline: '10s', resync: '10h' },
    },
    ...(status === undefined ? {} : { status }),
  }),
);

test('formatOperatorTable() shows a line for each Operator, also for one without a status', () => {
  const lines = formatOperatorTable(operators, { allNamespaces: false, nowMs }).split('\n');
  assert.deepEqual(
    lines.map((line) => line.split(/ {2,}/)),
    [
      ['NAME', 'FOR', 'READY', 'REASON', 'OBJECTS', 'SETTLED', 'FAILING', 'QUEUE', 'AWAKE'].concat(
        'LAST RUN',
      ),
      ['sites', 'Site', 'True', 'Running', '7', '5', '1', '2', 'no', '30s'],
      ['sites', 'Site', 'Unknown'],
      [''],
    ],
  );
  assert.match(formatOperatorTable(operators, { allNamespaces: true, nowMs }), /\ndefault +sites /);
});
