import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { resolveOwnModules } from './own-modules.ts';

describe('resolveOwnModules()', () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'fnlet-own-modules-')));
  const at = (path: string): string => join(directory, path);
  const urlOf = (path: string): string => pathToFileURL(at(path)).href;
  const load = (path: string): Promise<object> => import(urlOf(path));

  before(() => {
    writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
    for (const room of ['own', 'own/a', 'own/b', 'foreign']) mkdirSync(at(room));
    const tellsWhere = 'export const url: string = import.meta.url;\n';
    writeFileSync(at('own/b/file.ts'), tellsWhere);
    for (const room of ['own/a', 'foreign']) {
      symlinkSync(at('own/b/file.ts'), at(`${room}/link.ts`));
      writeFileSync(at(`${room}/index.ts`), "export { url } from './link.ts';\n");
    }
    writeFileSync(at('own/a/up.ts'), "export { url } from '../b/file.ts';\n");
    writeFileSync(at('own/a/room.ts'), "export { FnletError } from '@fnlet/base';\n");
    writeFileSync(at('own/a/node.ts'), "export { sep } from 'node:path';\n");
    writeFileSync(at('own/a/broken.ts'), "export { url } from './missing.ts';\n");
    symlinkSync(join(import.meta.dirname, '../../../node_modules'), at('node_modules'));
    resolveOwnModules(urlOf('own/'));
  });
  after(() => rmSync(directory, { recursive: true }));

  test('takes an own file by the text of its import, whatever it links to', async () => {
    assert.deepEqual({ ...(await load('own/a/index.ts')) }, { url: urlOf('own/a/link.ts') });
    assert.deepEqual({ ...(await load('own/a/up.ts')) }, { url: urlOf('own/b/file.ts') });
  });

  test('gives every file the same room', async () => {
    const { FnletError } = await import('@fnlet/base');
    assert.deepEqual({ ...(await load('own/a/room.ts')) }, { FnletError });
  });

  test('leaves what others import, and what is not ours, as it was', async () => {
    assert.deepEqual({ ...(await load('foreign/index.ts')) }, { url: urlOf('own/b/file.ts') });
    assert.deepEqual({ ...(await load('own/a/node.ts')) }, { sep: '/' });
  });

  test('tells which file is missing', async () => {
    await assert.rejects(load('own/a/broken.ts'), /own\/a\/missing\.ts/);
  });
});
