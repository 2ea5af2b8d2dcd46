import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMemoryStore, type Store } from '@fnlet/store';
import { buildOf } from './build-name.ts';
import { KindsRecord } from './kinds-record.ts';

const place = (name: string): string =>
  `objects/apiextensions.k8s.io/customresourcedefinitions/${name}`;
const names = ['functions.fnlet.dev', 'triggers.fnlet.dev'];

async function write(store: Store, name: string, value: object | undefined): Promise<void> {
  await store.write([{ key: place(name), value: value && { ...value }, expected: undefined }]);
}

async function withDefinitions(run: (store: Store) => Promise<void>): Promise<void> {
  await using store = openMemoryStore();
  for (const name of names) await write(store, name, { name });
  await run(store);
}

const nothingToBring = async (): Promise<readonly string[]> => names;

test('a build that has looked after its definitions need not look again', () =>
  withDefinitions(async (store) => {
    const record = new KindsRecord({ store, build: 'one' });
    assert.equal(record.holds(), false);
    assert.equal(await record.note(nothingToBring), true);
    assert.equal(new KindsRecord({ store, build: 'one' }).holds(), true);
  }));

test('another build looks for itself, and one that has no name always', () =>
  withDefinitions(async (store) => {
    await new KindsRecord({ store, build: 'one' }).note(nothingToBring);
    assert.equal(new KindsRecord({ store, build: 'two' }).holds(), false);
    const sources = new KindsRecord({ store, build: undefined });
    assert.equal(await sources.note(nothingToBring), true);
    assert.equal(sources.holds(), false);
    assert.equal(new KindsRecord({ store, build: 'one' }).holds(), true);
  }));

test('a definition that was changed, deleted or made anew is looked after', () =>
  withDefinitions(async (store) => {
    const record = new KindsRecord({ store, build: 'one' });
    const [name = ''] = names;
    await record.note(nothingToBring);
    await write(store, name, { changed: true });
    assert.equal(record.holds(), false);
    await record.note(nothingToBring);
    assert.equal(record.holds(), true);
    await write(store, name, undefined);
    assert.equal(record.holds(), false);
    assert.equal(await record.note(nothingToBring), false, 'it is not there');
    await write(store, name, {});
    assert.equal(record.holds(), false);
  }));

test('definitions that were written while they were looked at are not noted', () =>
  withDefinitions(async (store) => {
    const record = new KindsRecord({ store, build: 'one' });
    const [name = ''] = names;
    const isNoted = await record.note(async () => {
      await write(store, name, { brought: true });
      return names;
    });
    assert.deepEqual([isNoted, record.holds()], [false, false]);
  }));

test('the name of a build stands in the URL of a bundle, and of nothing else', () => {
  assert.equal(buildOf('file:///x/packages/cli/dist/0123456789ab/src/up.js'), '0123456789ab');
  assert.equal(buildOf('file:///x/packages/server/src/build-name.ts'), undefined);
});
