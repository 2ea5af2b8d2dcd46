import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { parseManifests, readManifests } from './read-manifests.ts';

const object = (name: string): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

async function namesOf(text: string): Promise<string[]> {
  return (await parseManifests(text, 'a file')).map(({ metadata }) => metadata.name);
}

test('parseManifests() reads documents and Lists, and nothing out of comments', async () => {
  const list = `{"apiVersion": "v1", "kind": "List", "items": [${object('b')}, ${object('c')}]}`;
  assert.deepEqual(await namesOf(`${object('a')}\n---\n# nothing\n---\n${list}`), ['a', 'b', 'c']);
});

test('parseManifests() says what is wrong with a document', async () => {
  await assert.rejects(namesOf('a: [1'), /^CliError: Cannot read "a file": Flow sequence/);
  await assert.rejects(namesOf('hello'), /found a document without apiVersion, kind and metadata/);
  await assert.rejects(namesOf('{"kind": "Function", "metadata": {}}'), { exitCode: 2 });
});

test('readManifests() reads files, directories and standard input in their order', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'fnlet-manifests-'));
  try {
    for (const name of ['b.yaml', 'a.json', 'notes.txt']) {
      await writeFile(join(directory, name), object(name.slice(0, 1)));
    }
    const context = { stdin: Readable.from([object('in')]), workingDirectory: directory };
    const found = await readManifests(['-', '.', 'b.yaml'], context);
    const names = found.map(({ metadata }) => metadata.name);
    assert.deepEqual(names, ['in', 'a', 'b', 'b']);
    await assert.rejects(readManifests(['missing.yaml'], context), { exitCode: 2 });
  } finally {
    await rm(directory, { recursive: true });
  }
});
