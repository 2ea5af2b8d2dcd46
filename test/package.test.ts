/** What npm would pack of the command and of every room that it needs: all that runs. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProgram } from './fnlet-process.ts';

const root = join(import.meta.dirname, '..');

interface Room {
  readonly name: string;
  readonly directory: string;
  readonly needs: readonly string[];
}

interface Packed {
  readonly name: string;
  readonly files: readonly { readonly path: string }[];
}

const rooms: readonly Room[] = [
  ...readdirSync(join(root, 'packages')).map((name) => join('packages', name)),
  join('runtimes', 'node'),
].map((directory) => {
  const { name, dependencies = {} } = JSON.parse(
    readFileSync(join(root, directory, 'package.json'), 'utf8'),
  );
  return { name, directory, needs: Object.keys(dependencies) };
});

/** A room and all that it needs. */
function closure(name: string, found = new Map<string, Room>()): ReadonlyMap<string, Room> {
  const room = rooms.find((other) => other.name === name);
  if (room === undefined || found.has(name)) return found;
  found.set(name, room);
  for (const needed of room.needs) closure(needed, found);
  return found;
}

/** The files of a room, without those that only its developers need. */
function filesThatRun(directory: string): string[] {
  return readdirSync(join(root, directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, directory).length + 1))
    .filter((path) => !/^(node_modules|dist|test|bench)\/|\.test\.ts$/.test(path));
}

test('npm packs everything that runs, data and the Runner included', async () => {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME };
  const needed = closure('fnlet');
  const args = [
    'pack',
    '--dry-run',
    '--json',
    ...[...needed.keys()].flatMap((name) => ['-w', name]),
  ];
  const { code, stdout, stderr } = await runProgram('npm', args, { cwd: root, env });
  assert.equal(code, 0, stderr);
  const packed: readonly Packed[] = JSON.parse(stdout);
  const missing = packed.flatMap(({ name, files }) => {
    const paths = new Set(files.map(({ path }) => path));
    const run = filesThatRun(needed.get(name)?.directory ?? '');
    return run.filter((path) => !paths.has(path)).map((path) => `${name}: ${path}`);
  });
  assert.deepEqual(missing, []);
  const all = packed.flatMap(({ name, files }) => files.map(({ path }) => `${name}/${path}`));
  for (const found of [
    '@fnlet/apiserver/src/builtins/facts/builtin-messages.json',
    '@fnlet/runtime-node/src/main.mjs',
    '@fnlet/runtime-node/rehearsal/web/handler.js',
    'fnlet/bin/fnlet.js',
    'fnlet/bin/kubeless.js',
  ]) {
    assert.ok(all.includes(found), found);
  }
});
