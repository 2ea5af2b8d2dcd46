import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import fc from 'fast-check';
import { createWorkQueue, type PaceOptions, type WorkItem } from '../src/work-queue.ts';
import { NaiveQueue } from './naive-queue.ts';

/** The queue under test beside its twin; both see the same steps at the same times. */
class Bench {
  readonly clock = new VirtualClock();
  readonly queue;
  readonly inWork = new Map<string, WorkItem>();
  readonly startsMs = new Map<string, number>();

  constructor(pace: PaceOptions) {
    this.queue = createWorkQueue({ clock: this.clock, ...pace });
  }
}

type Step = fc.AsyncCommand<NaiveQueue, Bench, true>;

function step(
  text: string,
  run: (naive: NaiveQueue, bench: Bench) => void | Promise<void>,
  check: (naive: Readonly<NaiveQueue>) => boolean = () => true,
): Step {
  return {
    check: (naive) => Promise.resolve(check(naive)),
    toString: () => text,
    async run(naive, bench) {
      await run(naive, bench);
      naive.settle(bench.clock.now());
      assert.equal(bench.queue.depth, naive.entries.length);
      assert.equal(bench.queue.stats().running, naive.inWork.size);
      assert.ok(bench.clock.timers <= 1);
    },
  };
}

const add = (key: string, priority: number, afterMs: number | undefined): Step =>
  step(`add(${key}, ${priority}, ${afterMs})`, (naive, { queue, clock }) => {
    queue.add(key, { priority, afterMs });
    naive.add(key, priority, { nowMs: clock.now(), afterMs });
  });

const take = (intervalMs: number): Step =>
  step('take', (naive, { queue, clock, inWork, startsMs }) => {
    const item = queue.tryTake();
    const taken = item && { key: item.key, isRetry: item.isRetry, failures: item.failures };
    assert.deepEqual(taken, naive.take(clock.now()));
    if (item === undefined) return;
    assert.ok(!inWork.has(item.key), 'I2');
    const earliestMs = (startsMs.get(item.key) ?? Number.NEGATIVE_INFINITY) + intervalMs;
    assert.ok(clock.now() >= earliestMs, 'I5');
    inWork.set(item.key, item);
    startsMs.set(item.key, clock.now());
  });

const end = (key: string, fails: boolean): Step =>
  step(
    `${fails ? 'fail' : 'succeed'}(${key})`,
    (naive, { queue, clock, inWork }) => {
      const item = inWork.get(key);
      assert.ok(item);
      inWork.delete(key);
      if (fails) {
        queue.retry({ ...item, priority: 0 });
        naive.retry(key, item.isRetry, clock.now());
      } else {
        queue.forget(key);
        naive.failures.delete(key);
      }
      naive.settle(clock.now());
      queue.done(key);
      naive.inWork.delete(key);
    },
    (naive) => naive.inWork.has(key),
  );

const advance = (byMs: number): Step =>
  step(`advance(${byMs})`, async (_naive, { clock }) => clock.advance(byMs));

const keys = fc.constantFrom('a', 'b', 'c', 'd', 'e');

function steps(intervalMs: number): fc.Arbitrary<Iterable<Step>> {
  return fc.commands<NaiveQueue, Bench, true>(
    [
      fc
        .tuple(keys, fc.constantFrom(-100, 0, 10), fc.constantFrom(undefined, undefined, 0, 5, 50))
        .map(([key, priority, afterMs]) => add(key, priority, afterMs)),
      fc.constant(take(intervalMs)),
      fc.tuple(keys, fc.boolean()).map(([key, fails]) => end(key, fails)),
      fc.constantFrom(1, 5, 50).map(advance),
    ],
    { maxCommands: 60, size: 'max' },
  );
}

const paces: Readonly<Record<string, PaceOptions>> = {
  'with no pace': {},
  'with an interval': { intervalMs: 20 },
  'with a debounce': { debounce: { quietMs: 7, waitMaxMs: 9 } },
  'with both': { intervalMs: 20, debounce: { quietMs: 7, waitMaxMs: 9 } },
};

for (const [name, pace] of Object.entries(paces)) {
  test(`${name}, the queue does what a searched list does, whatever happens`, async () => {
    const property = fc.asyncProperty(steps(pace.intervalMs ?? 0), async (commands) => {
      const setup = (): { model: NaiveQueue; real: Bench } => ({
        model: new NaiveQueue(pace),
        real: new Bench(pace),
      });
      await fc.asyncModelRun(setup, commands);
    });
    await fc.assert(property, { numRuns: 300 });
  });
}
