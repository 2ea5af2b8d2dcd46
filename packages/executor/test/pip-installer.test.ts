import assert from 'node:assert/strict';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { it } from 'node:test';
import { createPipBench, needsPip, requirementsOf } from './pip-bench.ts';

// These run the real pip, on wheels of this machine: no index is asked.
const { signal } = new AbortController();

function leftovers(directory: string): string[] {
  return readdirSync(directory).filter((name) => name.startsWith('staging-'));
}

it('install() installs what is needed once; the second time needs no pip', needsPip, async () => {
  await using bench = createPipBench();
  bench.addWheel('greeting', { version: '1.5', needs: 'words>=2' });
  bench.addWheel('greeting', { version: '2.0' });
  bench.addWheel('words', { version: '2.1' });
  const source = requirementsOf('# what we need\ngreeting<2  # not yet\n');
  const lines: string[] = [];
  const onProgress = (line: string): void => {
    lines.push(line);
  };
  const installed = await bench.installer.install(source, { signal, onProgress });
  const module = (name: string): string =>
    readFileSync(join(installed, 'site-packages', `${name}.py`), 'utf8');
  assert.deepEqual(
    [module('greeting'), module('words')],
    ["name = 'greeting 1.5'\n", "name = 'words 2.1'\n"],
  );
  assert.ok(existsSync(join(installed, 'site-packages', '__pycache__')));
  assert.ok(lines.some((line) => /^Collecting words/.test(line)) || lines.length > 2, `${lines}`);
  assert.deepEqual(leftovers(bench.directory), []);

  const nobody = { ...source, python: { ...source.python, program: '/nowhere' } };
  assert.equal(await bench.reopen({ PATH: '/nowhere' }).install(nobody, { signal }), installed);
  // Without its directory it is installed again, as it was decided then.
  bench.addWheel('words', { version: '2.2' });
  rmSync(installed, { recursive: true });
  lines.length = 0;
  assert.equal(await bench.installer.install(source, { signal, onProgress }), installed);
  assert.equal(module('words'), "name = 'words 2.1'\n");
  assert.ok(!lines.includes('Deciding on versions of dependencies'));
});

it('install() takes exactly what was decided on, by hash', needsPip, async () => {
  await using bench = createPipBench();
  bench.addWheel('greeting');
  const source = requirementsOf('greeting');
  const installed = await bench.installer.install(source, { signal });
  rmSync(installed, { recursive: true });
  const wheel = join(bench.wheels, 'greeting-1.0-py3-none-any.whl');
  writeFileSync(wheel, Buffer.concat([readFileSync(wheel), Buffer.from('more')]));
  await assert.rejects(bench.installer.install(source, { signal }), {
    code: 'InstallFailed',
    message: /DO NOT MATCH THE HASHES/,
    remedy: /lock it anew/,
  });
  assert.deepEqual(leftovers(bench.directory), []);
});

it('install() takes requirements with hashes as the lock that they are', needsPip, async () => {
  await using bench = createPipBench();
  bench.addWheel('greeting');
  await bench.installer.install(requirementsOf('greeting'), { signal });
  const locks = join(bench.directory, 'locks');
  const lock = readFileSync(join(locks, readdirSync(locks)[0] ?? ''), 'utf8');
  const [, hash = ''] = /(--hash=sha256:[\da-f]{64})/.exec(lock) ?? [];
  const locked = requirementsOf(`greeting==1.0 \\\n    ${hash}\n`);
  assert.equal(locked.requirements.isLocked, true);
  const installed = await bench.installer.install(locked, { signal });
  assert.ok(existsSync(join(installed, 'site-packages', 'greeting.py')));
  assert.equal(readdirSync(locks).length, 1);
});

it('install() tells that a package, or its version, is not there', needsPip, async () => {
  await using bench = createPipBench();
  bench.addWheel('greeting');
  for (const [text, name] of [
    ['nobody-has-this', 'nobody-has-this'],
    ['greeting>=7', 'greeting>=7'],
  ] as const) {
    await assert.rejects(bench.installer.install(requirementsOf(text), { signal }), {
      code: 'DependencyNotFound',
      message: new RegExp(`^Cannot find dependency "${name}": .*\n`),
    });
  }
  assert.deepEqual(leftovers(bench.directory), []);
});

it('install() tells of versions that contradict each other', needsPip, async () => {
  await using bench = createPipBench();
  bench.addWheel('greeting', { needs: 'words<2' });
  bench.addWheel('words', { version: '1.0' });
  bench.addWheel('words', { version: '2.0' });
  await assert.rejects(bench.installer.install(requirementsOf('greeting\nwords>=2'), { signal }), {
    code: 'InstallFailed',
    message: /greeting 1\.0 depends on words<2/,
    remedy: /contradict/,
  });
});

it('install() tells that a Python has no pip', needsPip, async () => {
  await using bench = createPipBench();
  const program = join(bench.wheels, 'python');
  writeFileSync(program, '#!/bin/sh\necho "$0: No module named pip" >&2\nexit 1\n');
  chmodSync(program, 0o755);
  const source = { ...requirementsOf('greeting'), python: { name: 'python3.11', program } };
  await assert.rejects(bench.installer.install(source, { signal }), {
    code: 'InstallFailed',
    message: /No module named pip/,
    remedy: /python3-pip.* uv/,
  });
});

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return `http://127.0.0.1:${address.port}/simple`;
}

it('install() tells that an index cannot be reached', needsPip, async () => {
  const index = createServer((socket) => socket.destroy());
  const url = await listening(index);
  await using bench = createPipBench({ PATH: '/usr/bin:/bin', PIP_INDEX_URL: url });
  await assert.rejects(bench.installer.install(requirementsOf('greeting'), { signal }), {
    code: 'RegistryUnreachable',
    retry: 'later',
  });
  await new Promise((resolve) => index.close(resolve));
});

it(
  'install() asks the index of a pip.conf, is ended by its signal, and keeps nothing',
  needsPip,
  async () => {
    const index = createServer();
    const url = await listening(index);
    await using bench = createPipBench();
    const abort = new AbortController();
    // This index never answers; that pip went away shows in the end of its connection.
    const asked = new Promise<string>((resolve) => {
      index.on('connection', (socket) => {
        let sent = '';
        socket.setEncoding('utf8').on('data', (text: string) => {
          sent += text;
          abort.abort();
        });
        socket.once('close', () => resolve(sent));
        socket.on('error', () => {});
      });
    });
    const pipConf = `[global]\nindex-url = ${url.replace('//', '//user:secret@')}\n`;
    const environment = { PATH: '/usr/bin:/bin' };
    const install = bench
      .reopen(environment)
      .install({ ...requirementsOf('greeting'), pipConf }, { signal: abort.signal });
    await assert.rejects(install, { name: 'AbortError' });
    assert.match(await asked, /^GET \/simple\/greeting\//);
    while (leftovers(bench.directory).length > 0) await new Promise((done) => setImmediate(done));
    await new Promise((resolve) => index.close(resolve));
  },
);
