/**
 * The command runs from a bundle, which is never older than the sources. In a copy of the checkout,
 * whose files are edited.
 */
import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pythonRunnerArguments } from '@fnlet/executor';
import { runProgram } from './fnlet-process.ts';

const root = join(import.meta.dirname, '..');
const versionFile = 'packages/server/src/version.ts';

describe('the bundle of the command', () => {
  const copy = realpathSync(mkdtempSync(join(tmpdir(), 'fnlet-bundle-')));
  const at = (path: string): string => join(copy, path);
  const env = { PATH: process.env.PATH ?? '', NODE_DISABLE_COMPILE_CACHE: '1' };

  before(() => {
    const isCopied = (path: string): boolean => !/\/(node_modules|dist)$/.test(path);
    for (const part of ['packages', 'runtimes', 'tooling', 'package.json', 'package-lock.json']) {
      cpSync(join(root, part), at(part), { recursive: true, filter: isCopied });
    }
    linkModules();
  });
  after(() => rmSync(copy, { recursive: true }));

  /** The installed modules of this checkout, but the rooms of the copy. */
  function linkModules(): void {
    mkdirSync(at('node_modules/@fnlet'), { recursive: true });
    const others = (name: string): boolean => name !== '@fnlet' && name !== '.cache';
    for (const name of readdirSync(join(root, 'node_modules')).filter(others)) {
      symlinkSync(join(root, 'node_modules', name), at(`node_modules/${name}`));
    }
    for (const room of readdirSync(at('packages'))) {
      symlinkSync(at(`packages/${room}`), at(`node_modules/@fnlet/${room}`));
    }
    symlinkSync(at('runtimes/node'), at('node_modules/@fnlet/runtime-node'));
  }

  async function refreshBundle(): Promise<string> {
    const script = `await (await import('${at('tooling/bundle.mjs')}')).refreshBundle('${copy}')`;
    const { stderr } = await runProgram(process.execPath, ['-e', script], { env });
    assert.equal(stderr, '');
    const current: { build: string } = JSON.parse(
      readFileSync(at('packages/cli/dist/current.json'), 'utf8'),
    );
    return at(`packages/cli/dist/${current.build}/src`);
  }

  async function version(name = 'fnlet', word = '--version'): Promise<string> {
    const args = [at(`packages/cli/bin/${name}.js`), word];
    const { stdout, stderr } = await runProgram(process.execPath, args, { env });
    return stdout.trim() + stderr;
  }

  /** An edit that neither the size of the file nor the time of its contents tells. */
  function secretlyWrite(path: string, text: string): void {
    const { atime, mtime, size } = statSync(path);
    writeFileSync(path, text);
    utimesSync(path, atime, mtime);
    assert.equal(statSync(path).size, size);
  }

  function bundledText(directory: string, pattern: RegExp): string {
    const holds = (name: string): boolean =>
      name.endsWith('.js') && pattern.test(readFileSync(join(directory, name), 'utf8'));
    const name = readdirSync(directory).find(holds);
    assert.ok(name, `a file with ${pattern}`);
    return join(directory, name);
  }

  test('is the same build of the same sources, whoever makes it', async () => {
    const build = await refreshBundle();
    rmSync(at('packages/cli/dist'), { recursive: true });
    assert.equal(await refreshBundle(), build);
  });

  test('runs while no source was edited since, and not one command longer', async () => {
    const directory = await refreshBundle();
    assert.equal(await version(), '0.1.0');
    const bundled = bundledText(directory, /"0\.1\.0"/);
    writeFileSync(bundled, readFileSync(bundled, 'utf8').replace('"0.1.0"', '"bundled"'));
    assert.equal(await version(), 'bundled');
    assert.equal(await version('kubeless', 'version'), 'Kubeless version: fnlet bundled');

    const source = readFileSync(at(versionFile), 'utf8');
    secretlyWrite(at(versionFile), source.replace('0.1.0', '0.1.1'));
    assert.equal(await version(), '0.1.1');
  });

  test('is started by a Node that is too old for it, through the one that it brings', async () => {
    await refreshBundle();
    const old = `if (process.env.IS_OLD === '1') {
      process.env.IS_OLD = '0';
      delete process.getBuiltinModule;
      const versions = { ...process.versions, node: '18.20.8' };
      Object.defineProperty(process, 'versions', { value: versions });
    }`;
    const preload = `data:text/javascript,${encodeURIComponent(old)}`;
    const args = ['--import', preload, at('packages/cli/bin/fnlet.js'), '--version'];
    const oldEnv = { ...env, IS_OLD: '1' };
    const { stdout, stderr } = await runProgram(process.execPath, args, { env: oldEnv });
    assert.match(stdout + stderr, /^0\.1\.\d\n$/);
  });

  test('holds all that a start loads in a script for each step', async () => {
    const directory = await refreshBundle();
    const loaded = new Set(['fnlet', 'up', 'data-plane']);
    for (const name of loaded) {
      const text = readFileSync(join(directory, `${name}.script.js`), 'utf8');
      for (const [, needed = ''] of text.matchAll(/\$mport\.of\("\.\/([^"]+)\.js"\)/g)) {
        loaded.add(needed);
      }
    }
    const shared = ['data-plane-shared', 'up-shared'];
    assert.deepEqual([...loaded].sort(), ['data-plane', ...shared, 'fnlet', 'up'].sort());
  });

  test('starts an Instance with one script, too', async () => {
    const directory = await refreshBundle();
    const text = readFileSync(join(directory, 'main.mjs'), 'utf8');
    const imported = [...text.matchAll(/\bimport\b[^;]*?"([^"]+)"/g)].map(([, name]) => name);
    assert.deepEqual(imported, ['../../../bin/start-scripts.js']);
    assert.match(text, /new URL\("\.\/runner\.mjs"/);
    const runner = readFileSync(join(directory, 'runner.script.js'), 'utf8');
    assert.doesNotMatch(runner, /\$mport\.of\(/);
  });

  test('holds LMDB as one file, of the version that is installed', async () => {
    const directory = await refreshBundle();
    const { version } = JSON.parse(readFileSync(at('node_modules/lmdb/package.json'), 'utf8'));
    assert.ok(existsSync(join(directory, `lmdb@${version}.script.js`)));
  });

  describe('what V8 has compiled', () => {
    const kept = mkdtempSync(join(tmpdir(), 'fnlet-compiled-'));
    after(() => rmSync(kept, { recursive: true }));

    /** The files of `fnlet --version`, with their contents, after one more run of it. */
    async function keptAfterRun(): Promise<Map<string, Buffer>> {
      const args = [at('packages/cli/bin/fnlet.js'), '--version'];
      const ownEnv = { PATH: env.PATH, NODE_COMPILE_CACHE: kept };
      const { stdout, stderr } = await runProgram(process.execPath, args, { env: ownEnv });
      assert.match(stdout + stderr, /^0\.1\.\d\n$/);
      const files = readdirSync(kept, { recursive: true, withFileTypes: true }).filter((entry) =>
        /^[0-9a-f]{12}-/.test(entry.name),
      );
      const paths = files.map((entry) => join(entry.parentPath, entry.name));
      return new Map(paths.map((path) => [path, readFileSync(path)]));
    }

    test('is kept by two runs and found by the others', async () => {
      await refreshBundle();
      const [first, second, third] = [
        await keptAfterRun(),
        await keptAfterRun(),
        await keptAfterRun(),
      ];
      assert.deepEqual(
        [...first.keys()].map((path) => basename(path).slice(13)),
        ['fnlet-fnlet'],
      );
      assert.deepEqual(
        [first, second, third].map((files) => [...files.values()].map((bytes) => bytes[4])),
        [[1], [2], [2]],
      );
      // More than Node keeps of a module: what has run, and not only what was read.
      const [bytes] = [...third.values()];
      assert.ok(bytes !== undefined && bytes.length > 200_000, `${bytes?.length} bytes`);
    });

    test('is made anew where it is not what was written', async () => {
      const whole = await keptAfterRun();
      const damages = [
        (bytes: Buffer): Buffer => bytes.subarray(0, bytes.length / 2),
        (bytes: Buffer): Buffer => Buffer.alloc(bytes.length),
        (bytes: Buffer): Buffer => bytes.fill(0xff, 2_000, 2_100),
        (): Buffer => Buffer.alloc(0),
      ];
      for (const damage of damages) {
        for (const [path, bytes] of whole) writeFileSync(path, damage(Buffer.from(bytes)));
        const again = await keptAfterRun();
        assert.deepEqual([...again.keys()], [...whole.keys()]);
        assert.deepEqual(
          [...again.values()].map((bytes) => bytes[4]),
          [1],
        );
      }
    });
  });

  test('imports no module of Node while it starts: it would load all that one names', async () => {
    const directory = await refreshBundle();
    const shared = ['up-shared', 'data-plane-shared'];
    for (const name of ['fnlet', 'up', 'data-plane', ...shared]) {
      const text = readFileSync(join(directory, `${name}.script.js`), 'utf8');
      assert.doesNotMatch(text, /\bfrom\s*"node:|\.of\("node:/, name);
    }
  });

  test('holds the Python Runner where it is looked for', async () => {
    const directory = await refreshBundle();
    const runner = pythonRunnerArguments().at(-1) ?? '';
    const bundled = join(directory, '..', relative(root, runner));
    const modulesOf = (path: string): readonly string[] =>
      readdirSync(path, { encoding: 'utf8', recursive: true })
        .filter((name) => name.endsWith('.py'))
        .sort();
    const room = dirname(dirname(runner));
    const kept = modulesOf(room).filter((name) => !/^(test|unittests)\//.test(name));
    assert.deepEqual(modulesOf(dirname(dirname(bundled))), kept);
    assert.ok(readdirSync(join(dirname(bundled), '..', 'doors')).includes('fnlet'));
  });

  test('holds the SDK where the Runner finds it, and functions through it', async () => {
    const directory = await refreshBundle();
    const { resolve } = createRequire(join(directory, 'main.mjs'));
    const { exports: doors } = JSON.parse(readFileSync(at('packages/sdk/package.json'), 'utf8'));
    for (const door of Object.keys(doors)) {
      const file = resolve(join('@fnlet/sdk', door));
      assert.equal(dirname(file), join(directory, 'node_modules/@fnlet/sdk'));
      assert.notDeepEqual(Object.keys(await import(file)), []);
    }
  });

  test('is made anew after an edit, and only then', async () => {
    const directory = await refreshBundle();
    assert.match(readFileSync(bundledText(directory, /"0\.1\.1"/), 'utf8'), /fnletVersion/);
    const current = statSync(at('packages/cli/dist/current.json'));
    await refreshBundle();
    assert.equal(statSync(at('packages/cli/dist/current.json')).ctimeMs, current.ctimeMs);
  });

  test('tells the file and the line of the source where it fails', async () => {
    const broken = '\n\nexport const fnletVersion: string = globalThis.missing.length;\n';
    writeFileSync(at(versionFile), broken);
    await refreshBundle();
    const printed = await version();
    assert.ok(printed.includes(`${at(versionFile)}:3:`), printed);
    // Not a whole file of code in one line, behind which the stack is cut off.
    assert.ok(printed.length < 5_000, `${printed.length} characters`);
  });
});
