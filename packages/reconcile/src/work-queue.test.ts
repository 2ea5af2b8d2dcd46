import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import fc from 'fast-check';
import { createWorkQueue, type WorkItem, type WorkQueue } from './work-queue.ts';

function start(): { clock: VirtualClock; queue: WorkQueue } {
  const clock = new VirtualClock();
  return { clock, queue: createWorkQueue({ clock }) };
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

// The queue as a list that is searched: slow, and plainly right.
class NaiveQueue {
  entries: { key: string; dueMs: number; order: number; priority: number; arrival?: number }[] = [];
  readonly inWork = new Set<string>();
  #count = 0;

  add(key: string, dueMs: number, priority: number): void {
    const entry = this.entries.find((candidate) => candidate.key === key);
    if (entry === undefined) {
      this.entries.push({ key, dueMs, priority, order: this.#count++ });
      return;
    }
    if (priority > entry.priority) {
      entry.priority = priority;
      if (entry.arrival !== undefined) entry.arrival = this.#count++;
    }
    if (dueMs < entry.dueMs) Object.assign(entry, { dueMs, order: this.#count++ });
  }

  // Every entry that is due and whose key is free arrives, in the order in which it became due.
  settle(nowMs: number): void {
    const arriving = this.entries
      .filter((entry) => entry.arrival === undefined && entry.dueMs <= nowMs)
      .filter((entry) => !this.inWork.has(entry.key))
      .sort((a, b) => a.dueMs - b.dueMs || a.order - b.order);
    for (const entry of arriving) entry.arrival = this.#count++;
  }

  take(): string | undefined {
    const [entry] = this.entries
      .filter((candidate) => candidate.arrival !== undefined)
      .sort((a, b) => b.priority - a.priority || (a.arrival ?? 0) - (b.arrival ?? 0));
    if (entry === undefined) return undefined;
    this.entries = this.entries.filter((candidate) => candidate !== entry);
    this.inWork.add(entry.key);
    return entry.key;
  }
}

const keyArbitrary = fc.constantFrom('a', 'b', 'c', 'd', 'e');

const stepArbitrary = fc.oneof(
  fc.record({
    type: fc.constant('add' as const),
    key: keyArbitrary,
    afterMs: fc.constantFrom(0, 0, 1, 5, 50),
    priority: fc.constantFrom(-100, 0, 10),
  }),
  fc.record({ type: fc.constant('take' as const) }),
  fc.record({ type: fc.constant('done' as const), key: keyArbitrary }),
  fc.record({ type: fc.constant('advance' as const), byMs: fc.constantFrom(1, 5, 50) }),
);

test('the queue behaves like a searched list, whatever happens in whatever order', async () => {
  const property = fc.asyncProperty(fc.array(stepArbitrary, { maxLength: 60 }), async (steps) => {
    const { clock, queue } = start();
    const naive = new NaiveQueue();
    for (const step of steps) {
      if (step.type === 'add') {
        queue.add(step.key, step);
        naive.add(step.key, clock.now() + step.afterMs, step.priority);
      } else if (step.type === 'take') {
        assert.equal(queue.tryTake()?.key, naive.take());
      } else if (step.type === 'done' && naive.inWork.delete(step.key)) {
        queue.done(step.key);
      } else if (step.type === 'advance') {
        await clock.advance(step.byMs);
      }
      naive.settle(clock.now());
      assert.equal(queue.depth, naive.entries.length);
      assert.ok(clock.timers <= 1);
    }
  });
  await fc.assert(property, { numRuns: 200 });
});
