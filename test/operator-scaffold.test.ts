/** What `fnlet operator init` writes stands as written: its types are right, its tests pass. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Finished, runProgram } from './fnlet-process.ts';

const root = join(import.meta.dirname, '..');
const bin = join(root, 'node_modules', '.bin');

let cwd: string;
before(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'fnlet-scaffold-'));
  await symlink(join(root, 'node_modules'), join(cwd, 'node_modules'));
  const program = join(root, 'packages', 'cli', 'bin', 'fnlet.js');
  const { code, stderr } = await node(cwd, program, 'operator', 'init', 'greeting-cards');
  assert.equal(code, 0, stderr);
});
after(() => rm(cwd, { recursive: true, force: true }));

function node(directory: string, ...args: readonly string[]): Promise<Finished> {
  const { PATH = '', HOME = '' } = process.env;
  return runProgram(process.execPath, args, { cwd: directory, env: { PATH, HOME } });
}

test('the tests of a new operator pass, and a Node that knows no TypeScript is no excuse', async () => {
  const directory = join(cwd, 'greeting-cards');
  const { scripts } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
  // Without a pattern an old Node would find no test, and be content.
  assert.equal(scripts.test, 'node --test "**/*.test.ts"');
  const { code, stdout } = await node(directory, '--test', '**/*.test.ts');
  assert.equal(code, 0, stdout);
  assert.match(stdout, /a GreetingCards keeps its greeting in a ConfigMap/);
});

test('its types are right', async () => {
  const { PATH = '' } = process.env;
  const { code, stdout } = await runProgram(join(bin, 'tsc'), [], {
    cwd: join(cwd, 'greeting-cards'),
    env: { PATH: `${bin}:${PATH}` },
  });
  assert.equal(code, 0, stdout);
});
