import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import fc from 'fast-check';
import { configMaps, type Fault, ScriptedApi } from '../test/scripted-api.ts';
import { type Cache, type CacheEvent, type CacheOptions, createCache } from './cache.ts';
import { createClient } from './client.ts';

const key = (name: string): { namespace: string; name: string } => ({ namespace: 'default', name });

class Bed implements AsyncDisposable {
  readonly clock = new VirtualClock();
  readonly api = new ScriptedApi();
  readonly cache: Cache<KubeObject>;
  readonly events: string[] = [];
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(options: Partial<CacheOptions<KubeObject>> = {}) {
    this.cache = createCache<KubeObject>({
      client: createClient(this.api, { fieldManager: 'test', clock: this.clock }),
      type: configMaps,
      clock: this.clock,
      random: seededRandom(1),
      logger: silentLogger,
      ...options,
    });
    this.cache.subscribe((event) => this.events.push(describeEvent(event)));
  }

  async run(): Promise<void> {
    this.#running = this.cache.run(this.#stop.signal);
    await this.clock.advance(0);
  }

  /** The end of every watch, and time to open the next. */
  async reconnect(): Promise<void> {
    await this.clock.advance(2_000);
    await this.api.close();
    await this.clock.advance(120_000);
  }

  take(): string[] {
    return this.events.splice(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.clock.advance(60_000);
    await this.#running;
    assert.equal(this.clock.timers, 0, 'no timer is left');
  }
}

function describeEvent(event: CacheEvent<KubeObject>): string {
  const { name, resourceVersion } = event.object.metadata;
  return `${event.kind} ${name}@${resourceVersion}`;
}

function contents(objects: readonly KubeObject[]): string[] {
  return objects
    .map(({ metadata, data }) => JSON.stringify([metadata.name, metadata.resourceVersion, data]))
    .sort();
}

describe('createCache()', () => {
  it('holds what the server holds, and tells how it changes', async () => {
    await using bed = new Bed();
    bed.api.put('a', '1');
    await bed.run();
    await bed.cache.synced;
    bed.api.put('b', '1');
    bed.api.put('a', '2');
    bed.api.remove('b');
    await bed.clock.advance(0);
    assert.deepEqual(bed.take(), ['added a@11', 'added b@12', 'updated a@13', 'deleted b@12']);
    assert.deepEqual(bed.cache.get(key('a'))?.data, { data: '2' });
    assert.equal(bed.cache.get(key('b')), undefined);
    assert.equal(bed.cache.list('default').length, 1);
    assert.equal(bed.cache.list('other').length, 0);
  });

  it('finds deletions that it has missed when it reads everything anew', async () => {
    await using bed = new Bed();
    for (const name of ['a', 'b', 'c']) bed.api.put(name, '1');
    await bed.run();
    bed.take();
    bed.api.faults.push({ kind: 'reset', after: 0 });
    await bed.clock.advance(2_000);
    await bed.api.close();
    await bed.clock.advance(0);
    bed.api.remove('b');
    bed.api.put('c', '2');
    bed.api.compact();
    await bed.clock.advance(10_000);
    assert.deepEqual(bed.take(), ['updated c@15', 'deleted b@12']);
    assert.deepEqual(contents(bed.cache.list()), contents(bed.api.objects));
  });

  it('keeps one watch for all its subscribers, and tells a late one what is there', async () => {
    await using bed = new Bed();
    bed.api.put('a', '1');
    await bed.run();
    const late: string[] = [];
    const leave = bed.cache.subscribe((event) => late.push(describeEvent(event)));
    assert.deepEqual(late, ['added a@11']);
    leave();
    bed.api.put('a', '2');
    await bed.clock.advance(0);
    assert.equal(late.length, 1);
    assert.equal(bed.api.openWatches, 1);
  });

  it('goes on when a subscriber throws', async () => {
    await using bed = new Bed();
    bed.cache.subscribe(() => {
      throw new Error('a bad listener');
    });
    bed.api.put('a', '1');
    await bed.run();
    assert.equal(bed.cache.list().length, 1);
  });

  it('gives frozen objects without managedFields, and only what is projected', async () => {
    await using bed = new Bed({ project: ({ data: _, ...object }) => object });
    bed.api.put('a', '1');
    await bed.run();
    const object = bed.cache.get(key('a'));
    assert.ok(object !== undefined && Object.isFrozen(object.metadata));
    assert.equal(object.metadata.managedFields, undefined);
    assert.equal(object.data, undefined);
    await using other = new Bed({ keep: ['metadata.managedFields'] });
    other.api.put('a', '1');
    await other.run();
    assert.deepEqual(other.cache.get(key('a'))?.metadata.managedFields, []);
  });

  it('keeps the paths that it is told, of own writes too', async () => {
    await using bed = new Bed({ keep: ['data.data'] });
    bed.api.put('a', '1');
    await bed.run();
    const { managedFields: _, ...metadata } = bed.api.objects[0]?.metadata ?? { name: '' };
    const kept = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { data: '1' } };
    assert.deepEqual(bed.cache.get(key('a')), kept);
    const own = { ...kept, metadata: { ...metadata, resourceVersion: '99', managedFields: [] } };
    bed.cache.observe({ ...own, data: { data: '2', other: 'x' }, immutable: true });
    const seen = { ...kept, metadata: { ...metadata, resourceVersion: '99' }, data: { data: '2' } };
    assert.deepEqual(bed.cache.get(key('a')), seen);
  });

  it('asks for nothing but metadata, and gives it the kind’s name', async () => {
    await using bed = new Bed({ metadataOnly: true });
    bed.api.put('a', '1');
    await bed.run();
    assert.match(bed.api.requests[0]?.headers?.accept ?? '', /as=PartialObjectMetadata;/);
    const metadata = { name: 'a', namespace: 'default', resourceVersion: '11' };
    assert.deepEqual(bed.cache.get(key('a')), { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  });

  it('leaves objects as they are when it is told not to freeze', async () => {
    await using bed = new Bed({ freeze: false });
    bed.api.put('a', '1');
    await bed.run();
    assert.equal(Object.isFrozen(bed.cache.get(key('a'))), false);
  });

  it('finds objects by what an index function says of them now', async () => {
    await using bed = new Bed({
      indexes: { data: (object) => [JSON.stringify(object.data)] },
    });
    bed.api.put('a', '1');
    bed.api.put('b', '1');
    await bed.run();
    const byData = (data: string): readonly string[] =>
      bed.cache.byIndex('data', JSON.stringify({ data })).map(({ metadata }) => metadata.name);
    assert.deepEqual(byData('1').toSorted(), ['a', 'b']);
    bed.api.put('a', '2');
    bed.api.remove('b');
    await bed.clock.advance(0);
    assert.deepEqual([byData('1'), byData('2')], [[], ['a']]);
    assert.throws(() => bed.cache.byIndex('undeclared', ''), /index "undeclared"/);
  });
});

describe('observe()', () => {
  const at = (version: number, name = 'a'): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', resourceVersion: String(version) },
  });

  it('shows an own write at once, and no older event undoes it', async () => {
    await using bed = new Bed();
    bed.api.put('a', '1');
    await bed.run();
    bed.cache.observe(at(100));
    assert.equal(bed.cache.get(key('a'))?.metadata.resourceVersion, '100');
    bed.api.put('a', '2');
    bed.api.remove('a');
    await bed.clock.advance(0);
    assert.deepEqual(bed.take(), ['added a@11', 'updated a@100']);
  });

  it('does not bring back what the watch has told to be deleted', async () => {
    await using bed = new Bed();
    await bed.run();
    const written = bed.api.put('a', '1');
    bed.api.remove('a');
    await bed.clock.advance(0);
    bed.cache.observe(written);
    assert.equal(bed.cache.get(key('a')), undefined);
  });

  it('shows an own write while the initial events, which come in any order, are not all there', async () => {
    const bed = new Bed();
    await using _ = bed;
    const written = bed.api.put('a', '1');
    bed.api.put('b', '1');
    bed.api.faults.push({ kind: 'silent', after: 1 });
    await bed.run();
    assert.deepEqual(bed.take(), ['added b@12']);
    bed.cache.observe(written);
    assert.deepEqual(bed.take(), ['added a@11']);
  });

  it('keeps an own new object through a list that does not show it yet', async () => {
    await using bed = new Bed();
    await bed.run();
    bed.cache.observe(at(50));
    bed.api.compact();
    bed.api.faults.push({ kind: 'status', code: 410 });
    await bed.reconnect();
    assert.equal(bed.cache.get(key('a'))?.metadata.resourceVersion, '50');
  });

  it('ignores objects that are not the cache’s', async () => {
    await using bed = new Bed({ namespace: 'other', labelSelector: 'app=web' });
    bed.cache.observe(at(50));
    assert.equal(bed.cache.list().length, 0);
  });
});

describe('a cache of several namespaces', () => {
  it('watches each of them, and no other', async () => {
    await using bed = new Bed({ namespaces: ['one', 'two', 'one'] });
    for (const namespace of ['one', 'two', 'three']) bed.api.put('a', '1', namespace);
    await bed.run();
    await bed.cache.synced;
    assert.equal(bed.api.openWatches, 2);
    assert.deepEqual(
      bed.cache
        .list()
        .map(({ metadata }) => metadata.namespace)
        .toSorted(),
      ['one', 'two'],
    );
    bed.cache.observe({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'own', namespace: 'three', resourceVersion: '99' },
    });
    assert.equal(bed.cache.list().length, 2);
  });

  it('finds what was deleted in one without touching the others', async () => {
    await using bed = new Bed({ namespaces: ['one', 'two'] });
    for (const namespace of ['one', 'two']) bed.api.put('a', '1', namespace);
    await bed.run();
    bed.take();
    bed.api.faults.push({ kind: 'status', code: 410 }, { kind: 'unreachable' });
    await bed.clock.advance(2_000);
    await bed.api.close();
    bed.api.compact();
    await bed.clock.advance(60_000);
    assert.deepEqual(bed.take(), []);
    assert.ok(bed.cache.stats().restarts >= 1);
    assert.deepEqual(contents(bed.cache.list()), contents(bed.api.objects));
  });

  it('refuses one namespace and several at once', () => {
    assert.throws(() => new Bed({ namespace: 'a', namespaces: ['b'] }), /namespaces/);
  });
});

describe('reached()', () => {
  const never = new AbortController().signal;

  async function isSettled(promise: Promise<void>): Promise<boolean> {
    const pending = Symbol('pending');
    await Promise.resolve();
    return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
  }

  it('waits until the watch has told the version, by an event or a bookmark', async () => {
    await using bed = new Bed();
    await bed.run();
    const event = bed.cache.reached('11', never);
    const bookmark = bed.cache.reached('12', never);
    bed.api.put('a', '1');
    await bed.clock.advance(0);
    await event;
    assert.equal(await isSettled(bookmark), false);
    bed.api.put('a', '2');
    await bed.clock.advance(0);
    await bookmark;
    await bed.cache.reached('12', never);
    await bed.cache.reached('9', never);
  });

  it('does not count what is read anew before its end', async () => {
    await using bed = new Bed();
    bed.api.put('a', '1');
    bed.api.put('b', '1');
    bed.api.faults.push({ kind: 'silent', after: 1 });
    await bed.run();
    assert.equal(bed.cache.list().length, 1);
    const reached = bed.cache.reached('11', never);
    assert.equal(await isSettled(reached), false);
    await bed.clock.advance(61_000);
    await reached;
  });

  it('rejects when it is aborted, also before', async () => {
    await using bed = new Bed();
    await bed.run();
    const stop = new AbortController();
    const reached = bed.cache.reached('99', stop.signal);
    stop.abort();
    await assert.rejects(reached, { code: 'Aborted', message: /version 99.*found version 10/ });
    await assert.rejects(bed.cache.reached('99', stop.signal), { code: 'Aborted' });
  });

  it('waits for one namespace only where it is told so', async () => {
    await using bed = new Bed({ namespaces: ['one', 'two'] });
    await bed.run();
    const all = bed.cache.reached('11', never);
    const one = bed.cache.reached('11', never, 'one');
    bed.api.put('a', '1', 'one');
    await bed.clock.advance(0);
    await one;
    assert.equal(await isSettled(all), false);
    bed.api.bookmark();
    await bed.clock.advance(0);
    await all;
  });
});

describe('stats()', () => {
  it('counts objects and restarts, and weighs what is kept', async () => {
    await using bed = new Bed();
    const none = { objects: 0, bytes: 0, restarts: 0, reconnects: 0, bookmarks: 0 };
    assert.deepEqual(bed.cache.stats(), none);
    for (let n = 0; n < 1000; n++) bed.api.put(`m${n}`, 'x'.repeat(1000));
    await bed.run();
    const { objects, bytes, restarts } = bed.cache.stats();
    assert.deepEqual([objects, restarts], [1000, 0]);
    assert.ok(bytes > 1_000_000 && bytes < 1_500_000, `${bytes} bytes`);
    bed.api.remove('m1');
    bed.api.faults.push({ kind: 'status', code: 410 });
    await bed.reconnect();
    assert.deepEqual([bed.cache.stats().objects, bed.cache.stats().restarts], [999, 1]);
  });

  it('counts bookmarks, and watches that were opened again', async () => {
    await using bed = new Bed();
    await bed.run();
    assert.deepEqual([bed.cache.stats().reconnects, bed.cache.stats().bookmarks], [0, 0]);
    bed.api.bookmark();
    bed.api.bookmark();
    await bed.reconnect();
    const { reconnects, bookmarks, restarts } = bed.cache.stats();
    assert.deepEqual([reconnects, bookmarks, restarts], [1, 2, 0]);
  });
});

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.constant<Fault>({ kind: 'unreachable' }),
  fc.record({
    kind: fc.constant('status' as const),
    code: fc.constantFrom(400, 410, 422, 429, 500, 503),
    retryAfter: fc.nat(5),
  }),
  fc.record({
    kind: fc.constantFrom('reset', 'garbage', 'gone', 'silent', 'end'),
    after: fc.nat(4),
  }),
);
const action = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), name }),
  fc.record({ kind: fc.constant('remove' as const), name }),
  fc.record({ kind: fc.constant('fault' as const), fault }),
  fc.record({ kind: fc.constantFrom('bookmark', 'compact', 'end') }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(100_000) }),
);

describe('a cache among failures', () => {
  it('ends up with the server’s state, whatever fails wherever', async () => {
    const property = fc.asyncProperty(
      fc.array(action, { maxLength: 25, size: 'max' }),
      fc.record({ streaming: fc.boolean(), isText: fc.boolean() }),
      async (actions, how) => {
        await using bed = new Bed({ keep: ['data'] });
        Object.assign(bed.api, how);
        const mirror = new Map<string, string | undefined>();
        const untrue: string[] = [];
        bed.cache.subscribe(({ kind, object: { metadata } }) => {
          if (mirror.has(metadata.name) === (kind === 'added')) untrue.push(metadata.name);
          if (kind === 'deleted') mirror.delete(metadata.name);
          else mirror.set(metadata.name, metadata.resourceVersion);
        });
        await bed.run();
        for (const step of actions) {
          if (step.kind === 'put') bed.api.put(step.name, String(bed.api.version));
          else if (step.kind === 'remove') bed.api.remove(step.name);
          else if (step.kind === 'fault') bed.api.faults.push(step.fault);
          else if (step.kind === 'wait') await bed.clock.advance(step.ms);
          else if (step.kind === 'bookmark') bed.api.bookmark();
          else if (step.kind === 'compact') bed.api.compact();
          else await bed.api.close();
        }
        // Long enough for every fault that waits to strike and be recovered from.
        for (let n = 0; n < 30; n++) await bed.reconnect();
        assert.deepEqual(contents(bed.cache.list()), contents(bed.api.objects));
        assert.equal(mirror.size, bed.api.objects.length);
        assert.deepEqual(untrue, [], 'events that do not follow from those before');
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });
});
