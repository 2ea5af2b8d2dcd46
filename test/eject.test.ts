/** What fnlet eject refuses, and what its flags do. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type FnletProcess, startFnlet } from './fnlet-process.ts';

let directory: string;
let fnlet: FnletProcess;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fnlet-eject-'));
  fnlet = await startFnlet();
  await mkdir(join(directory, 'source'));
  await writeFile(join(directory, 'source', 'handler.js'), 'module.exports = () => "hi";');
  const secret = ['--from-literal', 'TOKEN=s3cret-value'];
  const { code, stderr } = await fnlet.cli([
    'deploy',
    'hello',
    join(directory, 'source'),
    ...secret,
  ]);
  assert.equal(code, 0, stderr);
});
after(async () => {
  await fnlet[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

test('the project has the name that --target-name says, and no value of a Secret', async () => {
  const project = join(directory, 'named');
  const flags = ['-d', project, '--target-name', 'mine'];
  const { code, stderr } = await fnlet.cli(['eject', 'hello', ...flags]);
  assert.equal(code, 0, stderr);
  const read = (path: string): Promise<string> => readFile(join(project, path), 'utf8');
  const deployment = await read('k8s/deployment.yaml');
  assert.match(deployment, /image: mine:1/);
  assert.match(deployment, /secret(KeyRef|Ref):/);
  assert.match(await read('k8s/service.yaml'), /app\.kubernetes\.io\/name: mine/);
  for (const path of ['k8s/deployment.yaml', 'function.json', 'README.md', 'Dockerfile']) {
    assert.doesNotMatch(await read(path), /s3cret-value/);
  }
});

test('files that are there stay, unless --force says otherwise', async () => {
  const project = join(directory, 'busy');
  await mkdir(project);
  await writeFile(join(project, 'README.md'), 'mine');
  const refused = await fnlet.cli(['eject', 'hello', '-d', project]);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /--force/);
  assert.equal(await readFile(join(project, 'README.md'), 'utf8'), 'mine');
  const forced = await fnlet.cli(['eject', 'hello', '-d', project, '--force']);
  assert.equal(forced.code, 0, forced.stderr);
  assert.match(await readFile(join(project, 'README.md'), 'utf8'), /^# hello/);
});

test('what cannot be ejected is told, and nothing is written', async () => {
  const project = join(directory, 'none');
  const refuse = async (args: readonly string[], exitCode: number, said: RegExp): Promise<void> => {
    const { code, stderr } = await fnlet.cli(['eject', ...args, '-d', project]);
    assert.equal(code, exitCode, stderr);
    assert.match(stderr, said);
    assert.ok(!existsSync(project));
  };
  await refuse(['nobody'], 3, /nobody/);
  await refuse(['hello', '--target-name', 'Not a name'], 2, /lower-case letters/);
  await writeFile(join(directory, 'source', 'words.bin'), Buffer.from([0xff, 0xfe, 0]));
  const { code, stderr } = await fnlet.cli(['deploy', 'uploaded', join(directory, 'source')]);
  assert.equal(code, 0, stderr);
  await refuse(['uploaded'], 1, /Cannot eject from an upload/);
});
