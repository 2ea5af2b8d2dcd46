import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import type { Change, Mutation, Store } from '../src/index.ts';
import { plainObject } from './plain.ts';

/** Opens an empty store that keeps at least `historyMin` changes. */
export type OpenStore = (options?: { historyMin?: number }) => Promise<Store>;

function put(key: string, value: object, expected?: number): Mutation {
  return { key, value: { ...value }, expected };
}

function remove(key: string, expected?: number): Mutation {
  return { key, value: undefined, expected };
}

async function writeOne(store: Store, mutation: Mutation): Promise<number> {
  const [revision] = await store.write([mutation]);
  assert.ok(revision !== undefined);
  return revision;
}

/** The next `count` changes of a watch. */
async function take(changes: AsyncIterable<Change>, count: number): Promise<Change[]> {
  const taken: Change[] = [];
  for await (const change of changes) {
    taken.push(change);
    if (taken.length === count) break;
  }
  return taken;
}

const never = (): AbortSignal => new AbortController().signal;

/** What every store must do; run it for each implementation. */
export function testStoreContract(name: string, open: OpenStore): void {
  describe(name, () => {
    testObjects(open);
    testExpectations(open);
    testBorders(open);
    testLists(open);
    testScans(open);
    testWatches(open);
    testWatchers(open);
    testFollowers(open);
    testHistory(open);
    testLifecycle(open);
  });
}

function testObjects(open: OpenStore): void {
  it('write() numbers every change with the next revision', async () => {
    await using store = await open();
    const start = store.revision;
    assert.ok(start >= 1);
    const revisions = await store.write([put('/a', { n: 1 }), put('/b', { n: 2 })]);
    assert.deepEqual(revisions, [start + 1, start + 2]);
    assert.equal(store.revision, start + 2);
    const found = store.get('/b');
    assert.deepEqual(
      [found?.revision, found?.value, found?.text],
      [start + 2, { n: 2 }, '{"n":2}'],
    );
    assert.equal(store.revisionOf('/b'), start + 2);
  });

  it('get() finds nothing under a key that was never written or was deleted', async () => {
    await using store = await open();
    await store.write([put('/a', {})]);
    await store.write([remove('/a')]);
    assert.equal(store.get('/a'), undefined);
    assert.equal(store.get('/b'), undefined);
    assert.deepEqual([store.revisionOf('/a'), store.revisionOf('/b')], [0, 0]);
  });
}

function testExpectations(open: OpenStore): void {
  it('write() refuses the whole write when one expectation does not hold', async () => {
    await using store = await open();
    const revision = await writeOne(store, put('/a', { n: 1 }, 0));
    await assert.rejects(store.write([put('/b', {}), put('/a', { n: 2 }, 0)]), {
      code: 'Conflict',
      key: '/a',
    });
    await assert.rejects(store.write([remove('/a', revision + 1)]), { code: 'Conflict' });
    await assert.rejects(store.write([put('/missing', {}, revision)]), { code: 'Conflict' });
    assert.equal(store.get('/b'), undefined);
    assert.equal(store.revision, revision);
    await store.write([remove('/a', revision)]);
    assert.equal(store.count('/'), 0);
  });

  it('write() lets one of many concurrent writers with the same expectation win', async () => {
    await using store = await open();
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => store.write([put('/a', { n }, 0)])),
    );
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.deepEqual(store.get('/a')?.value, { n: 0 });
  });

  it('write() takes no number for deleting what is not there', async () => {
    await using store = await open();
    const revision = await writeOne(store, put('/a', {}));
    assert.deepEqual(await store.write([remove('/b')]), [revision]);
    assert.deepEqual(await store.write([]), []);
    assert.equal(store.revision, revision);
  });
}

function testBorders(open: OpenStore): void {
  it('write() keeps the value as it was when write was called', async () => {
    await using store = await open();
    const value = { n: 1, text: 'ä\u0000😀"$(HOME)`' };
    const written = store.write([{ key: '/a', value, expected: 0 }]);
    value.n = 2;
    await written;
    assert.deepEqual(store.get('/a')?.value, { n: 1, text: 'ä\u0000😀"$(HOME)`' });
  });

  it('write() refuses keys that are empty or too long, and keys named twice', async () => {
    await using store = await open();
    await assert.rejects(store.write([put('', {})]), { code: 'InvalidKey' });
    await assert.rejects(store.write([put('x'.repeat(5_000), {})]), { code: 'InvalidKey' });
    await assert.rejects(store.write([put('/a', {}), put('/a', {})]), /each key once/);
    assert.equal(store.count(''), 0);
  });

  it('write() keeps values of every size, whether they compress or not', async () => {
    await using store = await open();
    const random = randomBytes(1 << 20).toString('base64');
    const texts = [100, 250, 300, 4_000, 70_000, 1 << 20].flatMap((size) => [
      'x'.repeat(size),
      random.slice(0, size),
    ]);
    await store.write(texts.map((text, n) => put(`/${n}`, { text })));
    texts.forEach((text, n) => {
      assert.equal(store.get(`/${n}`)?.value.text, text);
    });
  });
}

function testScans(open: OpenStore): void {
  it('scan() shows the state at its call, whatever is written while it is read', async () => {
    await using store = await open();
    await store.write(['/a', '/b', '/c', '/d'].map((key) => put(key, { n: 1 })));
    const scanned = store.scan('/')[Symbol.iterator]();
    assert.equal(scanned.next().value?.key, '/a');
    await store.write([put('/b', { n: 2 }), remove('/c'), put('/bb', {})]);
    const rest = [scanned.next(), scanned.next(), scanned.next()].map(({ value }) => value);
    assert.deepEqual(
      rest.map((object) => [object?.key, object?.value]),
      ['/b', '/c', '/d'].map((key) => [key, { n: 1 }]),
    );
    assert.equal(scanned.next().done, true);
  });

  it('scan() ends when the history has forgotten what was replaced, not before', async () => {
    await using store = await open({ historyMin: 10 });
    await store.write(['/a', '/b', '/c'].map((key) => put(key, {})));
    const scanned = store.scan('/')[Symbol.iterator]();
    for (let n = 0; n < 2_500; n++) await store.write([put('/b', { n })]);
    assert.equal(scanned.next().value?.key, '/a');
    assert.throws(() => scanned.next(), { code: 'Compacted' });
  });
}

function testLists(open: OpenStore): void {
  it('list() shows the keys under the prefix in order of their code units', async () => {
    await using store = await open();
    const keys = ['/a/2', '/a/1', '/ab/1', '/a/\uffff', '/a/😀', '/b/1', '/a/10'];
    await store.write(keys.map((key) => put(key, { key })));
    const page = store.list('/a/');
    const expected = keys.filter((key) => key.startsWith('/a/')).sort();
    assert.deepEqual(
      page.objects.map(({ key }) => key),
      expected,
    );
    assert.deepEqual([page.more, page.remaining, page.revision], [false, 0, store.revision]);
    assert.equal(store.count('/a/'), 5);
    assert.equal(store.count('/c/'), 0);
  });

  it('list() pages with after and limit, and tells what remains', async () => {
    await using store = await open();
    await store.write(Array.from({ length: 7 }, (_, n) => put(`/a/${n}`, { n })));
    await store.write([put('/b/0', {})]);
    const first = store.list('/a/', { limit: 3 });
    assert.deepEqual([first.objects.length, first.more, first.remaining], [3, true, 4]);
    const rest = store.list('/a/', { limit: 4, after: first.objects.at(-1)?.key });
    assert.deepEqual(
      rest.objects.map(({ key }) => key),
      ['/a/3', '/a/4', '/a/5', '/a/6'],
    );
    assert.deepEqual([rest.more, rest.remaining], [false, 0]);
    assert.equal(store.list('/a/', { after: '/b' }).objects.length, 0);
    assert.equal(store.list('/a/', { after: '/' }).objects.length, 7);
  });

  it('list() shows an earlier revision: created, updated and deleted since', async () => {
    await using store = await open();
    await store.write([put('/a/1', { n: 1 }), put('/a/2', { n: 2 }), put('/a/3', { n: 3 })]);
    const before = store.revision;
    const expected = store.list('/a/').objects;
    await store.write([put('/a/1', { n: 10 }), remove('/a/2'), put('/a/0', {})]);
    await store.write([put('/a/1', { n: 11 }), put('/a/2', { n: 20 }), remove('/a/3')]);
    const past = store.list('/a/', { atRevision: before });
    assert.deepEqual(past.objects.map(plainObject), expected.map(plainObject));
    assert.equal(past.revision, before);
    const page = store.list('/a/', { atRevision: before, limit: 1, after: '/a/1' });
    assert.deepEqual(page.objects.map(plainObject), expected.slice(1, 2).map(plainObject));
    assert.deepEqual([page.more, page.remaining], [true, 1]);
  });

  it('list() refuses a revision that has not been', async () => {
    await using store = await open();
    assert.throws(() => store.list('/', { atRevision: store.revision + 1 }), {
      code: 'FutureRevision',
    });
  });
}

function testWatches(open: OpenStore): void {
  it('watch() gives history, then live changes, each with its previous value', async () => {
    await using store = await open();
    const start = store.revision;
    await store.write([put('/a/1', { n: 1 }), put('/b/1', {})]);
    await store.write([put('/a/1', { n: 2 })]);
    const watching = take(store.watch('/a/', start, never()), 4);
    await store.write([remove('/b/1'), remove('/a/1')]);
    await store.write([put('/a/1', { n: 3 }, 0)]);
    const seen = (await watching).map(({ revision, value, previous }) => [
      revision - start,
      value,
      previous,
    ]);
    assert.deepEqual(seen, [
      [1, { n: 1 }, undefined],
      [3, { n: 2 }, { n: 1 }],
      [5, undefined, { n: 2 }],
      [6, { n: 3 }, undefined],
    ]);
  });

  it('watch() has no gap and no duplicate when it starts among writes', async () => {
    await using store = await open();
    const start = store.revision;
    const write = (n: number): Promise<unknown> => store.write([put(`/a/${n % 7}`, { n })]);
    const first = Array.from({ length: 50 }, (_, n) => write(n));
    await first[10];
    const changes = store.watch('/', start, never());
    const later = Array.from({ length: 50 }, (_, n) => write(50 + n));
    const seen = await take(changes, 100);
    await Promise.all([...first, ...later]);
    assert.deepEqual(
      seen.map(({ revision, value }) => [revision - start - 1, value?.n]),
      Array.from({ length: 100 }, (_, n) => [n, n]),
    );
  });

  it('watch() ends when its signal aborts, waiting or not', async () => {
    await using store = await open();
    const stop = new AbortController();
    const ended = take(store.watch('/', store.revision, stop.signal), 1);
    stop.abort();
    assert.deepEqual(await ended, []);
    await store.write([put('/a', {})]);
    assert.deepEqual(await take(store.watch('/', 1, stop.signal), 1), []);
  });
}

function testWatchers(open: OpenStore): void {
  it('watch() sees a change no later than the writer sees its answer', async () => {
    await using store = await open();
    const changes = store.watch('/', store.revision, never())[Symbol.asyncIterator]();
    let seen = 0;
    const next = changes.next().then(({ value }) => {
      seen = value.revision;
    });
    const revision = await writeOne(store, put('/a', {}));
    await next;
    assert.equal(seen, revision);
    await changes.return?.();
  });

  it('watch() cuts off a reader that falls too far behind', async () => {
    await using store = await open();
    const changes = store.watch('/', store.revision, never());
    for (let n = 0; n < 5; n++) {
      await store.write(Array.from({ length: 1_000 }, (_, i) => put(`/a/${i}`, { n })));
    }
    await assert.rejects(take(changes, 5_000), { code: 'SlowWatcher' });
  });

  it('watch() refuses a revision that has not been', async () => {
    await using store = await open();
    const changes = store.watch('/', store.revision + 1, never());
    await assert.rejects(take(changes, 1), { code: 'FutureRevision' });
  });
}

function testFollowers(open: OpenStore): void {
  it('subscribe() tells of a change when readers see it, until it is left or the store closes', async () => {
    const store = await open();
    const seen: string[] = [];
    const listener = {
      changed: ({ key, text }: Change) => seen.push(`${key} ${text} ${store.get(key)?.text}`),
      ended: ({ message }: Error) => seen.push(message),
    };
    const leave = store.subscribe('/a/', { ...listener, ended: () => seen.push('left') });
    store.subscribe('/b/', listener);
    await store.write([put('/a/1', { n: 1 }), put('/c', {})]);
    leave();
    await store.write([put('/a/1', { n: 2 })]);
    await store.close();
    assert.equal(seen.length, 2);
    assert.equal(seen[0], '/a/1 {"n":1} {"n":1}');
    assert.match(seen[1] ?? '', /closed/);
  });

  it('history() ends at the moment of its call', async () => {
    await using store = await open();
    const start = store.revision;
    await store.write([put('/a', { n: 1 }), put('/b', {}), put('/a2', {})]);
    const history = store.history('/a', start);
    await store.write([put('/a', { n: 2 })]);
    const seen = (await Array.fromAsync(history)).map(({ key, text }) => [key, text]);
    assert.deepEqual(seen, [
      ['/a', '{"n":1}'],
      ['/a2', '{}'],
    ]);
  });

  it('get() shows each write of an object that is read and written in turns', async () => {
    await using store = await open();
    for (let n = 0; n < 5; n++) {
      await store.write([put('/hot', { n })]);
      assert.deepEqual(store.get('/hot')?.value, { n });
      assert.equal(store.get('/hot')?.text, JSON.stringify({ n }));
    }
    await store.write([remove('/hot')]);
    assert.equal(store.get('/hot'), undefined);
  });
}

function testHistory(open: OpenStore): void {
  it('keeps historyMin changes and answers Compacted before them', async () => {
    await using store = await open({ historyMin: 100 });
    const start = store.revision;
    await store.write([put('/keep', { n: 'old' })]);
    for (let round = 0; round < 15; round++) {
      await store.write(Array.from({ length: 100 }, (_, i) => put(`/a/${i}`, { round })));
    }
    await assert.rejects(take(store.watch('/', start, never()), 1), { code: 'Compacted' });
    assert.throws(() => store.list('/', { atRevision: start + 1 }), { code: 'Compacted' });

    const kept = store.revision - 100;
    const changes = await take(store.watch('/', kept, never()), 100);
    assert.equal(changes[0]?.revision, kept + 1);
    assert.deepEqual(changes[0]?.previous, { round: 13 });
    const past = store.list('/', { atRevision: kept });
    assert.deepEqual(past.objects.at(-1)?.value, { n: 'old' });
    assert.deepEqual(past.objects[0]?.value, { round: 13 });
    assert.deepEqual(store.get('/keep')?.value, { n: 'old' });
  });

  it('ends a watch with Compacted when history goes while it is read', async () => {
    await using store = await open({ historyMin: 100 });
    const start = store.revision;
    await store.write(Array.from({ length: 600 }, (_, i) => put(`/a/${i}`, {})));
    const changes = store.watch('/', start, never())[Symbol.asyncIterator]();
    await changes.next();
    for (let round = 0; round < 20; round++) {
      await store.write(Array.from({ length: 100 }, (_, i) => put(`/b/${i}`, { round })));
    }
    const readOn = async (): Promise<void> => {
      for (let next = await changes.next(); !next.done; next = await changes.next());
    };
    await assert.rejects(readOn(), { code: 'Compacted' });
  });
}

function testLifecycle(open: OpenStore): void {
  it('close() finishes the writes that wait, ends watches and refuses what follows', async () => {
    const store = await open();
    const watching = take(store.watch('/', store.revision, never()), 2);
    const ended = assert.rejects(watching, { code: 'Closed' });
    const written = store.write([put('/a', {})]);
    await Promise.all([store.close(), store.close()]);
    assert.equal((await written).length, 1);
    await ended;
    await assert.rejects(store.write([put('/b', {})]), { code: 'Closed' });
    assert.throws(() => store.get('/a'), { code: 'Closed' });
    assert.throws(() => store.list('/'), { code: 'Closed' });
  });
}
