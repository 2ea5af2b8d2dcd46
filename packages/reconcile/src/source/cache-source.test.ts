import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import type { Cache, CacheEvent } from '@fnlet/client';
import { type KubeObject, objectKey } from '@fnlet/machinery';
import { fromCache, toController } from './cache-source.ts';
import type { Enqueue } from './source.ts';

function owned(name: string, ownerName: string, owner: object = {}): KubeObject {
  const ownerReference = {
    apiVersion: 'fnlet.dev/v1alpha1',
    kind: 'Function',
    name: ownerName,
    uid: 'u',
    controller: true,
    ...owner,
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', ownerReferences: [ownerReference] },
  };
}

const functionKind = { group: 'fnlet.dev', kind: 'Function' };

test('toController() finds the controlling owner of the kind, whatever its version', () => {
  const map = toController(functionKind);
  const key = [{ namespace: 'default', name: 'hello' }];
  assert.deepEqual(map(owned('a', 'hello')), key);
  assert.deepEqual(map(owned('a', 'hello', { apiVersion: 'fnlet.dev/v2' })), key);
  assert.deepEqual(map(owned('a', 'hello', { controller: false })), []);
  assert.deepEqual(map(owned('a', 'hello', { kind: 'Other' })), []);
  assert.deepEqual(map(owned('a', 'hello', { apiVersion: 'apps/v1' })), []);
});

// The part of a cache that a source uses: one object is there from the start.
function listen(source: (cache: Cache<KubeObject>) => ReturnType<typeof fromCache>): {
  tell(event: CacheEvent<KubeObject>): void;
  readonly enqueued: [string, number | undefined][];
} {
  let listener: (event: CacheEvent<KubeObject>) => void = () => {};
  const cache: Cache<KubeObject> = {
    type: { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true },
    run: () => Promise.resolve(),
    synced: Promise.resolve(),
    get: () => undefined,
    list: () => [],
    byIndex: () => [],
    observe() {},
    reached: () => Promise.resolve(),
    stats: () => ({ objects: 1, bytes: 0, restarts: 0, reconnects: 0, bookmarks: 0 }),
    subscribe(found) {
      listener = found;
      listener({ kind: 'added', object: owned('first', 'a') });
      return () => {};
    },
  };
  const enqueued: [string, number | undefined][] = [];
  const enqueue: Enqueue = (key, options) => enqueued.push([key.name, options?.priority]);
  source(cache).start(enqueue, {
    clock: new VirtualClock(),
    random: seededRandom(1),
    logger: silentLogger,
  });
  return { tell: (event) => listener(event), enqueued };
}

test('fromCache() lets what existed at the start wait behind news', () => {
  const { tell, enqueued } = listen((cache) => fromCache(cache));
  tell({ kind: 'added', object: owned('second', 'a') });
  assert.deepEqual(enqueued, [
    ['first', -100],
    ['second', undefined],
  ]);
});

test('fromCache() asks for the old and the new target of an update', () => {
  const map = toController(functionKind);
  const { tell, enqueued } = listen((cache) => fromCache(cache, { map }));
  tell({ kind: 'updated', old: owned('p', 'before'), object: owned('p', 'after') });
  assert.deepEqual(
    enqueued.map(([name]) => name),
    ['a', 'before', 'after'],
  );
});

test('fromCache() names whom an update concerns once, or a waiting worker would run it twice', () => {
  const { tell, enqueued } = listen((cache) =>
    fromCache(cache, { map: toController(functionKind) }),
  );
  tell({ kind: 'updated', old: owned('p', 'same'), object: owned('p', 'same') });
  assert.deepEqual(
    enqueued.map(([name]) => name),
    ['a', 'same'],
  );
});

test('fromCache() holds back what the predicate does not let pass', () => {
  const { tell, enqueued } = listen((cache) =>
    fromCache(cache, {
      map: (object) => [objectKey(object)],
      predicate: ({ kind }) => kind === 'deleted',
    }),
  );
  tell({ kind: 'added', object: owned('p', 'a') });
  tell({ kind: 'deleted', object: owned('p', 'a') });
  assert.deepEqual(
    enqueued.map(([name]) => name),
    ['p'],
  );
});
