import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import type { VolumeFile } from './container-runtime.ts';
import { createMountDirectories, type MountDirectories } from './mount-directories.ts';

const root = mkdtempSync(join(tmpdir(), 'mount-directories-'));
let directories: MountDirectories;

beforeEach(() => {
  directories = createMountDirectories(root);
});

after(() => rmSync(root, { recursive: true, force: true }));

function file(path: string, text: string, mode = 0o644): VolumeFile {
  return { path, content: Buffer.from(text), mode };
}

function visible(path: string): readonly string[] {
  return readdirSync(path).filter((name) => !name.startsWith('..'));
}

test('write() makes a directory hold these files and no others', async () => {
  const path = await directories.write('a/0', [file('one', '1'), file('deep/two', '2', 0o400)]);
  assert.deepEqual(visible(path), ['deep', 'one']);
  assert.equal(readFileSync(join(path, 'deep/two'), 'utf8'), '2');
  assert.equal(statSync(join(path, 'deep/two')).mode & 0o777, 0o400);
  await directories.write('a/0', [file('one', 'changed'), file('three', '3')]);
  assert.deepEqual(visible(path), ['one', 'three']);
  assert.equal(readFileSync(join(path, 'one'), 'utf8'), 'changed');
  await directories.write('a/0', []);
  assert.deepEqual(visible(path), []);
});

test('write() touches nothing when nothing changes', async () => {
  const path = await directories.write('a/0', [file('one', '1')]);
  const { ino } = statSync(join(path, 'one'));
  await directories.write('a/0', [file('one', '1')]);
  assert.equal(statSync(join(path, 'one')).ino, ino);
});

test('write() changes all files at once, whoever writes at the same time', async () => {
  const path = await directories.write('a/0', [file('one', '0'), file('two', '0')]);
  let ended = false;
  const writes = Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      directories.write('a/0', [file('one', `${n}`), file('two', `${n}`)]),
    ),
  ).then(() => {
    ended = true;
  });
  const states = new Set<string>();
  while (!ended) {
    // One state is read as a whole through the link that changes by a rename.
    const [present] = readdirSync(path).filter((name) => name === '..data');
    assert.equal(present, '..data');
    states.add(readFileSync(join(path, 'one'), 'utf8'));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await writes;
  assert.equal(readFileSync(join(path, 'two'), 'utf8'), '49');
  assert.ok(
    [...states].every((text) => text !== ''),
    'no file is ever half written',
  );
  assert.equal(readdirSync(path).filter((name) => /^\.\.\d/.test(name)).length, 1);
});

test('write() takes a Secret of a mebibyte', async () => {
  const path = await directories.write('a/0', [file('large', 'x'.repeat(1024 * 1024))]);
  assert.equal(statSync(join(path, 'large')).size, 1024 * 1024);
});

test('write() refuses files that lead outside, or in its way', async () => {
  for (const path of ['../x', 'a/../../x', '/etc/x', '..data', '..1/x', 'a//b', './a', '']) {
    await assert.rejects(directories.write('a/0', [file(path, '')]), { code: 'InvalidVolume' });
  }
});

test('remove() removes what is below a name, and nothing else', async () => {
  const first = await directories.write('a/0', [file('one', '1')]);
  const other = await directories.write('ab/0', [file('one', '1')]);
  await directories.remove('a');
  assert.throws(() => statSync(first), { code: 'ENOENT' });
  assert.ok(statSync(other).isDirectory());
  const again = await directories.write('a/0', [file('one', '1')]);
  assert.deepEqual(visible(again), ['one']);
});

test('nothing is left of an earlier life', async () => {
  await directories.write('a/0', [file('one', '1')]);
  createMountDirectories(root);
  assert.deepEqual(readdirSync(root), []);
});
