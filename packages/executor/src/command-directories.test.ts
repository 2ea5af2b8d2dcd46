import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { type Logger, seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import { waitUntil } from '../test/process-harness.ts';
import { revisionFixture } from '../test/revision-fixture.ts';
import { CommandDirectories } from './command-directories.ts';
import type { Instance } from './executor.ts';
import { limits } from './limits.ts';
import { createMemoryExecutor, type MemoryExecutor } from './memory-executor.ts';

interface Bench {
  readonly root: string;
  /** Of the artifact. */
  readonly source: string;
  /** Of all copies. */
  readonly copies: string;
  readonly clock: VirtualClock;
  readonly executor: MemoryExecutor;
  readonly directories: CommandDirectories;
  instance(): Instance;
}

async function createBench(t: TestContext, logger: Logger = silentLogger): Promise<Bench> {
  const root = mkdtempSync(join(tmpdir(), 'command-directories-'));
  const [source, copies] = [join(root, 'artifact', 'source'), join(root, 'exec')];
  mkdirSync(join(source, 'lib'), { recursive: true });
  writeFileSync(join(source, 'lib', 'a.js'), 'original', { mode: 0o444 });
  mkdirSync(join(root, 'dependencies', 'node_modules', 'one'), { recursive: true });
  writeFileSync(join(root, 'dependencies', 'node_modules', 'one', 'index.js'), 'package');
  symlinkSync('../../dependencies/node_modules', join(source, 'node_modules'));
  mkdirSync(join(copies, 'left-by-a-killed-process'), { recursive: true });
  const clock = new VirtualClock();
  const executor = createMemoryExecutor({ clock, random: seededRandom(1) });
  const directories = new CommandDirectories({ directory: copies, executor, clock, logger });
  executor.ensure(revisionFixture({ sourceDirectory: source }), 1);
  await clock.advance(1);
  t.after(async () => {
    await directories.close();
    rmSync(root, { recursive: true, force: true });
  });
  const instance = (): Instance => {
    const [first] = executor.instances();
    assert.ok(first !== undefined);
    return first;
  };
  return { root, source, copies, clock, executor, directories, instance };
}

it('of() gives an Instance a copy of its sources, with their packages, that can be written', async (t) => {
  const { source, directories, instance } = await createBench(t);
  const [path, again] = await Promise.all([directories.of(instance()), directories.of(instance())]);
  assert.equal(path, again);
  assert.equal(readFileSync(join(path, 'node_modules/one/index.js'), 'utf8'), 'package');
  writeFileSync(join(path, 'lib', 'a.js'), 'changed');
  assert.equal(readFileSync(join(source, 'lib', 'a.js'), 'utf8'), 'original');
});

it('two Instances of a Revision do not see what commands wrote beside the other', async (t) => {
  const { source, clock, executor, directories } = await createBench(t);
  executor.ensure(revisionFixture({ sourceDirectory: source }), 2);
  await clock.advance(1);
  const [one, two] = await Promise.all(executor.instances().map((each) => directories.of(each)));
  assert.ok(one !== undefined && two !== undefined);
  writeFileSync(join(one, 'new'), '');
  assert.equal(existsSync(join(two, 'new')), false);
});

it('the copy goes with the process of its Instance; packages and sources stay', async (t) => {
  const { root, source, clock, executor, directories, instance } = await createBench(t);
  const path = await directories.of(instance());
  executor.crash(instance().id);
  await waitUntil(() => !existsSync(path));
  await clock.advance(1);
  const next = await directories.of(instance());
  assert.notEqual(next, path);
  executor.ensure(revisionFixture({ sourceDirectory: source }), 0);
  await clock.advance(10_000);
  await waitUntil(() => !existsSync(next));
  assert.ok(existsSync(join(root, 'dependencies/node_modules/one/index.js')));
  assert.ok(existsSync(join(source, 'lib/a.js')));
});

it('an Instance that ends while it is copied leaves nothing', async (t) => {
  const { copies, executor, directories, instance } = await createBench(t);
  const copy = directories.of(instance());
  executor.crash(instance().id);
  const path = await copy;
  await waitUntil(() => !existsSync(path));
  assert.deepEqual(readdirSync(copies), ['package.json']);
});

it('a copy that failed is tried again, and leaves nothing', async (t) => {
  const { source, copies, directories, instance } = await createBench(t);
  symlinkSync('nowhere', join(source, 'broken'));
  await assert.rejects(directories.of(instance()), { code: 'ENOENT' });
  assert.deepEqual(readdirSync(copies), ['package.json']);
  rmSync(join(source, 'broken'));
  assert.ok(existsSync(await directories.of(instance())));
});

it('what a killed process left is removed at the start, everything at the end', async (t) => {
  const { copies, directories, instance } = await createBench(t);
  assert.equal(existsSync(copies), false);
  await directories.of(instance());
  await directories.close();
  assert.equal(existsSync(copies), false);
});

it('guard() tells once that a directory holds too much, and only while a command runs', async (t) => {
  const { clock, directories, instance } = await createBench(t);
  const path = await directories.of(instance());
  const running = new AbortController();
  let told = 0;
  directories.guard(path, running.signal, () => told++);
  const ended = new AbortController();
  directories.guard(path, ended.signal, () => assert.fail('nobody runs'));
  ended.abort();
  assert.equal(clock.timers, 1);
  const file = join(path, 'lib', 'a.js');
  chmodSync(file, 0o644);
  truncateSync(file, limits.commandDirectoryBytesMax / 2);
  await clock.advance(limits.commandDirectoryLookMs);
  await waitUntil(() => clock.timers === 1);
  assert.equal(told, 0);
  truncateSync(file, limits.commandDirectoryBytesMax + 1);
  await clock.advance(limits.commandDirectoryLookMs);
  await waitUntil(() => told === 1);
  assert.equal(clock.timers, 0);
});
