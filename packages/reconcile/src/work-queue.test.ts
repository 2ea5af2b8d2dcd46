import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import {
  createWorkQueue,
  type WorkItem,
  type WorkQueue,
  type WorkQueueOptions,
} from './work-queue.ts';

function start(options: Omit<WorkQueueOptions, 'clock'> = {}): {
  clock: VirtualClock;
  queue: WorkQueue;
} {
  const clock = new VirtualClock();
  return { clock, queue: createWorkQueue({ clock, ...options }) };
}

function takeAll(queue: WorkQueue): string[] {
  const keys: string[] = [];
  for (let item = queue.tryTake(); item !== undefined; item = queue.tryTake()) keys.push(item.key);
  return keys;
}

test('a key that is added often waits once', () => {
  const { queue } = start();
  for (const key of ['a', 'b', 'a', 'a']) queue.add(key);
  assert.equal(queue.depth, 2);
  assert.deepEqual(takeAll(queue), ['a', 'b']);
  assert.equal(queue.depth, 0);
});

test('a run is told of the newest that asked for it, but not of a later time', async () => {
  const { clock, queue } = start();
  const [resync, requeue] = [{ kind: 'resync' }, { kind: 'requeue' }] as const;
  queue.add('a', { cause: resync });
  queue.add('a', { afterMs: 60_000, cause: requeue });
  assert.deepEqual(queue.tryTake()?.cause, resync);
  queue.done('a');
  queue.add('a', { afterMs: 60_000, cause: requeue });
  await clock.advance(60_000);
  assert.deepEqual(queue.tryTake()?.cause, requeue);
  queue.done('a');
  queue.add('a', { afterMs: 60_000, cause: requeue });
  queue.add('a', { cause: resync });
  assert.deepEqual(queue.tryTake()?.cause, resync);
});

test('a key in work is not handed out again before it is done', async () => {
  const { queue } = start();
  queue.add('a');
  await queue.take();
  queue.add('a');
  assert.equal(queue.tryTake(), undefined);
  const second = queue.take();
  queue.done('a');
  assert.equal((await second)?.key, 'a');
});

test('a key that is done and was not added meanwhile does not come again', () => {
  const { queue } = start();
  queue.add('a');
  takeAll(queue);
  queue.done('a');
  assert.equal(queue.depth, 0);
  assert.equal(queue.tryTake(), undefined);
});

test('the earliest time of a key wins', async () => {
  const { clock, queue } = start();
  queue.add('a', { afterMs: 100 });
  queue.add('a', { afterMs: 10 });
  queue.add('a', { afterMs: 1000 });
  await clock.advance(9);
  assert.equal(queue.tryTake(), undefined);
  await clock.advance(1);
  assert.deepEqual(takeAll(queue), ['a']);
  assert.equal(clock.timers, 0);
});

test('a delay that is asked for during the run counts', async () => {
  const { clock, queue } = start();
  queue.add('a');
  takeAll(queue);
  queue.add('a', { afterMs: 10 });
  queue.done('a');
  assert.equal(queue.tryTake(), undefined);
  await clock.advance(10);
  assert.deepEqual(takeAll(queue), ['a']);
});

test('a new event swallows the pending retry', () => {
  const { clock, queue } = start();
  queue.add('a');
  retry(queue);
  queue.add('a');
  assert.deepEqual(takeAll(queue), ['a']);
  queue.done('a');
  assert.equal(queue.depth, 0);
  assert.equal(clock.timers, 0);
});

// Takes the next key, which fails.
function retry(queue: WorkQueue): WorkItem {
  const item = queue.tryTake();
  assert.ok(item);
  queue.retry(item);
  queue.done(item.key);
  return item;
}

test('retries double from 5 ms to 1000 s and start over after success', async () => {
  const { clock, queue } = start();
  queue.add('a');
  for (let failures = 0; failures < 20; failures++) {
    assert.equal(retry(queue).failures, failures);
    const delayMs = Math.min(5 * 2 ** failures, 1_000_000);
    await clock.advance(delayMs - 1);
    assert.equal(queue.tryTake(), undefined, `failure ${failures}`);
    await clock.advance(1);
  }
  queue.forget('a');
  assert.equal(retry(queue).failures, 0);
  await clock.advance(5);
  assert.deepEqual(takeAll(queue), ['a']);
});

test('higher priority goes first, and raising it moves a key to the end of its class', () => {
  const { queue } = start();
  queue.add('low', { priority: -100 });
  queue.add('raised', { priority: -100 });
  queue.add('first');
  queue.add('raised');
  queue.add('last');
  assert.deepEqual(takeAll(queue), ['first', 'raised', 'last', 'low']);
});

test('a retry keeps its priority', async () => {
  const { clock, queue } = start();
  queue.add('a', { priority: -100 });
  retry(queue);
  await clock.advance(5);
  queue.add('b', { priority: -50 });
  assert.deepEqual(takeAll(queue), ['b', 'a']);
});

test('a closed queue takes nothing, hands nothing out and wakes its workers', async () => {
  const { clock, queue } = start();
  const waiting = queue.take();
  queue.add('later', { afterMs: 10 });
  queue.close();
  queue.add('a');
  assert.equal(await waiting, undefined);
  assert.equal(await queue.take(), undefined);
  assert.equal(queue.tryTake(), undefined);
  assert.equal(clock.timers, 0);
});

test('an event that fails is no further try: the delay stays, and grows with retries only', async () => {
  const { clock, queue } = start();
  queue.add('a');
  retry(queue);
  await clock.advance(5);
  assert.deepEqual(retry(queue), { key: 'a', priority: 0, failures: 1, isRetry: true });
  for (let i = 0; i < 5; i++) {
    queue.add('a');
    assert.deepEqual(retry(queue), { key: 'a', priority: 0, failures: 2, isRetry: false });
  }
  await clock.advance(9);
  assert.equal(queue.tryTake(), undefined);
  await clock.advance(1);
  assert.equal(queue.tryTake()?.isRetry, true);
});

test('the bucket bounds the retries of all keys together, never events', async () => {
  const { clock, queue } = start({ retryBucket: { perSecond: 10, burst: 2 } });
  for (const key of ['a', 'b', 'c', 'd']) queue.add(key);
  for (let i = 0; i < 4; i++) retry(queue);
  await clock.advance(5);
  assert.deepEqual(takeAll(queue), ['a', 'b']);
  queue.add('d');
  assert.deepEqual(takeAll(queue), ['d']);
  await clock.advance(94);
  assert.equal(queue.tryTake(), undefined);
  await clock.advance(1);
  assert.deepEqual(takeAll(queue), ['c']);
});

test('runs of one key start at least an interval apart, whatever asks for them', async () => {
  const { clock, queue } = start({ intervalMs: 1000 });
  queue.add('a');
  await clock.advance(500);
  retry(queue);
  queue.add('a');
  queue.add('b');
  assert.deepEqual(takeAll(queue), ['b']);
  await clock.advance(999);
  assert.equal(queue.tryTake(), undefined);
  await clock.advance(1);
  assert.deepEqual(takeAll(queue), ['a']);
  queue.add('a');
  await clock.advance(10_000);
  queue.done('a');
  assert.deepEqual(takeAll(queue), ['a']);
});

test('a debounce waits for quiet, but not for ever', async () => {
  const { clock, queue } = start({ debounce: { quietMs: 100, waitMaxMs: 250 } });
  queue.add('quiet');
  await clock.advance(99);
  assert.equal(queue.tryTake(), undefined);
  await clock.advance(1);
  assert.deepEqual(takeAll(queue), ['quiet']);
  for (let ms = 0; ms < 250; ms += 50) {
    queue.add('busy');
    assert.equal(queue.tryTake(), undefined, `${ms}`);
    await clock.advance(50);
  }
  assert.deepEqual(takeAll(queue), ['busy']);
});

test('a named time is not put off by a debounce', async () => {
  const { clock, queue } = start({ debounce: { quietMs: 100, waitMaxMs: 1000 } });
  queue.add('a', { afterMs: 50 });
  queue.add('a');
  await clock.advance(50);
  assert.deepEqual(takeAll(queue), ['a']);
  queue.add('now', { afterMs: 0 });
  assert.deepEqual(takeAll(queue), ['now']);
});

test('drain() hands nothing out any more and waits for what is in work, or for the signal', async () => {
  const { queue } = start();
  queue.add('a');
  queue.add('b');
  await queue.take();
  const drained = queue.drain(new AbortController().signal);
  assert.equal(queue.tryTake(), undefined);
  assert.equal(await queue.drain(AbortSignal.abort()), false);
  queue.done('a');
  assert.equal(await drained, true);
  assert.equal(await start().queue.drain(new AbortController().signal), true);
});

test('the observer and the stats tell how the queue does', async () => {
  const heard: string[] = [];
  const { clock, queue } = start({
    observer: {
      added: () => heard.push('added'),
      retried: () => heard.push('retried'),
      taken: (ms) => heard.push(`taken ${ms}`),
      finished: (ms) => heard.push(`finished ${ms}`),
    },
  });
  queue.add('a');
  queue.add('a');
  queue.add('b', { afterMs: 30 });
  await clock.advance(20);
  await queue.take();
  await clock.advance(20);
  await queue.take();
  await clock.advance(5);
  const running = { depth: 0, running: 2, longestRunningMs: 25, unfinishedMs: 30 };
  assert.deepEqual(queue.stats(), running);
  queue.retry({ key: 'a', priority: 0, failures: 0, isRetry: false });
  queue.done('a');
  assert.deepEqual(queue.stats(), { depth: 1, running: 1, longestRunningMs: 5, unfinishedMs: 5 });
  assert.deepEqual(heard, [
    'added',
    'added',
    'taken 20',
    'taken 10',
    'retried',
    'added',
    'finished 25',
  ]);
});
