import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMemoryStore } from '@fnlet/store';
import { awaitFirstObject } from './first-object.ts';

const object = (name: string) => ({
  ...{ apiVersion: 'v1', kind: 'Pod' },
  metadata: { name, namespace: 'default' },
});

const podsAndJobs = [
  { group: '', plural: 'pods' },
  { group: 'batch', plural: 'jobs' },
];

test('awaitFirstObject() tells once of the first object that counts, and of no other', async () => {
  await using store = openMemoryStore();
  const put = (key: string, name: string): Promise<unknown> =>
    store.write([{ key, value: object(name), expected: undefined }]);
  let times = 0;
  awaitFirstObject(store, {
    types: podsAndJobs,
    matches: ({ metadata }) => metadata.name !== 'other',
    found: () => times++,
  });
  await put('objects/core/services/default/a', 'a');
  await put('objects/core/pods/default/other', 'other');
  assert.equal(times, 0);
  await put('objects/batch/jobs/default/a', 'a');
  await put('objects/core/pods/default/a', 'a');
  assert.equal(times, 1);
});

test('awaitFirstObject() tells at once when one is there, and nothing after its end', async () => {
  await using store = openMemoryStore();
  let times = 0;
  const wait = { types: podsAndJobs, matches: () => true, found: () => void times++ };
  awaitFirstObject(store, wait)();
  const key = 'objects/core/pods/default/a';
  await store.write([{ key, value: object('a'), expected: undefined }]);
  assert.equal(times, 0);
  awaitFirstObject(store, wait);
  assert.equal(times, 1);
});
