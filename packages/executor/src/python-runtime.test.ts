import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { pythonRuntime } from './python-runtime.ts';
import type { RuntimeSource } from './runtime-source.ts';

const caller = { signal: new AbortController().signal, onProgress: () => {} };

/** A machine with nothing but what the test puts there. */
function createMachine(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'python-runtime-'));
  t.after(() => rmSync(root, { recursive: true }));
  const pathOf = (path: string): string => join(root, path);
  const add = (path: string, script: string): string => {
    mkdirSync(dirname(pathOf(path)), { recursive: true });
    writeFileSync(pathOf(path), `#!/bin/sh\n${script}\n`);
    chmodSync(pathOf(path), 0o755);
    return pathOf(path);
  };
  return {
    add,
    /** A Python that says that it is this release, and the program itself. */
    addPython: (path: string, release: string): string => add(path, `echo ${release}\necho "$0"`),
    link(path: string, target: string): void {
      mkdirSync(dirname(pathOf(path)), { recursive: true });
      symlinkSync(target, pathOf(path));
    },
    runtime(name: string, directories: readonly string[]): RuntimeSource {
      const path = directories.map(pathOf).join(delimiter);
      return pythonRuntime({ name, runner: ['/runner.py'], path });
    },
  };
}

it('prepare() takes the first program of that name on the path', async (t) => {
  const machine = createMachine(t);
  const first = machine.addPython('a/python3.12', 'python3.12');
  machine.addPython('b/python3.12', 'python3.12');
  const runtime = machine.runtime('python3.12', ['none', 'a', 'b']);
  assert.deepEqual(runtime.look(), { state: 'found', program: first, version: '3.12' });
  const { command } = await runtime.prepare(caller);
  assert.deepEqual(command, [first, '/runner.py']);
});

it('prepare() takes python3 when it is of that release', async (t) => {
  const machine = createMachine(t);
  const real = machine.addPython('opt/python3.13', 'python3.13');
  machine.link('bin/python3', real);
  const other = machine.runtime('python3.12', ['bin']);
  assert.deepEqual(other.look(), { state: 'absent' });
  const { command } = await machine.runtime('python3.13', ['bin']).prepare(caller);
  assert.match(command[0] ?? '', /python3$/);
});

it('prepare() looks behind the scripts of pyenv', async (t) => {
  const machine = createMachine(t);
  machine.add('pyenv/shims/python3.12', 'exit 127');
  const program = machine.addPython('pyenv/versions/3.12.1/bin/python3.12', 'python3.12');
  const runtime = machine.runtime('python3.12', ['pyenv/shims']);
  assert.equal(runtime.look().program, program);
  assert.equal((await runtime.prepare(caller)).command[0], program);
});

it('prepare() passes over a program that is not what its name says', async (t) => {
  const machine = createMachine(t);
  machine.addPython('a/python3.12', 'python3.11');
  machine.add('b/python3.12', 'exit 1');
  const program = machine.addPython('c/python3.12', 'python3.12');
  const runtime = machine.runtime('python3.12', ['a', 'b', 'c']);
  assert.equal((await runtime.prepare(caller)).command[0], program);
});

it('prepare() says what it found and what to do, and looks again the next time', async (t) => {
  const machine = createMachine(t);
  machine.addPython('bin/python3.11', 'python3.11');
  const runtime = machine.runtime('python3.14', ['bin']);
  await assert.rejects(runtime.prepare(caller), {
    code: 'RuntimeNotFound',
    retry: 'later',
    message: /^Cannot find python3\.14: found python3\.11 on the path.* "uv python install 3\.14"/,
  });
  const program = machine.addPython('bin/python3.14', 'python3.14');
  assert.equal((await runtime.prepare(caller)).command[0], program);
  rmSync(program);
  await assert.rejects(runtime.prepare(caller), { code: 'RuntimeNotFound' });
});

it('prepare() ends with whoever waits for it', async (t) => {
  const machine = createMachine(t);
  machine.add('bin/python3.12', 'exec sleep 60');
  const abort = new AbortController();
  const runtime = machine.runtime('python3.12', ['bin']);
  const preparing = runtime.prepare({ ...caller, signal: abort.signal });
  abort.abort();
  await assert.rejects(preparing, { name: 'AbortError' });
});
