import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testStoreContract } from '../test/store-contract.ts';
import { openMemoryStore } from './memory-store.ts';

testStoreContract('openMemoryStore()', async (options) => openMemoryStore(options));

test('snapshot() keeps objects, history and counter, whatever happens to the store after it', async () => {
  await using store = openMemoryStore();
  await store.write([{ key: '/a', value: { n: 1 }, expected: 0 }]);
  const from = store.snapshot();
  await store.write([{ key: '/a', value: { n: 2 }, expected: undefined }]);
  await store.write([{ key: '/a', value: undefined, expected: undefined }]);
  for (let round = 0; round < 2; round++) {
    await using again = openMemoryStore({ from });
    assert.deepEqual(again.get('/a')?.value, { n: 1 });
    assert.equal(again.revision, from.revision);
    const [revision] = await again.write([{ key: '/b', value: { round }, expected: 0 }]);
    assert.equal(revision, from.revision + 1);
    const page = again.list('/', { atRevision: from.revision });
    assert.deepEqual(
      page.objects.map(({ key }) => key),
      ['/a'],
    );
  }
  assert.equal(store.get('/a'), undefined);
});
