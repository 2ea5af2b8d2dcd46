import assert from 'node:assert/strict';
import { it } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { KeyedQueue } from './keyed-queue.ts';

interface Bench extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly queue: KeyedQueue;
  /** Work that has begun, ended by hand. */
  readonly begun: { key: string; end: (error?: Error) => void }[];
}

function createBench(workersMax = 2): Bench {
  const clock = new VirtualClock(0);
  const begun: Bench['begun'] = [];
  const queue = new KeyedQueue({
    workersMax,
    delayMs: () => 10,
    delayMaxMs: 25,
    clock,
    retryMs: (failures) => 100 * failures,
    work: (key) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error): void => (error === undefined ? resolve() : reject(error));
        begun.push({ key, end });
      }),
    onFailure: () => {},
  });
  const abort = new AbortController();
  const running = queue.run(abort.signal);
  return {
    clock,
    queue,
    begun,
    async [Symbol.asyncDispose]() {
      abort.abort();
      await running;
      assert.equal(clock.timers, 0);
    },
  };
}

it('add() of the same key before its work is worked on once', async () => {
  await using bench = createBench();
  bench.queue.add('a');
  bench.queue.add('a');
  assert.equal(bench.begun.length, 0);
  await bench.clock.advance(10);
  assert.deepEqual(
    bench.begun.map(({ key }) => key),
    ['a'],
  );
});

it('keys wait until nothing was added for a while, and no longer than that', async () => {
  await using bench = createBench(9);
  for (const key of ['a', 'b', 'c']) {
    bench.queue.add(key);
    await bench.clock.advance(8);
  }
  assert.equal(bench.begun.length, 0);
  await bench.clock.advance(1);
  assert.equal(bench.begun.length, 3);
  bench.queue.add('d');
  await bench.clock.advance(9);
  assert.equal(bench.begun.length, 3);
  await bench.clock.advance(1);
  assert.equal(bench.begun.length, 4);
});

it('what has waited is worked on while others are added', async () => {
  await using bench = createBench(1);
  bench.queue.add('a');
  bench.queue.add('b');
  await bench.clock.advance(10);
  bench.queue.add('c');
  bench.begun[0]?.end();
  await bench.clock.advance(0);
  assert.deepEqual(
    bench.begun.map(({ key }) => key),
    ['a', 'b'],
  );
});

it('add() of a key that is worked on makes it come again afterwards, not beside', async () => {
  await using bench = createBench();
  bench.queue.add('a');
  await bench.clock.advance(10);
  bench.queue.add('a');
  await bench.clock.advance(100);
  assert.equal(bench.begun.length, 1);
  bench.begun[0]?.end();
  await bench.clock.advance(0);
  assert.equal(bench.begun.length, 2);
});

it('no more keys are worked on at once than there are workers', async () => {
  await using bench = createBench();
  for (const key of ['a', 'b', 'c']) bench.queue.add(key);
  await bench.clock.advance(10);
  assert.equal(bench.begun.length, 2);
  bench.begun[1]?.end();
  await bench.clock.advance(0);
  assert.equal(bench.begun[2]?.key, 'c');
});

it('a key that failed comes again, later each time, and sooner when it is added', async () => {
  await using bench = createBench();
  bench.queue.add('a');
  await bench.clock.advance(10);
  bench.begun[0]?.end(new Error('no'));
  await bench.clock.advance(109);
  assert.equal(bench.begun.length, 1);
  await bench.clock.advance(1);
  bench.begun[1]?.end(new Error('no'));
  await bench.clock.advance(209);
  assert.equal(bench.begun.length, 2);
  bench.queue.add('a');
  await bench.clock.advance(10);
  assert.equal(bench.begun.length, 3);
  bench.begun[2]?.end();
  await bench.clock.advance(1_000);
  assert.equal(bench.begun.length, 3);
});

it('hurry() has a key worked on at once, and tells when that is over', async () => {
  await using bench = createBench();
  bench.queue.add('a');
  const over: string[] = [];
  const hurried = bench.queue.hurry('a').then(() => over.push('a'));
  assert.equal(bench.begun.length, 1, 'it does not wait until nothing is added');
  const again = bench.queue.hurry('a').then(() => over.push('a again'));
  bench.begun[0]?.end();
  await hurried;
  assert.deepEqual(over, ['a'], 'that work began before it was hurried for again');
  assert.equal(bench.begun.length, 2);
  bench.begun[1]?.end(new Error('no'));
  await again;
  await bench.clock.advance(110);
  assert.equal(bench.begun.length, 3, 'what failed is tried again, and nobody waits for it');
  bench.begun[2]?.end();
});

it('who hurries is not kept waiting when the queue ends', async () => {
  let never: Promise<void>;
  {
    await using bench = createBench(1);
    bench.queue.add('a');
    await bench.clock.advance(10);
    never = bench.queue.hurry('b');
    assert.equal(bench.begun.length, 1, 'the only worker is at work');
  }
  await never;
});
