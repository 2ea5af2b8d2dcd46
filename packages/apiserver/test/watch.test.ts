import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { openMemoryStore } from '@fnlet/store';
import { at, listAt, textAt } from './at.ts';
import { openServer } from './opened-server.ts';

const maps = '/api/v1/namespaces/default/configmaps';

function configMap(name: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
}

function briefly(events: unknown): string[] {
  return listAt(events, '').map((event) => {
    return `${textAt(event, '/type')} ${at(event, '/object/metadata/name') ?? ''}`.trim();
  });
}

describe('a watch', () => {
  it('ends when its time is up, with a bookmark shortly before', async () => {
    const clock = new VirtualClock();
    await using server = await openServer({ clock });
    const query = { watch: '1', allowWatchBookmarks: 'true', timeoutSeconds: '200' };
    const watch = server.ask('GET', maps, { query });
    await clock.advance(200_000);
    const { body } = await watch;
    const expected = ['ADDED kube-root-ca.crt', 'BOOKMARK', 'BOOKMARK', 'BOOKMARK', 'BOOKMARK'];
    assert.deepEqual(briefly(body), expected);
  });

  it('leaves no timer behind when its client goes', async () => {
    const clock = new VirtualClock();
    await using server = await openServer({ clock });
    const before = clock.timers;
    const stop = new AbortController();
    const watch = server.ask('GET', maps, { query: { watch: '1' }, signal: stop.signal });
    await clock.advance(10);
    assert.ok(clock.timers > before);
    stop.abort();
    await watch;
    assert.equal(clock.timers, before);
  });

  it('marks the end of the initial events', async () => {
    const clock = new VirtualClock();
    await using server = await openServer({ clock });
    const query = {
      watch: '1',
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: 'true',
      timeoutSeconds: '5',
    };
    const watch = server.ask('GET', maps, { query });
    await clock.advance(1000);
    await server.ask('POST', maps, { body: configMap('later') });
    await clock.advance(4000);
    const { body } = await watch;
    assert.deepEqual(briefly(body), [
      'ADDED kube-root-ca.crt',
      'BOOKMARK',
      'ADDED later',
      'BOOKMARK',
    ]);
    assert.deepEqual(at(body, '/1/object/metadata/annotations'), {
      'k8s.io/initial-events-end': 'true',
    });
  });

  it('shows one state and then every change, though both come while it is read', async () => {
    await using server = await openServer();
    const names = Array.from({ length: 600 }, (_, n) => `m${String(n).padStart(3, '0')}`);
    await Promise.all(names.map((name) => server.ask('POST', maps, { body: configMap(name) })));
    const stop = new AbortController();
    const query = { watch: '1', resourceVersion: '0' };
    const watch = server.ask('GET', maps, { query, signal: stop.signal });
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    await turn();
    await server.ask('DELETE', `${maps}/m599`);
    await server.ask('POST', maps, { body: configMap('m600') });
    for (let turns = 0; turns < 20; turns++) await turn();
    stop.abort();
    const { body } = await watch;
    const state = ['kube-root-ca.crt', ...names].map((name) => `ADDED ${name}`);
    assert.deepEqual(briefly(body), [...state, 'DELETED m599', 'ADDED m600']);
  });

  it('says Expired in its stream when its start is gone', async () => {
    const store = openMemoryStore({ historyMin: 3 });
    await using server = await openServer({ store });
    const page = await server.ask('GET', '/api/v1/namespaces', { query: { limit: '1' } });
    // Enough that the store forgets its first changes.
    for (let round = 0; round < 3; round++) {
      const writes = Array.from({ length: 1000 }, (_, n) => ({
        key: `others/${n}`,
        value: {},
        expected: undefined,
      }));
      await store.write(writes);
    }
    const { status, body } = await server.ask('GET', maps, {
      query: { watch: '1', resourceVersion: '2' },
    });
    assert.equal(status, 200);
    assert.equal(listAt(body, '').length, 1);
    assert.equal(at(body, '/0/type'), 'ERROR');
    assert.equal(at(body, '/0/object/reason'), 'Expired');
    assert.match(textAt(body, '/0/object/message'), /^too old resource version: 2 \(\d+\)$/);

    const query = { limit: '1', continue: textAt(page.body, '/metadata/continue') };
    const late = await server.ask('GET', '/api/v1/namespaces', { query });
    assert.equal(late.status, 410);
    const next = textAt(late.body, '/metadata/continue');
    const rest = await server.ask('GET', '/api/v1/namespaces', { query: { continue: next } });
    assert.equal(listAt(rest.body, '/items').length, 3);
  });

  it('gives every change once and in order, wherever it starts', async () => {
    await using server = await openServer();
    const { body: list } = await server.ask('GET', maps);
    for (let n = 0; n < 20; n++) await server.ask('POST', maps, { body: configMap(`m${n}`) });
    const stop = new AbortController();
    const watch = server.ask('GET', maps, {
      query: { watch: '1', resourceVersion: textAt(list, '/metadata/resourceVersion') },
      signal: stop.signal,
    });
    for (let n = 20; n < 40; n++) await server.ask('POST', maps, { body: configMap(`m${n}`) });
    stop.abort();
    const { body } = await watch;
    const expected = Array.from({ length: 40 }, (_, n) => `ADDED m${n}`);
    const found = briefly(body);
    assert.deepEqual(found, expected.slice(0, found.length));
    assert.ok(found.length >= 20, String(found.length));
  });
});
