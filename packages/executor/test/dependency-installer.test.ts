import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { createInstallBench, manifestOf } from './install-bench.ts';

// These run the real npm, on packages of this machine: no registry is asked.
const { signal } = new AbortController();
const noNpm = { PATH: '/nowhere' };

it('install() installs once; the second time needs no npm', async () => {
  await using bench = createInstallBench();
  const manifest = manifestOf({ greeting: bench.addPackage('greeting') });
  const lines: string[] = [];
  const onProgress = (line: string): void => {
    lines.push(line);
  };
  const installed = await bench.installer.install({ manifest }, { signal, onProgress });
  const index = join(installed, 'node_modules', 'greeting', 'index.js');
  assert.equal(readFileSync(index, 'utf8'), 'module.exports = "greeting";\n');
  assert.ok(lines.includes('Installing dependencies'));
  assert.deepEqual(readdirSync(bench.directory).length, 2);
  assert.equal(await bench.reopen(noNpm).install({ manifest }, { signal }), installed);
  // Without its directory it is installed again, as it was decided then.
  rmSync(installed, { recursive: true });
  lines.length = 0;
  assert.equal(await bench.installer.install({ manifest }, { signal, onProgress }), installed);
  assert.ok(existsSync(index));
  assert.ok(!lines.includes('Deciding on versions of dependencies'));
});

it('install() is shared by all who want the same at the same time', async () => {
  await using bench = createInstallBench();
  const manifest = manifestOf({ greeting: bench.addPackage('greeting') });
  const lines: string[] = [];
  const caller = {
    signal,
    onProgress(line: string): void {
      lines.push(line);
    },
  };
  const impatient = new AbortController();
  const installs = [1, 2].map(() => bench.installer.install({ manifest }, caller));
  const left = bench.installer.install({ manifest }, { signal: impatient.signal });
  impatient.abort();
  await assert.rejects(left, { name: 'AbortError' });
  const [first, second] = await Promise.all(installs);
  assert.equal(first, second);
  assert.equal(lines.filter((line) => line === 'Installing dependencies').length, 2);
});

it('install() takes a lock that was given', async () => {
  await using bench = createInstallBench();
  const version = bench.addPackage('greeting');
  const manifest = manifestOf({ greeting: version });
  await bench.installer.install({ manifest }, { signal });
  const [name = ''] = readdirSync(join(bench.directory, 'locks'));
  const lock = readFileSync(join(bench.directory, 'locks', name), 'utf8');
  rmSync(join(bench.directory, 'locks', name));
  const installed = await bench.installer.install({ manifest, lock }, { signal });
  assert.ok(existsSync(join(installed, 'node_modules', 'greeting')));
  const other = manifestOf({ greeting: version, farewell: bench.addPackage('farewell') });
  await assert.rejects(bench.installer.install({ manifest: other, lock }, { signal }), {
    code: 'InstallFailed',
    remedy: /package-lock\.json/,
  });
});

it('install() runs programs of packages only when that is allowed', async () => {
  await using bench = createInstallBench();
  const postinstall = "node -e \"fs.writeFileSync('ran', '')\"";
  const manifest = manifestOf({
    greeting: bench.addPackage('greeting', { scripts: { postinstall } }),
  });
  const quiet = await bench.installer.install({ manifest }, { signal });
  assert.ok(!existsSync(join(quiet, 'node_modules', 'greeting', 'ran')));
  const allowed = { manifest, allowInstallScripts: true };
  const loud = await bench.installer.install(allowed, { signal });
  assert.ok(existsSync(join(loud, 'node_modules', 'greeting', 'ran')));
});

it('install() has those programs run by the Node that the packages are for', async () => {
  await using bench = createInstallBench();
  const postinstall = 'node -e "fs.writeFileSync(\'ran\', String(process.env.WRAPPED))"';
  const manifest = manifestOf({
    greeting: bench.addPackage('greeting', { scripts: { postinstall } }),
  });
  const allowed = { manifest, allowInstallScripts: true };
  const program = join(bench.directory, 'other', 'node');
  mkdirSync(dirname(program));
  writeFileSync(program, `#!/bin/sh\nWRAPPED=yes exec ${process.execPath} "$@"\n`, { mode: 0o755 });
  const node = { name: 'nodejs22', program };
  const other = await bench.installer.install({ ...allowed, node }, { signal });
  assert.equal(readFileSync(join(other, 'node_modules', 'greeting', 'ran'), 'utf8'), 'yes');
  const own = { name: 'nodejs24', program: process.execPath };
  const installed = await bench.installer.install({ ...allowed, node: own }, { signal });
  assert.notEqual(installed, other);
  assert.equal(await bench.installer.install(allowed, { signal }), installed);
});

it('install() keeps no credentials and leaves no staging directory', async () => {
  await using bench = createInstallBench();
  const manifest = manifestOf({ greeting: bench.addPackage('greeting') });
  const npmrc = '//registry.example/:_authToken=secret\n';
  const installed = await bench.installer.install({ manifest, npmrc }, { signal });
  assert.ok(!existsSync(join(installed, '.npmrc')));
  assert.deepEqual(
    readdirSync(bench.directory).filter((name) => name.startsWith('staging-')),
    [],
  );
  // What was fetched with credentials is not for everybody.
  await assert.rejects(bench.reopen(noNpm).install({ manifest }, { signal }), {
    message: /npm was not found/,
  });
});

it('install() tells that a package cannot be found', async () => {
  await using bench = createInstallBench();
  const manifest = manifestOf({ greeting: `file:${bench.directory}/missing` });
  await assert.rejects(bench.installer.install({ manifest }, { signal }), {
    code: 'InstallFailed',
    message: /ENOENT/,
  });
});

it('install() tells that a registry cannot be reached', async () => {
  const registry = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  const address = registry.address();
  assert.ok(address !== null && typeof address === 'object');
  await using bench = createInstallBench();
  const npmrc = `registry=http://127.0.0.1:${address.port}/\n`;
  const manifest = manifestOf({ lodash: '^4' });
  await assert.rejects(bench.installer.install({ manifest, npmrc }, { signal }), {
    code: 'RegistryUnreachable',
    retry: 'later',
  });
  await new Promise((resolve) => registry.close(resolve));
});

it('install() is ended by its signal, npm included', async () => {
  const registry = createServer();
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  const address = registry.address();
  assert.ok(address !== null && typeof address === 'object');
  await using bench = createInstallBench();
  const npmrc = `registry=http://127.0.0.1:${address.port}/\n`;
  const abort = new AbortController();
  const install = bench.installer.install(
    { manifest: manifestOf({ lodash: '^4' }), npmrc },
    { signal: abort.signal },
  );
  const asked = new Promise<void>((resolve) => {
    // This registry never answers; that npm went away shows in the end of its connection, which
    // comes after what npm may have sent: so that is read.
    registry.on('connection', (socket) => {
      socket.once('close', () => resolve());
      socket.on('error', () => {});
      socket.resume();
      abort.abort();
    });
  });
  await assert.rejects(install, { name: 'AbortError' });
  await asked;
  await new Promise((resolve) => registry.close(resolve));
});

it('install() tells that npm is missing', async () => {
  await using bench = createInstallBench(noNpm);
  const manifest = manifestOf({ lodash: '^4' });
  const install = bench.installer.install({ manifest }, { signal });
  await assert.rejects(install, { code: 'InstallFailed', message: /npm was not found/ });
});

it('sweep() and the next start remove what is of no use', async () => {
  await using bench = createInstallBench(noNpm);
  for (const name of ['kept', 'other', 'staging-abc']) mkdirSync(join(bench.directory, name));
  const next = bench.reopen();
  assert.deepEqual(readdirSync(bench.directory).sort(), ['kept', 'locks', 'other']);
  await next.sweep(new Set([join(bench.directory, 'kept')]));
  assert.deepEqual(readdirSync(bench.directory).sort(), ['kept', 'locks']);
});

it('install() tells nobody the credentials, and keeps what they fetched apart', async () => {
  await using bench = createInstallBench();
  // A registry that says what it was given, as badly written ones do.
  const registry = createHttpServer((request, response) => {
    response.writeHead(403, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: `no entry for ${request.headers.authorization}` }));
  });
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  try {
    const address = registry.address();
    assert.ok(typeof address === 'object' && address !== null);
    const host = `127.0.0.1:${address.port}`;
    const npmrc = `registry=http://${host}/\n//${host}/:_authToken=hunter2hunter2\n`;
    const lines: string[] = [];
    const installing = bench.installer.install(
      { manifest: manifestOf({ secret: '1.0.0' }), npmrc },
      { signal, onProgress: (line) => lines.push(line) },
    );
    const error = await installing.then(() => undefined, String);
    const said = [error, ...lines].join('\n');
    assert.match(said, /no entry for Bearer \*\*\*/);
    assert.doesNotMatch(said, /hunter2/);
    assert.equal(readdirSync(join(bench.directory, 'private')).length, 1);
  } finally {
    registry.close();
    registry.closeAllConnections();
  }
});
