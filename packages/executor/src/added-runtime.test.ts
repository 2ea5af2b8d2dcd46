import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { type AddedRuntime, addedRuntime } from './added-runtime.ts';
import type { RuntimeSource } from './runtime-source.ts';

const caller = { signal: new AbortController().signal, onProgress: () => {} };

function createMachine(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'added-runtime-'));
  t.after(() => rmSync(root, { recursive: true }));
  const program = join(root, 'ruby');
  const install = (): void => {
    writeFileSync(program, '#!/bin/sh\n');
    chmodSync(program, 0o755);
  };
  const runtime = (changes: Partial<AddedRuntime> = {}): RuntimeSource => {
    const added = { name: 'ruby', command: ['ruby', '-W0', 'lib/runner.rb', 'x'], ...changes };
    return addedRuntime(added, { directory: join(root, 'added'), path: root });
  };
  return { root, program, install, runtime };
}

const files = { 'lib/runner.rb': 'puts 1', 'x.rb': '' };

it('prepare() stores the files, and puts their paths into the command', async (t) => {
  const { program, install, runtime } = createMachine(t);
  install();
  const env = { GEM_PATH: '/gems' };
  const { command, ...rest } = await runtime({ files, env }).prepare(caller);
  const [first, option, runner = '', other] = command;
  assert.deepEqual([first, option, other], [program, '-W0', 'x']);
  assert.equal(readFileSync(runner, 'utf8'), 'puts 1');
  assert.deepEqual(rest, { name: 'ruby', env });
  const again = await runtime({ files, env }).prepare(caller);
  assert.deepEqual(again.command, command);
  const changed = await runtime({ files: { 'lib/runner.rb': 'puts 2' } }).prepare(caller);
  assert.notEqual(changed.command[2], runner);
});

it('prepare() says that the program is missing, and finds it once it is there', async (t) => {
  const { program, install, runtime } = createMachine(t);
  const ruby = runtime();
  assert.deepEqual(ruby.look(), { state: 'absent' });
  await assert.rejects(ruby.prepare(caller), {
    code: 'RuntimeNotFound',
    message: /program "ruby" of runtime "ruby"/,
  });
  install();
  assert.deepEqual(ruby.look(), { state: 'found', program });
  assert.equal((await ruby.prepare(caller)).command[0], program);
});

it('the path of its own environment is where the program is looked for', async (t) => {
  const { install, runtime } = createMachine(t);
  install();
  assert.equal(runtime({ env: { PATH: '/nowhere' } }).look().state, 'absent');
  assert.equal(runtime({ command: ['./ruby'] }).look().state, 'absent');
});

it('prepare() refuses files that would lie elsewhere', async (t) => {
  const { root, install, runtime } = createMachine(t);
  install();
  const outside = runtime({ files: { '../evil.rb': 'x' } });
  await assert.rejects(outside.prepare(caller), { code: 'InvalidFileName' });
  assert.ok(!existsSync(join(root, 'evil.rb')));
});
