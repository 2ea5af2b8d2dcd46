import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FunctionObject, RevisionObject } from '@fnlet/api';
import {
  projectChange,
  projectFunction,
  projectObject,
  projectRevision,
} from './project-object.ts';

const bulky = 'bulky'.repeat(100);

const metadata = {
  name: 'hello',
  namespace: 'default',
  uid: 'u1',
  resourceVersion: '7',
  generation: 2,
  labels: { note: bulky },
  annotations: { 'kubectl.kubernetes.io/last-applied-configuration': bulky },
  ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u0', controller: true }],
};

const spec = {
  source: { inline: bulky },
  dependencies: bulky,
  runtime: 'nodejs24',
  handler: 'default',
  timeout: '30s',
  allowInstallScripts: false,
  labels: { note: bulky },
  annotations: { note: bulky },
  envFrom: [{ secretRef: { name: 's' } }],
} as const;

const scale = {
  min: 0,
  max: 1,
  metric: 'concurrency',
  target: 1,
  idleAfter: '60s',
  limit: 0,
} as const;

test('projectFunction() keeps what routes and finds a Function, and no source', () => {
  const object: FunctionObject = Object.assign(
    { apiVersion: 'fnlet.dev/v1alpha1', kind: 'Function', metadata },
    { spec: { ...spec, scale }, status: { revision: 'hello-1', url: bulky } },
  );
  const kept = projectFunction(object);
  assert.ok(!JSON.stringify(kept).includes('bulky'));
  assert.equal(kept.metadata.generation, 2);
  assert.equal(kept.spec.scale.idleAfter, '60s');
  assert.deepEqual(kept.spec.envFrom, spec.envFrom);
  assert.deepEqual(kept.status, { revision: 'hello-1' });
});

test('projectFunction() keeps where calls go, where that is worth a word', () => {
  const base = { apiVersion: 'fnlet.dev/v1alpha1', kind: 'Function', metadata };
  const kept = (status: FunctionObject['status'] & object): unknown =>
    projectFunction(Object.assign({}, base, { spec: { ...spec, scale }, status })).status;
  const plain = { revision: 'a', latestRevision: 'a' };
  const all = { revision: 'a', latest: true, percent: 100 };
  assert.deepEqual(kept({ ...plain, traffic: [all] }), { revision: 'a' });
  const canary = { phase: 'RolledBack', revision: 'b', stable: 'a', step: 1 } as const;
  for (const status of [
    { ...plain, traffic: [{ ...all, tag: 'x' }] },
    { ...plain, traffic: [{ revision: 'a', percent: 100 }] },
    { ...plain, canary: { ...canary, since: '2026-01-01T00:00:00Z', digest: 'd' } },
  ]) {
    const { latestRevision: _same, ...rest } = status;
    assert.deepEqual(kept(status), rest);
  }
  const split = { revision: 'a', latestRevision: 'b' };
  assert.deepEqual(kept(split), split);
});

test('projectRevision() keeps whose it is and what became of it, and no source', () => {
  const object: RevisionObject = {
    apiVersion: 'fnlet.dev/v1alpha1',
    kind: 'Revision',
    metadata,
    spec: { ...spec, function: 'hello', environmentDigest: 'd' },
    status: { artifact: 'a' },
  };
  const kept = projectRevision(object);
  assert.ok(!JSON.stringify(kept).includes('bulky'));
  assert.deepEqual(kept.metadata.ownerReferences, metadata.ownerReferences);
  assert.equal(kept.spec.function, 'hello');
  assert.deepEqual(kept.status, { artifact: 'a' });
});

test('projectObject() and projectChange() keep no data', () => {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata, data: { key: bulky } };
  assert.deepEqual(projectChange(secret), {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'hello', namespace: 'default', resourceVersion: '7' },
  });
  assert.ok(!JSON.stringify(projectObject(secret)).includes('bulky'));
});
