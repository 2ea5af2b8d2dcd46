import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import type { ObjectKey } from '@fnlet/machinery';
import { terminal } from '@fnlet/sdk/operator';
import { start } from '../test/running-controller.ts';
import { createController } from './controller.ts';

const key = { namespace: 'default', name: 'a' };

test('a paused key is left alone, and runs with the event that ends the pause', async () => {
  let isPaused = true;
  let runs = 0;
  const { clock, controller, stop } = start(
    async () => {
      runs++;
      return undefined;
    },
    { isPaused: () => isPaused },
  );
  controller.enqueue(key);
  await clock.advance(10_000_000);
  assert.equal(runs, 0);
  assert.equal(controller.stats().depth, 0);
  isPaused = false;
  controller.enqueue(key);
  await clock.advance(0);
  assert.equal(runs, 1);
  await stop();
});

/** Sources that know three keys, and say so at the start. */
const known = ['a', 'b', 'c'].map((name) => ({ namespace: 'default', name }));
const knowing = {
  synced: Promise.resolve(),
  start(enqueue: (key: ObjectKey) => void) {
    for (const found of known) enqueue(found);
    return () => {};
  },
  known: () => known,
};

test('only owned keys run; those that are lost are told to end, those that are won run', async () => {
  let owned = ['a', 'b'];
  let tell = (): Promise<void> => Promise.resolve();
  const ran: string[] = [];
  const { clock, controller, stop } = start(
    async ({ name }, { signal }) => {
      ran.push(name);
      await new Promise<void>((resolve) => {
        if (name !== 'a') return resolve();
        signal.addEventListener('abort', () => setImmediate(resolve));
      });
      ran.push(`${name} ends`);
      signal.throwIfAborted();
      return undefined;
    },
    {
      sources: [knowing],
      concurrency: 3,
      ownership: {
        ownsKey: ({ name }) => owned.includes(name),
        subscribe(listener) {
          tell = listener;
          return () => {};
        },
      },
    },
  );
  await clock.advance(0);
  assert.deepEqual(ran.splice(0), ['a', 'b', 'b ends']);
  owned = ['c'];
  const handedOver = tell().then(() => ran.push('handed over'));
  controller.enqueue(key);
  await clock.advance(0);
  await handedOver;
  assert.deepEqual(ran, ['c', 'c ends', 'a ends', 'handed over']);
  await clock.advance(10_000_000);
  assert.equal(ran.length, 4, 'a lost key is not tried again');
  await stop();
});

test('a resync runs every known key again, about a tenth before or after its time', async () => {
  const times: number[] = [];
  const { clock, stop } = start(
    async ({ name }) => {
      if (name === 'a') times.push(clock.now() - Date.UTC(2026, 0, 1));
      return undefined;
    },
    { sources: [knowing], resyncMs: 1000, random: seededRandom(1) },
  );
  await clock.advance(10_000);
  const gaps = times.slice(1).map((ms, i) => ms - (times[i] ?? 0));
  assert.ok(gaps.length >= 9, `${gaps}`);
  assert.ok(
    gaps.every((ms) => ms >= 900 && ms <= 1100),
    `${gaps}`,
  );
  assert.ok(new Set(gaps).size > 1, `${gaps}`);
  await stop();
});

test('resync() runs each key once, however many sources know it and workers wait', async () => {
  const ran: string[] = [];
  const { clock, controller, stop } = start(
    ({ name }) => {
      ran.push(name);
      return Promise.resolve(undefined);
    },
    { sources: [knowing, knowing], concurrency: 4 },
  );
  await clock.advance(0);
  ran.length = 0;
  controller.resync();
  await clock.advance(0);
  assert.deepEqual(
    ran,
    known.map(({ name }) => name),
  );
  await stop();
});

test('drain() takes up nothing more and lets the run in progress end by itself', async () => {
  const release = Promise.withResolvers<undefined>();
  const ran: string[] = [];
  const { clock, controller, stop } = start(async ({ name }, { signal }) => {
    ran.push(name);
    await release.promise;
    assert.equal(signal.aborted, false);
    ran.push(`${name} ends`);
    return { requeueAfterMs: 1 };
  });
  for (const found of known) controller.enqueue(found);
  await clock.advance(0);
  const drained = controller.drain(new AbortController().signal).then(() => ran.push('drained'));
  await clock.advance(1000);
  assert.deepEqual(ran, ['a']);
  release.resolve(undefined);
  await drained;
  await clock.advance(1000);
  assert.deepEqual(ran, ['a', 'a ends', 'drained']);
  await stop();
});

test('it runs again after it has stopped, with what was asked for meanwhile', async () => {
  const clock = new VirtualClock();
  const ran: string[] = [];
  const controller = createController({
    name: 'test',
    sources: [],
    reconcile: async ({ name }) => {
      ran.push(name);
      return { requeueAfterMs: 100 };
    },
    clock,
    logger: silentLogger,
  });
  controller.enqueue(key);
  for (const expected of [['a'], ['a', 'b']]) {
    const abort = new AbortController();
    const running = controller.run(abort.signal);
    await clock.advance(10);
    abort.abort();
    await running;
    assert.deepEqual(ran, expected);
    await clock.advance(1000);
    assert.deepEqual(ran, expected, 'nothing runs while it is stopped');
    controller.enqueue({ namespace: 'default', name: 'b' });
  }
});

test('the observer hears how each run ended', async () => {
  const outcomes: string[] = [];
  const ends = [{}, { requeueAfterMs: 1 }, new Error('x'), terminal('y'), new Error('z')];
  const noted = { added() {}, retried() {}, taken() {}, finished() {} };
  const { clock, controller, stop } = start(
    async () => {
      const end = ends.shift();
      if (end instanceof Error) throw end;
      return end;
    },
    {
      attempts: 2,
      observer: { ...noted, reconciled: (outcome, ms) => outcomes.push(`${outcome} ${ms}`) },
    },
  );
  controller.enqueue(key);
  await clock.advance(0);
  controller.enqueue(key);
  await clock.advance(100);
  assert.deepEqual(outcomes, ['done 0', 'requeued 0', 'failed 0', 'terminal 0']);
  await stop();
});
