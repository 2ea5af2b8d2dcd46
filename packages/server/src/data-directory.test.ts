import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { hasCode } from '@fnlet/base';
import { openDataDirectory, readOrCreateToken, writeFileAtomically } from './data-directory.ts';

let directory: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fnlet-data-'));
});
after(() => rm(directory, { recursive: true }));

test('openDataDirectory() makes a directory that only its owner enters', async () => {
  const data = await openDataDirectory(join(directory, 'a', 'b'));
  assert.equal((await stat(data.root)).mode & 0o777, 0o700);
});

test('openDataDirectory() says what to do when it cannot', async () => {
  const file = join(directory, 'file');
  await writeFile(file, '');
  for (const path of [file, join(file, 'x')]) {
    await assert.rejects(openDataDirectory(path), (error) => {
      assert.ok(hasCode(error, 'DataDirectoryUnusable'));
      assert.match(error.message, /found (EEXIST|ENOTDIR)/);
      return true;
    });
  }
});

test('openDataDirectory() fails at once where the kernel lets nobody make anything', {
  skip: process.platform !== 'linux',
}, async () => {
  await assert.rejects(openDataDirectory('/proc/nope/deep'), (error) =>
    hasCode(error, 'DataDirectoryUnusable'),
  );
});

test('readOrCreateToken() keeps its token and hides it', async () => {
  const path = join(directory, 'pki', 'token');
  const token = await readOrCreateToken(path);
  assert.match(token, /^[\w-]{43}$/);
  assert.equal(await readOrCreateToken(path), token);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
});

test('readOrCreateToken() replaces a damaged token', async () => {
  const path = join(directory, 'damaged');
  await writeFile(path, 'short');
  assert.match(await readOrCreateToken(path), /^[\w-]{43}$/);
});

test('writeFileAtomically() leaves nothing but the file', async () => {
  const folder = join(directory, 'atomic');
  await writeFileAtomically(join(folder, 'a.json'), '{}', 0o600);
  await writeFileAtomically(join(folder, 'a.json'), '{"b":1}', 0o600);
  assert.deepEqual(await readdir(folder), ['a.json']);
  assert.equal(await readFile(join(folder, 'a.json'), 'utf8'), '{"b":1}');
});
