import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { CliError } from './cli-error.ts';
import { archiveBytesMax, sourceBytesMax } from './limits.ts';
import { readSource, readSourceDigest } from './source-files.ts';

async function withDirectory(
  files: Readonly<Record<string, string | Buffer>>,
  run: (directory: string) => Promise<void>,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'fnlet-source-'));
  try {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(directory, name)), { recursive: true });
      await writeFile(join(directory, name), content);
    }
    await run(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

test('readSource() reads a directory without what does not belong to a function', () =>
  withDirectory(
    {
      'handler.ts': 'a',
      'lib/b.ts': 'b',
      '.env': 'secret',
      '.git/config': 'x',
      'node_modules/m/index.js': 'x',
      'dist/handler.js': 'x',
      'npm-debug.log': 'x',
      'lib/coverage/x.js': 'x',
    },
    async (directory) => {
      const files = { 'handler.ts': 'a', 'lib/b.ts': 'b' };
      assert.deepEqual(await readSource(directory), { kind: 'files', files });
    },
  ));

test('readSource() reads one file under its own name, byte for byte', () => {
  const text = "\ufeffconst a = '$(HOME) $$ `';\r\n";
  return withDirectory({ 'fn.js': text }, async (directory) => {
    const source = await readSource(join(directory, 'fn.js'));
    assert.deepEqual(source, { kind: 'files', files: { 'fn.js': text } });
  });
});

test('readSource() says what is wrong and what to do', async () => {
  const refuses = (path: string, message: RegExp): Promise<void> =>
    assert.rejects(
      readSource(path),
      (error) => error instanceof CliError && message.test(error.message) && !!error.remedy,
    );
  await refuses('/nowhere/at/all', /no such file or directory/);
  await withDirectory({}, (directory) => refuses(directory, /holds no files/));
  await withDirectory({ 'a.bin': '' }, async (directory) => {
    await truncate(join(directory, 'a.bin'), archiveBytesMax + 1);
    await refuses(directory, /268435457 bytes, expected at most 268435456/);
  });
});

test('readSource() leaves what does not fit into an object, or is no text, to be packed', async () => {
  await withDirectory({ 'a.js': 'x'.repeat(sourceBytesMax + 1) }, async (root) => {
    assert.deepEqual(await readSource(root), { kind: 'tree', root, names: ['a.js'] });
    const file = await readSource(join(root, 'a.js'));
    assert.deepEqual(file, { kind: 'tree', root, names: ['a.js'] });
  });
  const picture = Buffer.from([0xff, 0xfe, 0]);
  await withDirectory({ 'a.js': '', 'lib/a.png': picture }, async (root) => {
    const names = ['a.js', 'lib/a.png'];
    assert.deepEqual(await readSource(root), { kind: 'tree', root, names });
    const before = await readSourceDigest(root, new Set());
    await writeFile(join(root, 'lib/a.png'), Buffer.from([0xff, 0xfe, 1]));
    assert.notEqual(await readSourceDigest(root, new Set()), before);
  });
});
