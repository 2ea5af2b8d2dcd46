import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOperator } from '@fnlet/api';
import { formatOperatorDescription, functionOf } from './operator-description.ts';

const nowMs = Date.UTC(2026, 0, 1, 0, 5);
const base = {
  ...{ apiVersion: 'fnlet.dev/v1alpha1', kind: 'Operator' },
  metadata: { name: 'sites', namespace: 'default' },
};
const spec = {
  for: { apiVersion: 'example.dev/v1', kind: 'Site' },
  owns: [{ apiVersion: 'v1', kind: 'ConfigMap', selector: 'a=b' }],
  watches: [{ apiVersion: 'v1', kind: 'Secret', map: 'object.metadata.name' }],
  reconcile: { runtime: 'nodejs24', source: { inline: '' } },
  ...{ concurrency: 10, deadline: '10s', resync: '10h' },
};

test('formatOperatorDescription() tells what is missing, and how to get it', () => {
  const operator = parseOperator({
    ...{ ...base, spec },
    status: {
      missingPermissions: [
        { apiGroups: ['example.dev'], resources: ['sites'], verbs: ['get', 'list'] },
        { apiGroups: [''], resources: ['events'], verbs: ['create'], namespace: 'web' },
      ],
      conditions: [{ type: 'Ready', status: 'False', reason: 'PermissionMissing', message: 'No' }],
    },
  });
  const text = formatOperatorDescription({ operator, runs: [], events: [], nowMs });
  for (const line of [
    'Ready:         False (PermissionMissing): No',
    'Owns:          ConfigMap (v1) with a=b',
    'Watches:       Secret (v1): object.metadata.name',
    'Function:      sites (its own, nodejs24)',
    'Missing permissions, see fnlet operator rbac sites:',
    '  get, list sites (example.dev) everywhere',
    '  create events in web',
    'Runs: none',
    'Events: none',
  ]) {
    assert.ok(text.split('\n').includes(line), `${line} in:\n${text}`);
  }
});

test('formatOperatorDescription() shows runs, newest first', () => {
  const runs = [
    {
      ...{ name: 'sites.b', object: { namespace: 'default', name: 'web' }, outcome: 'failed' },
      ...{ startedAt: '2026-01-01T00:04:00.000Z', tookMs: 12, writes: ['applied a', 'pruned b'] },
      reason: 'Site default/web was created',
    },
  ];
  const operator = parseOperator({ ...base, spec, status: { awake: true, objects: { total: 1 } } });
  const text = formatOperatorDescription({ operator, runs, events: [], nowMs });
  assert.match(
    text,
    /\n {2}sites\.b +default\/web +failed +60s +12 ms +2 +Site default\/web was created\n/,
  );
  assert.match(text, /Function: +sites \(its own, nodejs24\), awake\n/);
  assert.match(text, /Objects: +1, of which settled 0, failing 0; in the queue 0\n/);
});

test('functionOf() is what the hub says, else what the spec does', () => {
  const named = parseOperator({ ...base, spec: { ...spec, reconcile: { function: 'f' } } });
  assert.equal(functionOf(named), 'f');
  assert.equal(functionOf(parseOperator({ ...base, spec })), 'sites');
  assert.equal(functionOf({ ...named, status: { function: 'g' } }), 'g');
});
