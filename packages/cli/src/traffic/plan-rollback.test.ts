import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FunctionObject, RevisionObject, TrafficTarget } from '@fnlet/api';
import { formatRevisions } from './format-revisions.ts';
import { planRollback, type RollbackWish } from './plan-rollback.ts';

const apiVersion = 'fnlet.dev/v1alpha1';

const template = {
  runtime: 'nodejs24',
  handler: 'default',
  source: { inline: 'x' },
  allowInstallScripts: false,
  timeout: '30s',
} as const;

function functionWith(
  status: FunctionObject['status'] & object,
  traffic?: readonly TrafficTarget[],
): FunctionObject {
  const scale = { min: 0, max: 1, target: 1, limit: 0, idleAfter: '60s' };
  const spec = { ...template, scale, ...(traffic === undefined ? {} : { traffic }) };
  return { apiVersion, kind: 'Function', metadata: { name: 'hello' }, spec, status };
}

function revision(name: string, minute: number | undefined, isReady = true): RevisionObject {
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const status = isReady ? 'True' : 'False';
  const ready = { type: 'Ready', status, reason: 'x', message: 'y', lastTransitionTime } as const;
  const served = minute === undefined ? {} : { servedAt: `2026-01-01T00:0${minute}:00.000000Z` };
  return {
    apiVersion,
    kind: 'Revision',
    metadata: { name, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { ...template, function: 'hello', environmentDigest: 'd' },
    status: { ...served, conditions: [ready] },
  };
}

const revisions = [
  revision('a', 1),
  revision('b', 3),
  revision('c', 2),
  revision('broken', undefined, false),
  revision('unused', undefined),
];

function plan(
  status: FunctionObject['status'] & object,
  wish: RollbackWish = { kind: 'previous' },
  traffic?: readonly TrafficTarget[],
): string {
  return JSON.stringify(planRollback(functionWith(status, traffic), revisions, wish).traffic);
}

test('planRollback() goes back to what served before', () => {
  assert.equal(plan({ revision: 'b' }), '[{"revision":"c","percent":100}]');
  // Going back twice is going forth again.
  assert.equal(plan({ revision: 'c' }), '[{"revision":"b","percent":100}]');
});

test('planRollback() goes back from a canary, and never to one that failed', () => {
  const canary = { stable: 'c', step: 1, since: '2026-01-01T00:00:00Z', digest: 'd' };
  const progressing = { ...canary, phase: 'Progressing', revision: 'b' } as const;
  const pinned = '[{"revision":"c","percent":100}]';
  assert.equal(plan({ revision: 'c', canary: progressing }), pinned);
  const failed = { ...canary, phase: 'RolledBack', revision: 'b' } as const;
  assert.equal(plan({ revision: 'c', canary: failed }), '[{"revision":"a","percent":100}]');
});

test('planRollback() leaves tags where they are', () => {
  const traffic = [
    { latest: true, percent: 60, tag: 'next' },
    { revision: 'a', percent: 40, tag: 'old' },
  ];
  const back = plan({ revision: 'b' }, { kind: 'revision', name: 'a' }, traffic);
  assert.deepEqual(JSON.parse(back), [
    { revision: 'a', percent: 100, tag: 'old' },
    { latest: true, percent: 0, tag: 'next' },
  ]);
  assert.deepEqual(JSON.parse(plan({ revision: 'a' }, { kind: 'latest' }, JSON.parse(back))), [
    { latest: true, percent: 100, tag: 'next' },
    { revision: 'a', percent: 0, tag: 'old' },
  ]);
});

test('planRollback() to the newest leaves nothing in the spec', () => {
  const traffic = [{ revision: 'a', percent: 100 }];
  assert.equal(plan({ revision: 'a' }, { kind: 'latest' }, traffic), 'null');
});

test('planRollback() refuses what is not there, was never ready, or has no past', () => {
  const to = (name: string) => () => plan({ revision: 'b' }, { kind: 'revision', name });
  for (const name of ['gone', 'broken']) {
    assert.throws(to(name), { exitCode: 3, message: /expected one of: a, b, c, unused/ });
  }
  const first = functionWith({ revision: 'a' });
  const alone = () => planRollback(first, [revision('a', 1)], { kind: 'previous' });
  assert.throws(alone, { exitCode: 1, message: /found no Revision that served before a/ });
});

test('formatRevisions() shows who gets which calls, the last one first', () => {
  const traffic = [
    { revision: 'b', latest: true, percent: 90 },
    { revision: 'c', percent: 10, tag: 'old' },
  ];
  const owner = functionWith({ revision: 'b', latestRevision: 'b', traffic });
  const [, ...lines] = formatRevisions(owner, revisions, Date.parse('2026-01-01T00:05:00Z'))
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd().replace(/ {2,}/g, ' | '));
  assert.deepEqual(lines, [
    'b | True | 90% | latest | 2m | nodejs24 | 5m',
    'c | True | 10% old | 3m | nodejs24 | 5m',
    'a | True | 4m | nodejs24 | 5m',
    'broken | False | nodejs24 | 5m',
    'unused | True | nodejs24 | 5m',
  ]);
});
