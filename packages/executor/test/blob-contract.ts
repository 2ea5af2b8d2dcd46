import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { BlobStore } from '../src/bucket/blob-store.ts';

/** A store that is empty, and what is to be closed with it. */
export interface OpenedBlobs extends AsyncDisposable {
  readonly blobs: BlobStore;
}

const { signal } = new AbortController();
const bytesMax = 10_000_000;

/** What every store of blobs must do; run it for each implementation. */
export function testBlobContract(name: string, open: () => Promise<OpenedBlobs>): void {
  describe(name, () => {
    it('brings back what was put there, byte for byte', async () => {
      await using bench = await openBench(open);
      const every = Uint8Array.from({ length: 200_000 }, (_, n) => n % 256);
      for (const content of [every, new Uint8Array()]) {
        await bench.put('artifacts/one/a-1_2.tar.gz', content);
        assert.deepEqual(await bench.get('artifacts/one/a-1_2.tar.gz'), Buffer.from(content));
      }
    });

    it('says that there is nothing where nothing was put', async () => {
      await using bench = await openBench(open);
      await bench.put('artifacts/one', 'here');
      assert.equal(await bench.get('artifacts/other'), undefined);
    });

    it('lists all that begin alike, in order, with size and time', async () => {
      await using bench = await openBench(open);
      const before = Date.now();
      for (const key of ['locks/b', 'artifacts/b/2', 'artifacts/a/1', 'artifacts/b/10']) {
        await bench.put(key, key);
      }
      assert.deepEqual(await bench.keys('artifacts/'), [
        'artifacts/a/1',
        'artifacts/b/10',
        'artifacts/b/2',
      ]);
      assert.deepEqual(await bench.keys('artifacts/b'), ['artifacts/b/10', 'artifacts/b/2']);
      assert.deepEqual(await bench.keys('none/'), []);
      const [listed] = await Array.fromAsync(bench.blobs.list('locks/', signal));
      assert.equal(listed?.bytes, 'locks/b'.length);
      const age = before - (listed?.changedMs ?? 0);
      assert.ok(Math.abs(age) < 60_000, `put ${age} ms before`);
    });

    it('removes, once and again', async () => {
      await using bench = await openBench(open);
      await bench.put('artifacts/one', 'here');
      await bench.blobs.remove('artifacts/one', signal);
      await bench.blobs.remove('artifacts/one', signal);
      assert.equal(await bench.get('artifacts/one'), undefined);
      assert.deepEqual(await bench.keys(''), []);
    });

    it('does not bring what is larger than asked for', async () => {
      await using bench = await openBench(open);
      await bench.put('artifacts/one', 'eleven here');
      const target = { file: bench.file, bytesMax: 10 };
      await assert.rejects(bench.blobs.get('artifacts/one', target, signal), {
        code: 'BrokenAnswer',
        message: /found 11 bytes, expected at most 10$/,
      });
    });

    it('refuses keys that lead elsewhere', async () => {
      await using bench = await openBench(open);
      for (const key of ['../one', 'a/../../one', '/one', 'a//b', 'ü', '.part', '']) {
        await assert.rejects(bench.put(key, ''), /is no key of a blob/, key);
      }
    });

    it('ends when it is told to', async () => {
      await using bench = await openBench(open);
      await bench.put('artifacts/one', 'here');
      const target = { file: bench.file, bytesMax };
      const aborted = AbortSignal.abort();
      await assert.rejects(bench.blobs.get('artifacts/one', target, aborted), {
        name: 'AbortError',
      });
    });
  });
}

interface Bench extends AsyncDisposable {
  readonly blobs: BlobStore;
  readonly file: string;
  put(key: string, content: string | Uint8Array): Promise<void>;
  get(key: string): Promise<Buffer | undefined>;
  keys(prefix: string): Promise<readonly string[]>;
}

async function openBench(open: () => Promise<OpenedBlobs>): Promise<Bench> {
  const opened = await open();
  const { blobs } = opened;
  const directory = await mkdtemp(join(tmpdir(), 'blob-test-'));
  const file = join(directory, 'file');
  return {
    blobs,
    file,
    async put(key, content) {
      await writeFile(file, content);
      await blobs.put(key, file, signal);
    },
    async get(key) {
      const isThere = await blobs.get(key, { file, bytesMax }, signal);
      return isThere ? await readFile(file) : undefined;
    },
    async keys(prefix) {
      return (await Array.fromAsync(blobs.list(prefix, signal))).map(({ key }) => key);
    },
    async [Symbol.asyncDispose]() {
      blobs.close();
      await opened[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}
