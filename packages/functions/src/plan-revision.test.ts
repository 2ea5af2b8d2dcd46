import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FunctionObject, parseRevision, type RevisionObject } from '@fnlet/api';
import { sampleFunction } from '../test/samples.ts';
import { planHistory } from './plan-history.ts';
import { isOwnedBy, planRevision } from './plan-revision.ts';

function planned(owner: FunctionObject, environmentDigest: string): RevisionObject {
  return planRevision(owner, owner.spec.source, environmentDigest);
}

test('planRevision() makes a Revision that its kind accepts and its Function owns', () => {
  const owner = sampleFunction();
  const revision = planned(owner, 'e');
  assert.equal(parseRevision(revision), revision);
  assert.ok(isOwnedBy(revision, owner));
  assert.match(revision.metadata.name, /^hello-[0-9a-f]{10}$/);
  assert.equal(revision.metadata.labels?.['fnlet.dev/function'], 'hello');
  assert.ok(!('scale' in revision.spec));
});

test('planRevision() gives the same wish the same name', () => {
  const first = planned(sampleFunction(), 'e').metadata.name;
  const scale = { min: 2, max: 5, target: 1, limit: 1, idleAfter: '5s' };
  assert.equal(planned(sampleFunction({ scale }), 'e').metadata.name, first);
  assert.notEqual(planned(sampleFunction({ handler: 'x' }), 'e').metadata.name, first);
  assert.notEqual(planned(sampleFunction(), 'f').metadata.name, first);
});

test('planRevision() freezes what the source was resolved to', () => {
  const owner = sampleFunction({ source: { configMap: { name: 'code' } } });
  const source = { files: { 'handler.js': 'a' } };
  assert.deepEqual(planRevision(owner, source, 'e').spec.source, source);
});

test('isOwnedBy() tells a Function from a deleted one of the same name', () => {
  const owner = sampleFunction();
  const recreated = { ...owner, metadata: { ...owner.metadata, uid: 'u2' } };
  assert.ok(!isOwnedBy(planned(owner, 'e'), recreated));
});

function revisionOf(minute: number, going = false): RevisionObject {
  const revision = planned(sampleFunction(), 'e');
  const creationTimestamp = `2026-01-01T00:0${minute}:00Z`;
  const name = `hello-${minute}`;
  const deletion = going ? { deletionTimestamp: creationTimestamp } : {};
  return { ...revision, metadata: { ...revision.metadata, name, creationTimestamp, ...deletion } };
}

test('planHistory() deletes the oldest and never what is in use', () => {
  const revisions = [3, 1, 0, 5, 2, 4, 7, 6].map((minute) => revisionOf(minute));
  const deleted = planHistory(revisions, new Set(['hello-0', 'hello-7']));
  assert.deepEqual(
    deleted.map(({ metadata }) => metadata.name),
    ['hello-1'],
  );
});

test('planHistory() leaves alone what is short, or already going', () => {
  assert.deepEqual(
    planHistory(
      [0, 1, 2, 3, 4].map((minute) => revisionOf(minute)),
      new Set(),
    ),
    [],
  );
  const going = [0, 1, 2, 3, 4, 5, 6].map((minute) => revisionOf(minute, minute < 3));
  assert.deepEqual(planHistory(going, new Set()), []);
});
