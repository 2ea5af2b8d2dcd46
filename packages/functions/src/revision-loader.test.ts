import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryArtifacts } from '../test/memory-artifacts.ts';
import { sampleFunction } from '../test/samples.ts';
import { planRevision } from './plan-revision.ts';
import { RevisionLoader } from './revision-loader.ts';

const owner = sampleFunction();
const planned = planRevision(owner, owner.spec.source, '');
const stored = { ...planned, metadata: { ...planned.metadata, uid: 'r1' } };
const { signal } = new AbortController();

test('the source is stored while the Revision is written, and nothing runs before', async () => {
  const artifacts = new MemoryArtifacts();
  const loader = new RevisionLoader({ artifacts, bodyBytesMax: 1000 });
  const writing = Promise.withResolvers<typeof stored>();
  const loading = loader.load(planned, {}, { signal, recorded: writing.promise });
  assert.equal(artifacts.prepared, 1);
  assert.equal(loader.known(`default/${planned.metadata.name}`), undefined);
  assert.equal(loader.artifacts(), undefined);
  writing.resolve(stored);
  const runnable = await loading;
  assert.equal(runnable.owner.uid, 'r1');
  assert.equal(loader.known(runnable.id), runnable);
  assert.deepEqual([...(loader.artifacts() ?? [])], [...artifacts.stored.keys()]);
});

test('a Revision that could not be written is not known', async () => {
  const loader = new RevisionLoader({ artifacts: new MemoryArtifacts(), bodyBytesMax: 1000 });
  const recorded = Promise.reject(new Error('it is in the way'));
  const loading = loader.load(planned, {}, { signal, recorded });
  await assert.rejects(loading, { message: 'it is in the way' });
  assert.equal(loader.known(`default/${planned.metadata.name}`), undefined);
  assert.deepEqual(loader.artifacts(), new Set());
});
