import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatObjectKey, objectKey } from '@fnlet/machinery';
import {
  type ConfigMap,
  configMap,
  configMapType,
  EmbeddedApi,
  runManager,
} from '../../test/embedded-api.ts';

const key = { namespace: 'default', name: 'a' };
const watches = 'WATCH /api/v1/configmaps';

test('however many read a kind, there is one watch, which keeps what any of them needs', async () => {
  await using api = await EmbeddedApi.open();
  await api.client.of<ConfigMap>(configMapType).create(configMap('a', { x: '1', y: '2', z: '3' }));
  const manager = api.manager();
  const caches = ['data.x', 'data.y'].map((path) =>
    manager.cache<ConfigMap>(configMapType, { keep: [path] }),
  );
  const stop = await runManager(api, manager);
  for (const cache of caches) assert.deepEqual(cache.get(key)?.data, { x: '1', y: '2' });
  assert.equal(api.requests.filter((line) => line === watches).length, 1);
  assert.equal(manager.caches.length, 1);
  await stop();
});

test('each user searches by indexes of its own, whatever they are called', async () => {
  await using api = await EmbeddedApi.open();
  for (const name of ['a', 'b']) {
    await api.client.of(configMapType).create(configMap(name, { x: `${name}-x`, y: `${name}-y` }));
  }
  const manager = api.manager();
  const [byX, byY] = ['x', 'y'].map((field) =>
    manager.cache<ConfigMap>(configMapType, {
      indexes: { content: ({ data }) => [data?.[field] ?? ''] },
    }),
  );
  const stop = await runManager(api, manager);
  assert.deepEqual(byX?.byIndex('content', 'b-x').map(objectKey), [{ ...key, name: 'b' }]);
  assert.deepEqual(byY?.byIndex('content', 'a-y').map(objectKey), [key]);
  assert.deepEqual(byY?.byIndex('content', 'a-x'), []);
  assert.throws(() => byX?.byIndex('other', ''), /index "other" was declared for configmaps/);
  await stop();
});

test('who needs more while it runs gets it, and nobody is told what is no news', async () => {
  await using api = await EmbeddedApi.open();
  const client = api.client.of<ConfigMap>(configMapType);
  await client.create(configMap('a', { x: '1', y: '2' }));
  const manager = api.manager();
  const narrow = manager.cache<ConfigMap>(configMapType, { keep: ['data.x'] });
  const stop = await runManager(api, manager);
  const told: string[] = [];
  narrow.subscribe(({ kind, object }) =>
    told.push(`${kind} ${formatObjectKey(objectKey(object))}`),
  );
  const wide = manager.cache<ConfigMap>(configMapType, { keep: ['data.y'] });
  assert.deepEqual(wide.get(key)?.data, { x: '1' }, 'until it is synced, what is known');
  await wide.synced;
  assert.deepEqual(wide.get(key)?.data, { x: '1', y: '2' });
  assert.equal(api.requests.filter((line) => line === watches).length, 2);
  await client.create(configMap('b'));
  await api.clock.advance(10);
  assert.deepEqual(told, ['added default/a', 'added default/b']);
  assert.equal(wide.list().length, 2);
  await stop();
  assert.equal(api.clock.timers, 0, 'nothing of the first watch is left');
});

test('who needs no more than is kept shares it at once', async () => {
  await using api = await EmbeddedApi.open();
  const manager = api.manager();
  manager.cache<ConfigMap>(configMapType);
  const stop = await runManager(api, manager);
  const later = manager.cache<ConfigMap>(configMapType);
  await later.synced;
  assert.equal(api.requests.length, 1);
  await stop();
});

test('what is written while a wider watch begins is in both', async () => {
  await using api = await EmbeddedApi.open();
  const manager = api.manager();
  const narrow = manager.cache<ConfigMap>(configMapType, { keep: ['data.x'] });
  const stop = await runManager(api, manager);
  const wide = manager.cache<ConfigMap>(configMapType);
  await manager.client.of<ConfigMap>(configMapType).create(configMap('a', { x: '1', y: '2' }));
  assert.deepEqual(narrow.get(key)?.data, { x: '1' });
  await wide.synced;
  assert.deepEqual(narrow.get(key)?.data, { x: '1', y: '2' });
  await stop();
});

test('a cache ends with the last of its users', async () => {
  await using api = await EmbeddedApi.open();
  const manager = api.manager();
  const [first, second] = [manager.openCache(configMapType), manager.openCache(configMapType)];
  const stop = await runManager(api, manager);
  first.close();
  first.close();
  assert.equal(manager.caches.length, 1);
  second.close();
  assert.equal(manager.caches.length, 0);
  await api.clock.advance(10);
  assert.equal(api.clock.timers, 0);
  const again = manager.cache(configMapType);
  await again.synced;
  assert.equal(api.requests.length, 2);
  await stop();
});

test('a listener that throws is no trouble for the others', async () => {
  await using api = await EmbeddedApi.open();
  const manager = api.manager();
  const cache = manager.cache(configMapType);
  const told: string[] = [];
  cache.subscribe(() => {
    throw new Error('mine');
  });
  cache.subscribe(({ kind }) => told.push(kind));
  const stop = await runManager(api, manager);
  await api.client.of(configMapType).create(configMap('a'));
  await api.clock.advance(10);
  assert.deepEqual(told, ['added']);
  await stop();
});
