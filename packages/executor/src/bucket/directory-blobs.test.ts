import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemRandom } from '@fnlet/base';
import { testBlobContract } from '../../test/blob-contract.ts';
import { DirectoryBlobs } from './directory-blobs.ts';

async function makeDirectory(): Promise<string> {
  return await mkdtemp(join(tmpdir(), 'blobs-'));
}

testBlobContract('blobs in a directory', async () => {
  const directory = await makeDirectory();
  return {
    blobs: new DirectoryBlobs({ directory: join(directory, 'shared'), random: systemRandom }),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
});

test('a directory that nobody may write to is told as that', async (context) => {
  if (process.getuid?.() === 0) return context.skip('the administrator may write everywhere');
  const directory = await makeDirectory();
  const file = join(directory, 'file');
  await writeFile(file, '');
  await chmod(directory, 0o500);
  const blobs = new DirectoryBlobs({ directory: join(directory, 'shared'), random: systemRandom });
  await assert.rejects(blobs.put('one', file, new AbortController().signal), { code: 'Denied' });
  await chmod(directory, 0o700);
  await rm(directory, { recursive: true });
});
