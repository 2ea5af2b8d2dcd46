import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type OperatorTest, testOperator } from 'fnlet/testing';
import gitRepositories, { GitRepository } from './git-repositories.ts';

let root: string;
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'git-root-'));
  process.env.GIT_ROOT = root;
});
after(() => rm(root, { recursive: true, force: true }));

async function start(): Promise<OperatorTest> {
  // A run that still writes its files when everything is run once more would count as two.
  const t = await testOperator(gitRepositories, { twice: false });
  await t.create(GitRepository, { metadata: { name: 'web' }, spec: { description: 'Pages' } });
  await t.settle();
  return t;
}

function textOf(file: string): Promise<string | undefined> {
  return readFile(join(root, 'default/web.git', file), 'utf8').catch(() => undefined);
}

/** The clock stands still while files are written, but that takes a moment of its own. */
async function textIs(t: OperatorTest, file: string, text: string | undefined): Promise<void> {
  for (let turn = 0; turn < 1_000 && (await textOf(file)) !== text; turn++) await t.settle();
  assert.equal(await textOf(file), text);
  await t.settle();
}

test('a repository is made, changed, and removed with its object', async () => {
  await using t = await start();
  await textIs(t, 'HEAD', 'ref: refs/heads/main\n');
  assert.equal(await textOf('description'), 'Pages\n');
  await t.patch(GitRepository, 'web', { spec: { branch: 'trunk' } });
  await textIs(t, 'HEAD', 'ref: refs/heads/trunk\n');
  await t.delete(GitRepository, 'web');
  await textIs(t, 'HEAD', undefined);
  for (let turn = 0; turn < 1_000 && (await t.list(GitRepository)).length > 0; turn++) {
    await t.settle();
  }
  assert.deepEqual(await t.list(GitRepository), []);
});

test('what somebody changes there is put right within the hour', async () => {
  await using t = await start();
  await textIs(t, 'HEAD', 'ref: refs/heads/main\n');
  await writeFile(join(root, 'default/web.git/HEAD'), 'ref: refs/heads/other\n');
  await t.tick('61m');
  await textIs(t, 'HEAD', 'ref: refs/heads/main\n');
});
