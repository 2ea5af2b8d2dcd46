import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { findModuleFiles } from './module-files.ts';

async function inDirectory(
  files: Readonly<Record<string, string>>,
): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'fnlet-module-files-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), text);
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

test('findModuleFiles() takes what is imported, and leaves the rest', async () => {
  await using directory = await inDirectory({
    'operators/site.ts': `
      import { operator } from 'fnlet/operator';
      import { readFile } from 'node:fs/promises';
      import { page } from './page.ts';
      import type { Site } from "../kinds/site.ts";
      export default async () => (await import('./late.mjs')).late;`,
    'operators/page.ts': "export * from './words.json'; import './page.ts';",
    'operators/words.json': '{"a": "import \'./site.test.ts\'"}',
    'operators/late.mjs': "const { x } = require('./none.cjs');",
    'operators/site.test.ts': "import './site.ts';",
    'kinds/site.ts': 'export interface Site {}',
    'package.json': '{"dependencies": {"fnlet": "^1"}}',
  });
  const found = await findModuleFiles(join(directory.path, 'operators', 'site.ts'));
  assert.deepEqual(found, {
    tree: {
      kind: 'tree',
      root: directory.path,
      names: [
        'kinds/site.ts',
        'operators/late.mjs',
        'operators/page.ts',
        'operators/site.ts',
        'operators/words.json',
      ],
    },
    module: 'operators/site',
    dependencies: undefined,
  });
});

test('findModuleFiles() has packages installed as they are here', async () => {
  await using directory = await inDirectory({
    'web.site.ts': `
      import { parse } from '@scope/words/deep.js';
      import pad from 'pad';
      const text = "import x from 'nowhere'";`,
    'node_modules/pad/package.json': '{"version": "1.2.3"}',
    'node_modules/@scope/words/package.json': '{"version": "4.5.6"}',
  });
  const {
    module,
    dependencies = '',
    tree,
  } = await findModuleFiles(join(directory.path, 'web.site.ts'));
  assert.equal(module, 'web.site');
  assert.deepEqual(tree.names, ['web.site.ts']);
  assert.deepEqual(JSON.parse(dependencies).dependencies, {
    '@scope/words': '4.5.6',
    pad: '1.2.3',
  });
});
