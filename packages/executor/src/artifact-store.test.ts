import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { silentLogger } from '@fnlet/base';
import { type ArtifactStore, createArtifactStore } from './artifact-store.ts';
import type { DependencyInstaller } from './dependency-installer.ts';

interface Bench extends Disposable {
  readonly root: string;
  readonly store: ArtifactStore;
  readonly installs: unknown[];
  reopen(): ArtifactStore;
}

function createBench(folder = 'node_modules'): Bench {
  const root = mkdtempSync(join(tmpdir(), 'artifact-test-'));
  const installed = join(root, 'dependencies', 'one');
  const installs: unknown[] = [];
  const dependencies: DependencyInstaller = {
    async install(source) {
      installs.push(source);
      mkdirSync(join(installed, folder), { recursive: true });
      return installed;
    },
    restored: () => Promise.resolve(undefined),
    async sweep(keep) {
      if (!keep.has(installed)) rmSync(installed, { recursive: true, force: true });
    },
  };
  const reopen = (): ArtifactStore =>
    createArtifactStore({ directory: join(root, 'artifacts'), dependencies, logger: silentLogger });
  return {
    root,
    installs,
    store: reopen(),
    reopen,
    [Symbol.dispose]: () => rmSync(root, { recursive: true }),
  };
}

const { signal } = new AbortController();

it('prepare() keeps files byte for byte', async () => {
  using bench = createBench();
  const files = {
    'handler.js': 'exports.main = () => "$(HOME) $$ `ls` \\u0000 ü\r\n\t";',
    'lib/deep/data.txt': '',
    'types.d.ts': 'export declare const a: number;',
    __proto__: 'not special',
  };
  const { directory } = await bench.store.prepare({ files }, { signal });
  for (const [path, content] of Object.entries(files)) {
    assert.equal(readFileSync(join(directory, path), 'utf8'), content);
  }
  assert.ok(!existsSync(join(directory, 'package.json')));
});

it('prepare() turns TypeScript into JavaScript and keeps positions', async () => {
  using bench = createBench();
  const files = { 'a.ts': 'export const a: number = 1;', 'b.mts': 'export enum B { One }' };
  const { directory } = await bench.store.prepare({ files }, { signal });
  const text = (path: string): string => readFileSync(join(directory, path), 'utf8');
  assert.equal(text('a.ts'), 'export const a         = 1;');
  assert.match(text('b.mts'), /export var B[\s\S]*sourceMappingURL=data:/);
});

it('prepare() tells file, line and column of a syntax error, and leaves nothing', async () => {
  using bench = createBench();
  const files = { 'lib/a.ts': 'const a = 1;\nconst b: = 2;\n' };
  await assert.rejects(bench.store.prepare({ files }, { signal }), {
    code: 'SyntaxError',
    file: 'lib/a.ts',
    line: 2,
    column: 10,
  });
  assert.deepEqual(readdirSync(join(bench.root, 'artifacts')), []);
});

it('equal sources share a directory, made once, even at the same time', async () => {
  using bench = createBench();
  const source = { files: { 'a.js': '1' }, dependencies: '{"lodash": "^4"}' };
  const made = await Promise.all([1, 2, 3].map(() => bench.store.prepare(source, { signal })));
  assert.equal(new Set(made.map(({ directory }) => directory)).size, 1);
  assert.equal(bench.installs.length, 1);
  await bench.reopen().prepare(source, { signal });
  assert.equal(bench.installs.length, 1);
  const other = await bench.store.prepare({ files: { 'a.js': '2' } }, { signal });
  assert.notEqual(other.digest, made[0]?.digest);
});

it('prepare() links the dependencies, and writes a whole package.json', async () => {
  using bench = createBench();
  const dependencies = '{"type": "module", "dependencies": {"lodash": "^4"}}';
  const source = { files: { 'a.js': '1' }, dependencies };
  const { directory } = await bench.store.prepare(source, { signal });
  assert.ok(existsSync(join(directory, 'node_modules')));
  assert.equal(readFileSync(join(directory, 'package.json'), 'utf8'), dependencies);
});

it('prepare() takes the package.json and the lock among the files', async () => {
  using bench = createBench();
  const files = {
    'package.json': '{"dependencies": {"lodash": "^4"}}',
    'package-lock.json': '{"lockfileVersion": 3}',
  };
  await bench.store.prepare({ files }, { signal });
  assert.deepEqual(bench.installs, [
    {
      manifest: {
        dependencies: { lodash: '^4' },
        optionalDependencies: {},
        devDependencies: {},
        peerDependencies: {},
        overrides: {},
      },
      lock: files['package-lock.json'],
      npmrc: undefined,
      node: undefined,
      allowInstallScripts: undefined,
    },
  ]);
});

for (const life of ['of a later life', 'of the same life'] as const) {
  it(`prepare() ${life} makes a damaged artifact again`, async () => {
    using bench = createBench();
    const source = { files: { 'a.js': 'whole', 'b.js': 'kept' } };
    const { directory } = await bench.store.prepare(source, { signal });
    const store = life === 'of the same life' ? bench.store : bench.reopen();
    await store.prepare(source, { signal });
    const file = join(directory, 'a.js');
    // As long as before, and as old: only the time of its last change tells.
    const { atime, mtime, ctimeMs } = statSync(file);
    chmodSync(file, 0o644);
    writeFileSync(file, 'wrong');
    // The clock of file systems is coarse.
    do utimesSync(file, atime, mtime);
    while (statSync(file).ctimeMs === ctimeMs);
    await store.prepare(source, { signal });
    assert.equal(readFileSync(file, 'utf8'), 'whole');
    rmSync(file);
    await store.prepare(source, { signal });
    assert.equal(readFileSync(file, 'utf8'), 'whole');
  });
}

it('prepare() leaves an artifact alone that was only touched', async () => {
  using bench = createBench();
  const source = { files: { 'a.js': 'whole' } };
  const { directory } = await bench.store.prepare(source, { signal });
  await bench.store.prepare(source, { signal });
  const file = join(directory, 'a.js');
  const { ino } = statSync(file);
  utimesSync(file, 0, 0);
  await bench.store.prepare(source, { signal });
  assert.equal(statSync(file).ino, ino);
});

it('the files of an artifact can be read, not written', async () => {
  using bench = createBench();
  const { directory } = await bench.store.prepare({ files: { 'a.js': '' } }, { signal });
  assert.equal(statSync(join(directory, 'a.js')).mode & 0o222, 0);
});

it('prepare() installs again when the dependencies were lost', async () => {
  using bench = createBench();
  const source = { files: {}, dependencies: '{"lodash": "^4"}' };
  await bench.store.prepare(source, { signal });
  rmSync(join(bench.root, 'dependencies'), { recursive: true });
  const { directory } = await bench.store.prepare(source, { signal });
  assert.ok(existsSync(join(directory, 'node_modules')));
});

it('a directory that was left half written is removed at the next start', async () => {
  using bench = createBench();
  mkdirSync(join(bench.root, 'artifacts', 'staging-abc'));
  bench.reopen();
  assert.deepEqual(readdirSync(join(bench.root, 'artifacts')), []);
});

it('sweep() removes what is not kept, and dependencies that nobody uses', async () => {
  using bench = createBench();
  const { store, root } = bench;
  const dependencies = '{"lodash": "^4"}';
  const kept = await store.prepare({ files: { 'a.js': '1' }, dependencies }, { signal });
  const other = await store.prepare({ files: { 'a.js': '2' } }, { signal });
  await store.sweep(new Set([kept.digest]));
  assert.ok(store.has(kept.digest) && !store.has(other.digest));
  assert.ok(existsSync(join(root, 'dependencies', 'one')));
  await store.sweep(new Set());
  assert.ok(!existsSync(join(root, 'dependencies', 'one')));
});

it('prepare() reads requirements.txt for Python, and leaves TypeScript and package.json alone', async () => {
  using bench = createBench('site-packages');
  const python = { name: 'python3.12', program: '/usr/bin/python3.12' };
  const typescript = 'const a: number = 1;';
  const files = {
    'handler.py': 'import requests',
    'requirements.txt': 'requests>=2 # soon\n',
    'package.json': '{"dependencies": {"lodash": "4"}}',
    'web/app.ts': typescript,
  };
  const { directory, digest } = await bench.store.prepare({ files, python }, { signal });
  const requirements = { text: 'requests>=2\n', isLocked: false };
  assert.deepEqual(bench.installs, [
    { requirements, python, pipConf: undefined, allowInstallScripts: undefined },
  ]);
  assert.ok(existsSync(join(directory, 'site-packages')));
  assert.ok(!existsSync(join(directory, 'node_modules')));
  assert.equal(readFileSync(join(directory, 'web/app.ts'), 'utf8'), typescript);
  const other = { name: 'python3.13', program: '/usr/bin/python3.13' };
  const elsewhere = await bench.store.prepare({ files, python: other }, { signal });
  assert.notEqual(elsewhere.digest, digest);
  const broken = { ...files, 'requirements.txt': 'requests\n-r more.txt\n' };
  await assert.rejects(bench.store.prepare({ files: broken, python }, { signal }), {
    code: 'BrokenManifest',
    file: 'requirements.txt',
    line: 2,
  });
  await bench.store.sweep(new Set([digest]));
  assert.ok(existsSync(join(directory, 'site-packages')));
});

it('prepare() refuses files where the dependencies go', async () => {
  using bench = createBench();
  const source = { files: { 'node_modules/a/index.js': '' }, dependencies: '{"lodash": "^4"}' };
  await assert.rejects(bench.store.prepare(source, { signal }), { code: 'InvalidFileName' });
});
