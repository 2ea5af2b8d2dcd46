import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { assertWritable, writeProject } from './write-project.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'fnlet-write-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test('writeProject() writes files into directories that it makes', async () => {
  await writeProject(join(root, 'a', 'b'), new Map([['c/d.txt', 'text']]));
  assert.equal(await readFile(join(root, 'a', 'b', 'c', 'd.txt'), 'utf8'), 'text');
});

for (const path of ['../out', 'a/../../out', '/out', 'a//b', './a', 'a\\b', '']) {
  test(`writeProject() refuses the path "${path}", and writes nothing then`, async () => {
    const project = join(root, 'project');
    const files = new Map([
      ['fine', ''],
      [path, ''],
    ]);
    await assert.rejects(writeProject(project, files), /leads out of the project/);
    assert.ok(!existsSync(project) && !existsSync(join(root, 'out')));
  });
}

test('writeProject() follows no link that is there already', async () => {
  const project = join(root, 'project');
  await writeProject(project, new Map([['a', '']]));
  await writeFile(join(root, 'outside'), 'kept');
  await symlink(root, join(project, 'directory'));
  await symlink(join(root, 'outside'), join(project, 'file'));
  await assert.rejects(writeProject(project, new Map([['directory/x', '']])), /leads out/);
  await writeProject(project, new Map([['file', 'new']]));
  assert.equal(await readFile(join(root, 'outside'), 'utf8'), 'kept');
  assert.equal(await readFile(join(project, 'file'), 'utf8'), 'new');
});

test('assertWritable() wants an empty directory, or none, or to be forced', async () => {
  await assertWritable(root, false);
  await assertWritable(join(root, 'none'), false);
  await writeFile(join(root, 'file'), '');
  await assert.rejects(assertWritable(root, false), /found 1 files, expected it to be empty/);
  await assertWritable(root, true);
});
