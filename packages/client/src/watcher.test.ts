import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { configMaps, type Fault, ScriptedApi } from '../test/scripted-api.ts';
import { createClient } from './client.ts';
import { watchResource } from './watcher.ts';
import type { WatcherEvent } from './watcher-state.ts';

class Bed implements AsyncDisposable {
  readonly clock = new VirtualClock();
  readonly api = new ScriptedApi();
  readonly told: string[] = [];
  readonly #stop = new AbortController();
  #done: Promise<void> | undefined;

  /** Starts the watcher and lets it do what it can without waiting. */
  async start(): Promise<void> {
    const events = watchResource({
      client: createClient(this.api, { fieldManager: 'test', clock: this.clock }).of(configMaps),
      clock: this.clock,
      random: seededRandom(1),
      logger: silentLogger,
      signal: this.#stop.signal,
    });
    this.#done = this.#read(events);
    await this.clock.advance(0);
  }

  async #read(events: AsyncIterable<WatcherEvent<KubeObject>>): Promise<void> {
    for await (const event of events) this.told.push(describeEvent(event));
  }

  /** What was told since the last call. */
  take(): string[] {
    return this.told.splice(0);
  }

  get lastQuery(): Readonly<Record<string, string>> {
    return this.api.requests.at(-1)?.query ?? {};
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.clock.advance(60_000);
    await this.#done;
    assert.equal(this.clock.timers, 0, 'no timer is left');
    assert.equal(this.api.openWatches, 0, 'no watch is left');
  }
}

function describeEvent(event: WatcherEvent<KubeObject>): string {
  return 'object' in event ? `${event.kind} ${event.object.metadata.name}` : event.kind;
}

async function startedBed(...names: string[]): Promise<Bed> {
  const bed = new Bed();
  for (const name of names) bed.api.put(name, '1');
  await bed.start();
  return bed;
}

describe('watchResource()', () => {
  it('begins with a streaming list on one watch, and goes on with its changes', async () => {
    await using bed = await startedBed('a', 'b');
    assert.deepEqual(bed.take(), ['restarted', 'applied b', 'applied a', 'synced']);
    const { timeoutSeconds, ...query } = bed.lastQuery;
    assert.deepEqual(query, {
      watch: 'true',
      allowWatchBookmarks: 'true',
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
    });
    assert.ok(Number(timeoutSeconds) >= 300 && Number(timeoutSeconds) < 600);
    bed.api.put('a', '2');
    bed.api.remove('b');
    await bed.clock.advance(0);
    assert.deepEqual(bed.take(), ['applied a', 'deleted b']);
    assert.equal(bed.api.requests.length, 1);
  });

  for (const code of [400, 422]) {
    it(`lists in pages when initial events are refused with ${code}`, async () => {
      const bed = new Bed();
      await using _ = bed;
      for (const name of ['a', 'b', 'c']) bed.api.put(name, '1');
      bed.api.faults.push({ kind: 'status', code });
      await bed.start();
      const told = ['restarted', 'applied a', 'applied b', 'applied c', 'synced'];
      assert.deepEqual(bed.take(), told);
      assert.deepEqual(
        bed.api.requests.map(({ query }) => query?.continue ?? query?.resourceVersion),
        [undefined, undefined, '2', bed.api.version],
      );
      assert.equal(bed.api.requests[1]?.query?.limit, '500');
    });
  }

  it('does not ask again for initial events that were refused once', async () => {
    const bed = new Bed();
    await using _ = bed;
    bed.api.streaming = false;
    bed.api.put('a', '1');
    await bed.start();
    bed.api.faults.push({ kind: 'status', code: 410 });
    await bed.api.close();
    await bed.clock.advance(10_000);
    const queries = bed.api.requests.map(({ query }) => query?.sendInitialEvents);
    assert.equal(queries.filter((query) => query === 'true').length, 1);
    assert.equal(bed.told.filter((event) => event === 'synced').length, 2);
  });

  it('goes on from the newest event or bookmark when the server ends the watch', async () => {
    await using bed = await startedBed('a');
    bed.api.put('b', '1');
    bed.api.bookmark();
    await bed.clock.advance(2_000);
    await bed.api.close();
    await bed.clock.advance(0);
    assert.equal(bed.lastQuery.resourceVersion, bed.api.version);
    assert.equal(bed.lastQuery.sendInitialEvents, undefined);
    bed.take();
    bed.api.put('c', '1');
    await bed.clock.advance(0);
    assert.deepEqual(bed.take(), ['applied c']);
  });

  it('does not trust the versions of initial events: cut short, they start again', async () => {
    const bed = new Bed();
    await using _ = bed;
    for (const name of ['a', 'b', 'c']) bed.api.put(name, '1');
    bed.api.faults.push({ kind: 'reset', after: 2 });
    await bed.start();
    assert.deepEqual(bed.take(), ['restarted', 'applied c', 'applied b']);
    await bed.clock.advance(800);
    const told = ['restarted', 'applied c', 'applied b', 'applied a', 'synced'];
    assert.deepEqual(bed.take(), told);
  });

  it('lists after initial events that were cut short again and again', async () => {
    const bed = new Bed();
    await using _ = bed;
    for (const name of ['a', 'b', 'c']) bed.api.put(name, '1');
    for (let n = 0; n < 3; n++) bed.api.faults.push({ kind: 'reset', after: 2 });
    await bed.start();
    await bed.clock.advance(10_000);
    assert.equal(bed.told.at(-1), 'synced');
    assert.equal(bed.api.requests[3]?.query?.limit, '500');
  });

  it('lists in one piece when the pages have expired before their end', async () => {
    const bed = new Bed();
    await using _ = bed;
    bed.api.streaming = false;
    for (const name of ['a', 'b', 'c']) bed.api.put(name, '1');
    bed.api.faults.push({ kind: 'status', code: 422 }, { kind: 'end', after: 0 });
    bed.api.faults.push({ kind: 'status', code: 410 });
    await bed.start();
    const told = ['restarted', 'applied a', 'applied b', 'restarted'];
    assert.deepEqual(bed.take(), [...told, 'applied a', 'applied b', 'applied c', 'synced']);
    const { limit, continue: token } = bed.api.requests[3]?.query ?? {};
    assert.deepEqual([limit, token], [undefined, undefined]);
  });

  const gone: readonly Fault[] = [
    { kind: 'gone', after: 0 },
    { kind: 'status', code: 410 },
  ];
  for (const fault of gone) {
    it(`reads everything anew after 410 (${JSON.stringify(fault)})`, async () => {
      await using bed = await startedBed('a');
      bed.take();
      bed.api.faults.push(fault);
      await bed.clock.advance(2_000);
      await bed.api.close();
      await bed.clock.advance(0);
      assert.deepEqual(bed.take(), ['restarted', 'applied a', 'synced']);
    });
  }

  it('backs off, longer each time up to 30 s, and never in a tight loop', async () => {
    const bed = new Bed();
    await using _ = bed;
    for (let n = 0; n < 100; n++) bed.api.faults.push({ kind: 'unreachable' });
    await bed.start();
    assert.equal(bed.api.requests.length, 1);
    await bed.clock.advance(10_000);
    const early = bed.api.requests.length;
    assert.ok(early >= 4 && early <= 8, `${early} requests in the first 10 s`);
    await bed.clock.advance(300_000);
    const late = bed.api.requests.length - early;
    assert.ok(late >= 10 && late <= 22, `${late} requests in the next 300 s`);
  });

  it('waits as long as Retry-After asks', async () => {
    const bed = new Bed();
    await using _ = bed;
    bed.api.faults.push({ kind: 'status', code: 429, retryAfter: 40 });
    await bed.start();
    await bed.clock.advance(39_000);
    assert.equal(bed.api.requests.length, 1);
    await bed.clock.advance(2_000);
    assert.deepEqual(bed.take(), ['restarted', 'synced']);
  });

  it('opens a new watch when one with bookmarks falls silent for 90 s', async () => {
    await using bed = await startedBed('a');
    bed.api.bookmark();
    await bed.clock.advance(89_000);
    assert.equal(bed.api.requests.length, 1);
    await bed.clock.advance(1_000);
    assert.equal(bed.api.requests.length, 2);
    assert.equal(bed.lastQuery.resourceVersion, bed.api.version);
    assert.equal(bed.api.openWatches, 1);
  });

  it('opens a new watch when one without bookmarks outlives its timeout', async () => {
    await using bed = await startedBed('a');
    const timeoutMs = Number(bed.lastQuery.timeoutSeconds) * 1000;
    await bed.clock.advance(timeoutMs);
    assert.equal(bed.api.requests.length, 1);
    await bed.clock.advance(31_000);
    assert.equal(bed.api.requests.length, 2);
  });

  it('lists when a server takes the watch but never ends its initial events', async () => {
    const bed = new Bed();
    await using _ = bed;
    bed.api.put('a', '1');
    bed.api.faults.push({ kind: 'silent', after: 1 });
    await bed.start();
    await bed.clock.advance(61_000);
    assert.deepEqual(bed.take().slice(-3), ['restarted', 'applied a', 'synced']);
    assert.equal(bed.api.requests[1]?.query?.limit, '500');
  });

  it('does not reopen watches in a tight loop when the server ends them at once', async () => {
    await using bed = await startedBed('a');
    for (let n = 0; n < 100; n++) bed.api.faults.push({ kind: 'end', after: 0 });
    await bed.api.close();
    await bed.clock.advance(10_000);
    assert.ok(bed.api.requests.length <= 9, `${bed.api.requests.length} requests in 10 s`);
  });
});
