import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RevisionObject, resolveRuntime, sourceFiles } from '@fnlet/api';
import { MemoryArtifacts } from '../test/memory-artifacts.ts';
import { MemoryMounts } from '../test/memory-mounts.ts';
import { MemoryRuntimes } from '../test/memory-runtimes.ts';
import { sampleFunction } from '../test/samples.ts';
import { planRevision } from './plan-revision.ts';
import { RevisionLoader, type RevisionLoaderOptions } from './revision-loader.ts';

const owner = sampleFunction();
const planned = planRevision(owner, owner.spec.source, '');
const stored = { ...planned, metadata: { ...planned.metadata, uid: 'r1' } };
const { signal } = new AbortController();
const plain = { env: {}, mounts: [], registry: {} };
const secret = {
  path: '/etc/s',
  content: 's',
  files: [{ path: 'key', content: Buffer.from('one'), mode: 0o644 }],
};

function runtimesOf(runtimes: MemoryRuntimes): RevisionLoaderOptions['runtimes'] {
  const isHere = (name: string): boolean => runtimes.look(name)?.state === 'found';
  return {
    resolve: (asked) => resolveRuntime(asked, { added: [], isHere }),
    prepare: (name, caller) => runtimes.prepare(name, caller),
  };
}

function createLoader(changes: Partial<RevisionLoaderOptions> = {}): RevisionLoader {
  return new RevisionLoader({
    artifacts: new MemoryArtifacts(),
    trees: { of: ({ spec }, name) => ({ files: sourceFiles(spec.source, name) }) },
    runtimes: runtimesOf(new MemoryRuntimes()),
    mounts: new MemoryMounts(),
    isRunning: () => false,
    bodyBytesMax: 1000,
    onRuntimeUnused: () => {},
    ...changes,
  });
}

function revisionOn(runtime: string, number = 1): RevisionObject {
  const { metadata, ...revision } = planRevision(
    sampleFunction({ runtime }),
    owner.spec.source,
    '',
  );
  return { ...revision, metadata: { ...metadata, name: `${metadata.name}-${number}` } };
}

test('the source is stored while the Revision is written, and nothing runs before', async () => {
  const artifacts = new MemoryArtifacts();
  const loader = createLoader({ artifacts });
  const writing = Promise.withResolvers<typeof stored>();
  const loading = loader.load(planned, plain, { signal, recorded: writing.promise });
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
  const loader = createLoader();
  const recorded = Promise.reject(new Error('it is in the way'));
  const loading = loader.load(planned, plain, { signal, recorded });
  await assert.rejects(loading, { message: 'it is in the way' });
  assert.equal(loader.known(`default/${planned.metadata.name}`), undefined);
  assert.deepEqual(loader.artifacts(), new Set());
});

test('a Revision is loaded with the runtime that its own means', async () => {
  const artifacts = new MemoryArtifacts();
  const loader = createLoader({ artifacts });
  const { runtime, runsOn } = await loader.load(revisionOn('python39'), plain, { signal });
  assert.deepEqual([runtime, runsOn], ['python39', 'python3.12']);
  const [stored] = artifacts.stored.values();
  assert.deepEqual(Object.keys(stored?.files ?? {}), ['handler.py']);
});

test('a runtime that nobody knows, and one that cannot be had, fail the load', async () => {
  const runtimes = new MemoryRuntimes();
  const loader = createLoader({ runtimes: runtimesOf(runtimes) });
  await assert.rejects(loader.load(revisionOn('cobol'), plain, { signal }), {
    code: 'UnknownRuntime',
  });
  runtimes.gate = Promise.reject(new Error('no network'));
  const loading = loader.load(revisionOn('nodejs22'), plain, { signal });
  await assert.rejects(loading, { message: 'no network' });
});

test('a runtime is told to be of no use when the last Revision on it is forgotten', async () => {
  const unused: string[] = [];
  const loader = createLoader({ onRuntimeUnused: (name) => unused.push(name) });
  const load = async (runtime: string, number: number): Promise<string> =>
    (await loader.load(revisionOn(runtime, number), plain, { signal })).id;
  const first = await load('nodejs22', 1);
  const second = await load('nodejs22', 2);
  const other = await load('nodejs24', 3);
  await load('nodejs22', 1);
  loader.forget(first);
  loader.forget(first);
  assert.deepEqual(unused, []);
  loader.forget(second);
  assert.deepEqual(unused, ['nodejs22']);
  loader.forget(other);
  assert.deepEqual(unused, ['nodejs22', 'nodejs24']);
});

test('files of mounts are there before anything runs, and follow changes', async () => {
  const mounts = new MemoryMounts();
  const loader = createLoader({ mounts });
  const runnable = await loader.load(
    planned,
    { env: {}, mounts: [secret], registry: {} },
    { signal },
  );
  const directory = `/mounts/${runnable.id}/0`;
  assert.deepEqual(runnable.mounts, [{ path: '/etc/s', directory }]);
  assert.deepEqual(mounts.texts(), { [`${runnable.id}/0/key`]: 'one' });
  const files = [{ path: 'key', content: Buffer.from('two'), mode: 0o644 }];
  await loader.refresh({ namespace: 'default', name: 'other' }, [{ ...secret, files }]);
  await loader.refresh({ namespace: 'default', name: 'hello' }, [
    { path: '/x', content: 'another', files: [] },
    { path: '/moved', content: 's', files },
  ]);
  assert.deepEqual(mounts.texts(), { [`${runnable.id}/0/key`]: 'two' });
});

test('files of mounts stay for as long as an Instance that drains sees them', async () => {
  const mounts = new MemoryMounts();
  let running = true;
  const loader = createLoader({ mounts, isRunning: () => running });
  const { id } = await loader.load(
    planned,
    { env: {}, mounts: [secret], registry: {} },
    { signal },
  );
  loader.forget(id);
  loader.release(id);
  assert.equal(Object.keys(mounts.texts()).length, 1);
  running = false;
  loader.release(id);
  assert.deepEqual(mounts.texts(), {});
});

test('packages that are compiled are for the Node that runs them, and for no other program', async () => {
  const artifacts = new MemoryArtifacts();
  const loader = createLoader({ artifacts });
  const load = async (runtime: string, allowInstallScripts: boolean): Promise<unknown> => {
    const revision = revisionOn(runtime);
    const spec = { ...revision.spec, allowInstallScripts };
    artifacts.stored.clear();
    await loader.load({ ...revision, spec }, plain, { signal });
    return [...artifacts.stored.values()][0]?.node?.name;
  };
  assert.equal(await load('nodejs22', true), 'nodejs22');
  assert.equal(await load('nodejs22', false), undefined);
  assert.equal(await load('python3.12', true), undefined);
});
