import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@fnlet/machinery';
import { openMemoryLog } from '@fnlet/store/log';
import { ObjectIndex } from './object-index.ts';

function configMap(
  uid: string,
  size: number,
  annotations: Record<string, string> = {},
): KubeObject {
  const metadata = { name: uid, uid, resourceVersion: '1', annotations };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: 'x'.repeat(size) } };
}

async function open(): Promise<{ readonly index: ObjectIndex; readonly again: typeof open }> {
  const log = openMemoryLog();
  const reopen = async () => ({
    index: await ObjectIndex.open({ stream: (options) => log.stream('objects', options) }),
    again: reopen,
  });
  return reopen();
}

test('ObjectIndex keeps more objects at once than one append of the log takes', async () => {
  const { index, again } = await open();
  const objects = Array.from({ length: 40 }, (_, n) => configMap(`uid-${n}`, 500_000));
  await index.keep(objects);
  assert.deepEqual(await index.read('uid-39'), objects[39]);
  assert.equal([...(await again()).index.uids].length, 40);
});

test('ObjectIndex keeps of an object that is too large for the log its metadata', async () => {
  const { index } = await open();
  const large = configMap('large', 1_200_000, { of: 'a shop' });
  const annotated = configMap('annotated', 900_000, { text: 'x'.repeat(500_000) });
  await index.keep([large, annotated]);
  const { apiVersion, kind, metadata } = large;
  assert.deepEqual(await index.read('large'), { apiVersion, kind, metadata, truncated: true });
  const kept = await index.read('annotated');
  assert.deepEqual(kept?.metadata, { name: 'annotated', uid: 'annotated', resourceVersion: '1' });
  assert.equal(index.versionOf('large'), '1');
});

test('ObjectIndex keeps with each change that it was seen, but not with objects of lists', async () => {
  const { index, again } = await open();
  await index.keep([configMap('a', 1)]);
  assert.equal(index.seen, undefined);
  const changed = configMap('a', 2);
  const metadata = { ...changed.metadata, resourceVersion: '7' };
  await index.change({ ...changed, metadata });
  assert.deepEqual([index.seen, index.versionOf('a')], ['7', '7']);
  await index.remove('a', '8');
  const { index: reopened } = await again();
  assert.deepEqual([reopened.seen, [...reopened.uids]], ['8', []]);
  await reopened.clear();
  assert.equal((await again()).index.seen, undefined);
});
