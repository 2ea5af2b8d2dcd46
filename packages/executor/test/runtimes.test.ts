/** Node releases that are fetched: a real npm, and a registry of this machine. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { silentLogger, systemClock } from '@fnlet/base';
import { createReaper } from '../src/reaper.ts';
import { createRuntimes, type Runtimes } from '../src/runtimes.ts';
import { type FakeRegistryOptions, startFakeRegistry } from './fake-registry.ts';

const { signal } = new AbortController();

const own = `nodejs${process.versions.node.split('.')[0]}`;

interface Bench extends AsyncDisposable {
  readonly directory: string;
  readonly runtimes: Runtimes;
  /** The runtimes of a process that starts later, with another registry. */
  reopen(registry: string): Runtimes;
}

function createBench(registry: string): Bench {
  const root = mkdtempSync(join(tmpdir(), 'runtimes-test-'));
  const directory = join(root, 'runtimes');
  const reaper = createReaper({ clock: systemClock, logger: silentLogger });
  const reopen = (npm_config_registry: string): Runtimes =>
    createRuntimes({
      directory,
      builtin: ['nodejs22', own],
      runners: { node: '/runner.mjs', python: [] },
      environment: {
        PATH: process.env.PATH,
        npm_execpath: process.env.npm_execpath,
        npm_config_cache: join(root, 'cache'),
        npm_config_registry,
      },
      reaper,
      clock: systemClock,
    });
  return {
    directory,
    runtimes: reopen(registry),
    reopen,
    async [Symbol.asyncDispose]() {
      await reaper.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

const platform = process.platform === 'win32' ? 'win' : process.platform;

const node22: FakeRegistryOptions = {
  name: `node-${platform}-${process.arch}`,
  version: '22.1.2',
  program: { path: 'bin/node', text: '#!/bin/sh\necho v22.1.2\n' },
};

const nobody = 'http://127.0.0.1:9/';

it('the own Node is there at once, and nothing is written for it', async () => {
  await using bench = createBench(nobody);
  assert.equal(bench.runtimes.look(own)?.state, 'own');
  assert.deepEqual(bench.runtimes.get(own)?.command, [process.execPath, '/runner.mjs']);
  await bench.runtimes.prepare(own, { signal });
  assert.ok(!existsSync(bench.directory));
});

it('another Node is fetched once, shown while it is, and there without the registry', async () => {
  await using registry = await startFakeRegistry(node22);
  await using bench = createBench(registry.url);
  const { runtimes } = bench;
  assert.deepEqual(runtimes.look('nodejs22'), { state: 'fetchable' });
  assert.equal(runtimes.get('nodejs22'), undefined);
  assert.equal(registry.asked(), 0);
  const lines: string[] = [];
  const caller = { signal, onProgress: (line: string) => lines.push(line) };
  await Promise.all([1, 2].map(() => runtimes.prepare('nodejs22', caller)));
  assert.deepEqual([...new Set(lines)], ['Fetching Node.js 22']);
  const [program = ''] = runtimes.get('nodejs22')?.command ?? [];
  assert.deepEqual(runtimes.look('nodejs22'), { state: 'fetched', program, version: '22.1.2' });
  const asked = registry.asked();
  const later = bench.reopen(nobody);
  assert.equal((await later.prepare('nodejs22', { signal })).command[0], program);
  assert.equal(registry.asked(), asked);
});

it('a registry that is away is told, and tried again by whoever asks again', async () => {
  await using registry = await startFakeRegistry(node22);
  await using bench = createBench(nobody);
  await assert.rejects(bench.runtimes.prepare('nodejs22', { signal }), {
    code: 'RegistryUnreachable',
    retry: 'later',
    message: /^Cannot fetch Node\.js 22 as package "node-.*": Cannot reach http:\/\/127\.0\.0\.1:9/,
    remedy: /network/,
  });
  assert.deepEqual(bench.runtimes.look('nodejs22'), { state: 'fetchable' });
  await bench.reopen(registry.url).prepare('nodejs22', { signal });
});

const broken: readonly (readonly [string, Partial<FakeRegistryOptions>, RegExp])[] = [
  ['whose bytes are others than promised', { mood: 'corrupt' }, /EINTEGRITY/],
  [
    'that does not run',
    { program: { path: 'bin/node', text: '#!/bin/sh\nexit 1\n' } },
    /Cannot use Node\.js 22 of package "node-.*": it says "Command failed.*, expected v22/,
  ],
  [
    'that is another release',
    { program: { path: 'bin/node', text: '#!/bin/sh\necho v18.0.0\n' } },
    /it says "v18\.0\.0", expected v22/,
  ],
  ['of which there is no such release', { version: '20.0.0' }, /node-.*@\^22/],
];

for (const [what, change, message] of broken) {
  it(`a package ${what} is not used, and leaves nothing behind`, async () => {
    await using registry = await startFakeRegistry({ ...node22, ...change });
    await using bench = createBench(registry.url);
    const preparing = bench.runtimes.prepare('nodejs22', { signal });
    await assert.rejects(preparing, { code: 'InstallFailed', message });
    assert.deepEqual(bench.runtimes.look('nodejs22'), { state: 'fetchable' });
    assert.equal(bench.runtimes.get('nodejs22'), undefined);
    const left = readdirSync(join(bench.directory, 'packages'));
    assert.deepEqual(
      left.filter((name) => name !== 'locks'),
      [],
    );
  });
}

it('a fetch that hangs ends with its last caller, npm included', async () => {
  await using registry = await startFakeRegistry({ ...node22, mood: 'silent' });
  await using bench = createBench(registry.url);
  const abort = new AbortController();
  const preparing = bench.runtimes.prepare('nodejs22', { signal: abort.signal });
  await registry.awaited;
  abort.abort();
  await assert.rejects(preparing, { name: 'AbortError' });
  assert.equal(bench.runtimes.get('nodejs22'), undefined);
});

it('a fetch that was killed leaves nothing in the way of the next process', async () => {
  await using registry = await startFakeRegistry(node22);
  await using bench = createBench(nobody);
  // What is left after a kill: a half of an installation, and a link to what a disk has lost.
  const packages = join(bench.directory, 'packages');
  mkdirSync(join(packages, 'staging-dead', 'node_modules'), { recursive: true });
  symlinkSync('packages/lost', join(bench.directory, 'nodejs22'));
  const next = bench.reopen(registry.url);
  assert.deepEqual(next.look('nodejs22'), { state: 'fetchable' });
  await next.prepare('nodejs22', { signal });
  assert.equal(next.look('nodejs22')?.version, '22.1.2');
  assert.ok(!existsSync(join(packages, 'staging-dead')));
});

it('a name that nobody knows is told', async () => {
  await using bench = createBench(nobody);
  assert.equal(bench.runtimes.look('cobol'), undefined);
  await assert.rejects(bench.runtimes.prepare('cobol', { signal }), { code: 'UnknownRuntime' });
});
