import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { type KubeObject, parseLabelSelector } from '@fnlet/machinery';
import { openMemoryStore } from '@fnlet/store';
import { builtinStrategies } from '../builtins/builtin-strategies.ts';
import { storeKey } from '../object/object-keys.ts';
import { createSelection, type Selection } from '../object/selection.ts';
import { createResource, type Resource } from '../resource/resource.ts';
import { type FeedWatcher, KindFeeds } from './kind-feed.ts';

function configMaps(): Resource {
  const strategy = builtinStrategies.find(({ stored }) => stored.plural === 'configmaps');
  assert(strategy !== undefined);
  return createResource(strategy);
}

class CountingWatcher implements FeedWatcher {
  readonly selection: Selection;
  seen = 0;
  isClosed = false;

  constructor(selection: Selection) {
    this.selection = selection;
  }

  changed(): void {
    this.seen++;
  }

  ended(): void {
    this.isClosed = true;
  }

  close(): void {
    this.isClosed = true;
  }
}

/** A store with feeds on it, and a way to write ConfigMaps past the server. */
function openFeeds() {
  const store = openMemoryStore();
  const resource = configMaps();
  const feeds = new KindFeeds(store, new VirtualClock());
  let parsed = 0;
  const write = (namespace: string, name: string, labels: Record<string, string> = {}) => {
    const key = storeKey(resource.strategy, { namespace, name });
    const value: KubeObject = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      get metadata() {
        parsed++;
        return { namespace, name, labels };
      },
    };
    return store.write([{ key, value, expected: store.get(key)?.revision }]);
  };
  const watch = (at: { namespace: string; name?: string }, labels?: string) => {
    const parsedLabels = labels === undefined ? undefined : parseLabelSelector(labels);
    const options = { labels: parsedLabels, fields: undefined };
    const watcher = new CountingWatcher(createSelection(resource, at, options));
    feeds.join(resource, watcher);
    return { watcher, leave: () => feeds.leave(resource, watcher) };
  };
  return { feeds, write, watch, looks: () => parsed, [Symbol.asyncDispose]: () => store.close() };
}

describe('KindFeeds', () => {
  it('tell a change to those only whose place it is in', async () => {
    await using all = openFeeds();
    const { watch, write } = all;
    const everywhere = watch({ namespace: '' });
    const here = watch({ namespace: 'a' });
    const there = watch({ namespace: 'b' });
    const one = watch({ namespace: 'a', name: 'x' });
    const other = watch({ namespace: 'a', name: 'y' });
    await write('a', 'x');
    const seen = [everywhere, here, there, one, other].map(({ watcher }) => watcher.seen);
    assert.deepEqual(seen, [1, 1, 0, 1, 0]);
  });

  it('look into no object for a thousand watches of names', async () => {
    await using all = openFeeds();
    const { watch, write, looks } = all;
    await write('a', 'x');
    const before = looks();
    await write('a', 'x');
    const alone = looks() - before;
    const watches = Array.from({ length: 1000 }, (_, n) =>
      watch({ namespace: 'a', name: `m${n}` }),
    );
    const watched = looks();
    await write('a', 'x');
    assert.equal(looks() - watched, alone);
    await write('a', 'm7');
    assert.equal(
      watches.reduce((sum, { watcher }) => sum + watcher.seen, 0),
      1,
    );
  });

  it('tell of an object that leaves a label, and of one that comes to it', async () => {
    await using all = openFeeds();
    const { watch, write } = all;
    const { watcher } = watch({ namespace: '' }, 'app=web');
    await write('a', 'x', { app: 'web' });
    await write('a', 'x', { app: 'db' });
    await write('a', 'x', { app: 'cache' });
    assert.equal(watcher.seen, 2);
  });

  it('close every watch once, and those that come yet', async () => {
    await using all = openFeeds();
    const { feeds, watch, write } = all;
    const left = watch({ namespace: '' });
    left.leave();
    const open = watch({ namespace: '' });
    feeds.close();
    const late = watch({ namespace: '' });
    assert.deepEqual(
      [left, open, late].map(({ watcher }) => watcher.isClosed),
      [false, true, true],
    );
    open.leave();
    await write('a', 'x');
    assert.deepEqual(
      [left, open, late].map(({ watcher }) => watcher.seen),
      [0, 0, 0],
    );
  });
});
