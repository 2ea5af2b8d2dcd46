import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ConfigMap,
  configMap,
  configMapType,
  EmbeddedApi,
  runManager,
} from '../test/embedded-api.ts';
import { createWriteThroughClient } from './write-through-client.ts';

const key = { namespace: 'default', name: 'a' };

test('every kind of write is seen at once, and its echo in the watch is no news', async () => {
  await using api = await EmbeddedApi.open();
  const manager = api.manager();
  const cache = manager.cache<ConfigMap>(configMapType);
  const stop = await runManager(api, manager);
  const told: string[] = [];
  cache.subscribe(({ kind, object }) => told.push(`${kind} ${object.data?.x}`));
  const client = manager.client.of<ConfigMap>(configMapType);
  const read = (): string | undefined => cache.get(key)?.data?.x;
  const created = await client.create(configMap('a', { x: 'create' }));
  assert.equal(read(), 'create');
  await client.update({ ...created, data: { x: 'update' } });
  assert.equal(read(), 'update');
  await client.patch(key, { type: 'merge', patch: { data: { x: 'patch' } } });
  assert.equal(read(), 'patch');
  await client.apply(configMap('a', { x: 'apply' }), { force: true });
  assert.equal(read(), 'apply');
  await api.clock.advance(1000);
  assert.deepEqual(told, ['added create', 'updated update', 'updated patch', 'updated apply']);
  await stop();
});

test('what is not written is not seen: a dry run, and a write that fails', async () => {
  await using api = await EmbeddedApi.open();
  const seen: string[] = [];
  const client = createWriteThroughClient(api.client, (_type, { metadata }) => {
    seen.push(metadata.name);
  }).of<ConfigMap>(configMapType);
  await client.create(configMap('dry'), { dryRun: true });
  await client.apply(configMap('dry'), { dryRun: true });
  await client.create(configMap('a'));
  await assert.rejects(client.create(configMap('a')), { code: 'AlreadyExists' });
  assert.deepEqual(seen, ['a']);
});

test('reads, deletions and what a write answers go through as they are', async () => {
  await using api = await EmbeddedApi.open();
  const client = api.manager().client.of<ConfigMap>(configMapType);
  const created = await client.create(configMap('a', { x: '1' }));
  assert.deepEqual(await client.get(key), created);
  assert.deepEqual((await client.list({ namespace: 'default' })).items, [created]);
  assert.deepEqual(await Array.fromAsync(client.listAll()), [created]);
  await client.delete(key);
  assert.equal(await client.tryGet(key), undefined);
});
