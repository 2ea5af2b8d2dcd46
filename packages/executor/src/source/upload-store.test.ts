import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sha256, VirtualClock } from '@fnlet/base';
import { limits } from '../limits.ts';
import { type UploadKey, UploadStore } from './upload-store.ts';

interface Bench extends Disposable {
  readonly store: UploadStore;
  readonly clock: VirtualClock;
}

function createBench(): Bench {
  const directory = mkdtempSync(join(tmpdir(), 'upload-test-'));
  const clock = new VirtualClock();
  const store = new UploadStore({ directory, clock });
  return { store, clock, [Symbol.dispose]: () => rmSync(directory, { recursive: true }) };
}

function keyOf(text: string): UploadKey {
  return { namespace: 'default', digest: sha256(text) };
}

test('pieces become an archive once all are there', async () => {
  using bench = createBench();
  const { store } = bench;
  const key = keyOf('onetwo');
  assert.equal(await store.look(key), undefined);
  const one = { offset: 0, bytes: Buffer.from('one'), isLast: false };
  assert.deepEqual(await store.add(key, one), { bytes: 3, isComplete: false });
  // Sent twice, or too far ahead: what is there says where to go on.
  assert.deepEqual(await store.add(key, one), { bytes: 3, isComplete: false });
  const two = { offset: 3, bytes: Buffer.from('two'), isLast: true };
  const ahead = await store.add(keyOf('other'), two);
  assert.deepEqual(ahead, { bytes: 0, isComplete: false });
  assert.deepEqual(await store.add(key, two), { bytes: 6, isComplete: true });
  assert.equal(readFileSync(store.pathOf(key), 'utf8'), 'onetwo');
  assert.deepEqual(await store.add(key, two), { bytes: 6, isComplete: true });
  assert.deepEqual(await store.look(key), { bytes: 6, isComplete: true });
  assert.equal(await store.look({ ...key, namespace: 'other' }), undefined);
});

test('an archive that is not what its name says is thrown away', async () => {
  using bench = createBench();
  const key = keyOf('one');
  const wrong = { offset: 0, bytes: Buffer.from('two'), isLast: true };
  await assert.rejects(bench.store.add(key, wrong), { code: 'ChecksumMismatch' });
  assert.equal(await bench.store.look(key), undefined);
  assert.ok(!existsSync(bench.store.pathOf(key)));
});

test('an archive that is too large is refused before it is written', async () => {
  using bench = createBench();
  const key = keyOf('one');
  await bench.store.add(key, { offset: 0, bytes: Buffer.from('one'), isLast: false });
  const bytes = Buffer.alloc(limits.archiveBytesMax - 2);
  const adding = bench.store.add(key, { offset: 3, bytes, isLast: true });
  await assert.rejects(adding, { code: 'TooLarge' });
});

test('sweep() removes what nothing refers to, after its time', async () => {
  using bench = createBench();
  const { store, clock } = bench;
  const [used, unused, half] = [keyOf('used'), keyOf('unused'), keyOf('half')];
  for (const [key, text] of [
    [used, 'used'],
    [unused, 'unused'],
  ] as const) {
    await store.add(key, { offset: 0, bytes: Buffer.from(text), isLast: true });
    await store.look(key);
  }
  writeFileSync(`${store.pathOf(half)}.part`, 'ha');
  const keep = new Set([`default/${used.digest}`]);
  await store.sweep(keep);
  assert.ok(existsSync(store.pathOf(unused)));
  await clock.advance(Date.now() - clock.now() + limits.uploadKeptMs + 1_000);
  await store.sweep(keep);
  assert.ok(existsSync(store.pathOf(used)));
  assert.ok(!existsSync(store.pathOf(unused)));
  assert.equal(await store.look(half), undefined);
});
