import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { CliError } from './cli-error.ts';
import { sourceBytesMax } from './limits.ts';
import { readSourceFiles } from './source-files.ts';

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

test('readSourceFiles() reads a directory without what does not belong to a function', () =>
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
      const { files } = await readSourceFiles(directory);
      assert.deepEqual(files, { 'handler.ts': 'a', 'lib/b.ts': 'b' });
    },
  ));

test('readSourceFiles() reads one file under its own name, byte for byte', () => {
  const text = "\ufeffconst a = '$(HOME) $$ `';\r\n";
  return withDirectory({ 'fn.js': text }, async (directory) => {
    const { files } = await readSourceFiles(join(directory, 'fn.js'));
    assert.deepEqual(files, { 'fn.js': text });
  });
});

test('readSourceFiles() says what is wrong and what to do', async () => {
  const refuses = (path: string, message: RegExp): Promise<void> =>
    assert.rejects(
      readSourceFiles(path),
      (error) => error instanceof CliError && message.test(error.message) && !!error.remedy,
    );
  await refuses('/nowhere/at/all', /no such file or directory/);
  await withDirectory({}, (directory) => refuses(directory, /holds no files/));
  await withDirectory({ 'a.bin': Buffer.from([0xff, 0xfe, 0]) }, (directory) =>
    refuses(directory, /found binary data, expected text/),
  );
  await withDirectory({ 'a.js': 'x'.repeat(sourceBytesMax + 1) }, (directory) =>
    refuses(directory, /more than \d+ bytes/),
  );
});
