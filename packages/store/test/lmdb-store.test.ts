import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { openLmdbStore } from '../src/lmdb-store.ts';
import { testStoreContract } from './store-contract.ts';

const root = await mkdtemp(join(tmpdir(), 'fnlet-store-'));
after(() => rm(root, { recursive: true }));
const newDirectory = (): Promise<string> => mkdtemp(join(root, 'store-'));

testStoreContract('openLmdbStore()', async (options) =>
  openLmdbStore({ directory: await newDirectory(), ...options }),
);

describe('openLmdbStore() on a directory that was used', () => {
  it('finds objects, revision and history again', async () => {
    const directory = join(await newDirectory(), 'new', 'store');
    const first = await openLmdbStore({ directory });
    await first.write([{ key: '/a', value: { n: 1 }, expected: 0 }]);
    await first.write([{ key: '/a', value: { n: 2 }, expected: undefined }]);
    await first.write([{ key: '/b', value: {}, expected: 0 }]);
    await first.write([{ key: '/b', value: undefined, expected: undefined }]);
    await first.close();

    await using second = await openLmdbStore({ directory });
    assert.equal(second.revision, first.revision);
    assert.deepEqual(second.get('/a')?.value, { n: 2 });
    assert.equal(second.count('/'), 1);
    assert.deepEqual(second.list('/', { atRevision: 2 }).objects[0]?.value, { n: 1 });
    const changes = [];
    for await (const change of second.watch('/', 1, new AbortController().signal)) {
      changes.push([change.revision, change.key, change.value, change.previous]);
      if (changes.length === 4) break;
    }
    assert.deepEqual(changes, [
      [2, '/a', { n: 1 }, undefined],
      [3, '/a', { n: 2 }, { n: 1 }],
      [4, '/b', {}, undefined],
      [5, '/b', undefined, {}],
    ]);
    assert.deepEqual(await second.write([{ key: '/c', value: {}, expected: 0 }]), [6]);
  });

  it('does not lower the revision when the last objects are gone and history is short', async () => {
    const directory = await newDirectory();
    const first = await openLmdbStore({ directory, historyMin: 1 });
    for (let n = 0; n < 20; n++) {
      const keys = Array.from({ length: 100 }, (_, i) => `/a/${i}`);
      await first.write(keys.map((key) => ({ key, value: { n }, expected: undefined })));
      await first.write(keys.map((key) => ({ key, value: undefined, expected: undefined })));
    }
    await first.close();
    await using second = await openLmdbStore({ directory });
    assert.equal(second.revision, 4_001);
    assert.throws(() => second.list('/', { atRevision: 2 }), { code: 'Compacted' });
  });

  it('gives room back that only old history needed', async () => {
    const directory = await newDirectory();
    await using store = await openLmdbStore({ directory, historyMin: 1 });
    for (let n = 0; n < 60; n++) {
      await store.write(
        Array.from({ length: 100 }, (_, i) => {
          const value = { text: randomBytes(1_000).toString('base64') };
          return { key: `/a/${i}`, value, expected: undefined };
        }),
      );
    }
    // 6 000 versions of 1.4 kB; about 2 100 of them are kept until the next compaction.
    const { size } = await stat(join(directory, 'data.mdb'));
    assert.ok(size < 6_000_000, `${size} bytes`);
  });

  it('refuses a second owner, and names the first', async () => {
    const directory = await newDirectory();
    await using _owner = await openLmdbStore({ directory });
    await assert.rejects(openLmdbStore({ directory }), {
      code: 'Locked',
      pid: process.pid,
      remedy: /Stop process \d+/,
    });
  });

  it('refuses a format that it does not know, and releases the directory', async () => {
    const directory = await newDirectory();
    const marker = join(directory, 'format.json');
    for (const text of ['{"kind":"fnlet-store","format":2}', 'not json', '[]']) {
      await writeFile(marker, text);
      await assert.rejects(openLmdbStore({ directory }), { code: 'UnknownFormat' });
    }
    await rm(marker);
    await using store = await openLmdbStore({ directory });
    assert.equal(store.revision, 1);
    assert.equal((await readdir(directory)).filter((name) => name.startsWith('owner.')).length, 1);
  });
});
