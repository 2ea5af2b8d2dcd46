import assert from 'node:assert/strict';
import { it } from 'node:test';
import { silentLogger, VirtualClock } from '@fnlet/base';
import type { LoadFailure } from '@fnlet/invocation';
import { limits } from './limits.ts';
import { isRunner, type Runner } from './runner.ts';
import { StartSlots } from './start-slots.ts';
import { type WarmingListener, WarmPool } from './warm-pool.ts';

/** A Runner that gets warm, or dies, by hand. */
interface Start {
  readonly runner: Runner;
  killed: boolean;
  rehearsed: boolean;
  warm(): void;
  load(): void;
  die(reason?: string): void;
}

interface Bench {
  readonly clock: VirtualClock;
  readonly pool: WarmPool;
  readonly starts: Start[];
  /** What was delivered: the number of the Runner by start, or why there is none. */
  readonly delivered: (number | string)[];
  take(rank?: number, isFurther?: boolean): () => void;
}

interface BenchOptions {
  readonly min?: number;
  readonly max?: number;
  readonly slots?: number;
  readonly loadsMax?: number;
  /** Whether code loads in the tick in which it is given. */
  readonly loadsAtOnce?: boolean;
}

function createBench(options: BenchOptions = {}): Bench {
  const { min = 1, max = 3, slots = 2, loadsMax = 9, loadsAtOnce = true } = options;
  const clock = new VirtualClock();
  const starts: Start[] = [];
  const delivered: (number | string)[] = [];
  const pool: WarmPool = new WarmPool({
    runtime: 'nodejs24',
    bounds: { min, max },
    clock,
    loadsMax,
    logger: silentLogger,
    slots: new StartSlots(slots, () => pool.startForWaiting()),
    start: (listener) => {
      const start = createStart(listener);
      starts.push(start);
      return start.runner;
    },
  });
  const deliver = (result: Runner | LoadFailure): void => {
    const number = starts.findIndex(({ runner }) => runner === result);
    delivered.push(isRunner(result) ? number : result.message);
    if (loadsAtOnce) starts[number]?.load();
  };
  const take = (rank = 0, isFurther = false): (() => void) =>
    pool.take({ rank, isFurther }, deliver);
  return { clock, pool, starts, delivered, take };
}

function createStart({ onWarm, onGone, onLoaded }: WarmingListener): Start {
  const start: Start = {
    killed: false,
    rehearsed: false,
    runner: {
      pid: undefined,
      address: { socketPath: '', host: '', port: 0 },
      rehearse() {
        start.rehearsed = true;
      },
      specialise() {},
      drain() {},
      signal() {
        start.killed = true;
      },
    },
    warm: () => onWarm(start.runner),
    load: () => onLoaded(start.runner),
    die: (reason = 'it died') => onGone(start.runner, reason),
  };
  return start;
}

it('fills up to its size, one Runner at a time', async () => {
  const { clock, pool, starts } = createBench({ min: 2 });
  await clock.advance(limits.refillDelayMs);
  assert.equal(starts.length, 1);
  await clock.advance(1_000);
  assert.equal(starts.length, 1, 'the second waits for the first');
  starts[0]?.warm();
  await clock.advance(limits.refillDelayMs);
  starts[1]?.warm();
  await clock.advance(1_000);
  assert.equal(starts.length, 2);
  assert.equal(pool.idle, 2);
});

it('lets a Runner rehearse that nobody waits for, and no other', async () => {
  const { clock, starts, take } = createBench();
  take();
  starts[0]?.warm();
  await clock.advance(limits.refillDelayMaxMs);
  starts[1]?.warm();
  assert.deepEqual(
    starts.map(({ rehearsed }) => rehearsed),
    [false, true],
  );
});

it('take() delivers a warm Runner in the same tick, and refills only later', async () => {
  const { clock, starts, delivered, take } = createBench();
  await clock.advance(limits.refillDelayMs);
  starts[0]?.warm();
  await clock.advance(1_000);
  take();
  assert.deepEqual(delivered, [0]);
  await clock.advance(limits.refillDelayMs - 1);
  assert.equal(starts.length, 1);
  await clock.advance(1);
  assert.equal(starts.length, 2);
});

it('take() from an empty pool starts a Runner at once, or adopts the one that starts', async () => {
  const { clock, starts, delivered, take } = createBench();
  take();
  assert.equal(starts.length, 1);
  starts[0]?.warm();
  assert.deepEqual(delivered, [0]);
  await clock.advance(limits.refillDelayMaxMs);
  assert.equal(starts.length, 2);
  take();
  assert.equal(starts.length, 2);
  starts[1]?.warm();
  assert.deepEqual(delivered, [0, 1]);
});

it('starts no more Runners at once than there are slots, and serves low ranks first', () => {
  const { starts, delivered, take } = createBench({ slots: 1 });
  take(0);
  take(1);
  const third = take(2);
  take(0);
  assert.equal(starts.length, 1);
  starts[0]?.warm();
  starts[1]?.warm();
  assert.equal(starts.length, 3);
  third();
  starts[2]?.warm();
  assert.deepEqual(delivered, [0, 1, 2]);
  assert.equal(starts.length, 3, 'nobody waits any more');
});

it('leaves its last Runner to a Revision that has no Instance', async () => {
  const { clock, pool, starts, delivered, take } = createBench({ min: 2 });
  for (let i = 0; i < 2; i++) {
    await clock.advance(limits.refillDelayMs);
    starts[i]?.warm();
  }
  take(2, true);
  take(4, true);
  assert.deepEqual(delivered, [0]);
  assert.equal(starts.length, 3, 'one starts for who has others already');
  take();
  assert.deepEqual(delivered, [0, 1], 'and who has none is served at once');
  starts[2]?.warm();
  assert.deepEqual(delivered, [0, 1, 2]);
  assert.equal(pool.idle, 0);
});

it('a Runner that gets warm goes to who waits, also to one that has others', () => {
  const { pool, starts, delivered, take } = createBench();
  take(2, true);
  starts[0]?.warm();
  assert.deepEqual(delivered, [0]);
  assert.equal(pool.idle, 0);
});

it('refills after a take that had to wait for its Runner', async () => {
  const { clock, pool, starts, take } = createBench();
  take();
  await clock.advance(1_000);
  starts[0]?.warm();
  await clock.advance(limits.refillDelayMaxMs);
  assert.equal(starts.length, 2);
  starts[1]?.warm();
  assert.equal(pool.idle, 1);
});

it('refilling waits longer while Runners are left for those who come next', async () => {
  const { clock, pool, starts, take } = createBench({ min: 2 });
  for (let i = 0; i < 2; i++) {
    await clock.advance(limits.refillDelayMs);
    starts[i]?.warm();
  }
  await clock.advance(1_000);
  take();
  assert.equal(pool.idle, 1);
  await clock.advance(limits.calmRefillDelayMs - 1);
  assert.equal(starts.length, 2);
  take();
  await clock.advance(limits.refillDelayMs);
  assert.equal(starts.length, 3, 'none is left, and that is soon');
});

it('refilling waits until the code of those that were taken is loaded', async () => {
  const { clock, starts, take } = createBench({ max: 8, slots: 4, loadsAtOnce: false });
  take();
  take();
  for (const start of starts) start.warm();
  await clock.advance(limits.loadingMs / 2);
  assert.equal(starts.length, 2, 'both load');
  starts[0]?.load();
  await clock.advance(limits.loadingMs / 2 - 1);
  assert.equal(starts.length, 2, 'one loads still');
  starts[1]?.load();
  await clock.advance(limits.refillDelayMs);
  assert.equal(starts.length, 3);
});

it('code that takes long to load keeps no refill from its work', async () => {
  const { clock, starts, take } = createBench({ max: 8, slots: 4, loadsAtOnce: false });
  take();
  take();
  for (const start of starts) start.warm();
  await clock.advance(limits.loadingMs);
  assert.equal(starts.length, 3);
  starts[2]?.warm();
  await clock.advance(limits.refillDelayMs);
  assert.equal(starts.length, 4, 'and the next comes as soon as ever');
});

it('where Runners load all the time, the pool is filled all the same', async () => {
  const bench = createBench({ max: 8, slots: 4, loadsAtOnce: false });
  const { clock, starts, delivered, take } = bench;
  let refills = 0;
  for (let i = 0; i < 100; i++) {
    take();
    starts.at(-1)?.warm();
    const { length } = starts;
    await clock.advance(10);
    if (starts.length > length) refills++;
    // The one that was taken last loads still.
    const before = delivered.at(-2);
    if (typeof before === 'number') starts[before]?.load();
  }
  assert.ok(refills >= 3, `${refills} in a second, and what they leave is started for takes`);
});

it('starts for those that have other Instances leave slots to those that have none', () => {
  const { starts, delivered, take } = createBench({ slots: 4 });
  for (let i = 1; i <= 3; i++) take(2 * i, true);
  assert.equal(starts.length, 2);
  take();
  assert.equal(starts.length, 2, 'the one that starts next is for who has none');
  take();
  take();
  assert.equal(starts.length, 3, 'more are started while those that start are too few');
  for (const start of starts.slice(0, 3)) start.warm();
  assert.deepEqual(delivered, [0, 1, 2]);
  assert.equal(starts.length, 5, 'for the others again two at a time');
});

it('lets no more Runners load at once than the processors can, in the order of the takes', async () => {
  const bench = createBench({ min: 4, max: 4, loadsMax: 2, loadsAtOnce: false });
  const { clock, pool, starts, delivered, take } = bench;
  for (let i = 0; i < 4; i++) {
    await clock.advance(limits.refillDelayMs);
    starts[i]?.warm();
  }
  for (let i = 0; i < 4; i++) take();
  assert.deepEqual(delivered, [0, 1]);
  assert.equal(starts.length, 4, 'nothing is started for those who have one, and wait to load');
  starts[1]?.load();
  assert.deepEqual(delivered, [0, 1, 2]);
  await clock.advance(limits.loadTurnMs);
  assert.deepEqual(delivered, [0, 1, 2, 3], 'what loads for longer keeps nobody waiting');
  assert.equal(pool.counts().takenIdle, 4);
});

it('leaves a part of its Runners to Revisions that have no Instance', async () => {
  const { clock, pool, starts, delivered, take } = createBench({ min: 8, max: 8 });
  for (let i = 0; i < 8; i++) {
    await clock.advance(limits.refillDelayMs);
    starts[i]?.warm();
  }
  for (let i = 1; i <= 8; i++) take(2 * i, true);
  assert.equal(delivered.length, 6);
  assert.equal(pool.idle, 2);
  take();
  take();
  assert.deepEqual(delivered.slice(6), [6, 7], 'which are served at once');
});

it('steady takes put the refill off, but not for ever', async () => {
  const { clock, starts, take } = createBench({ max: 8, slots: 9 });
  const aheadAt: number[] = [];
  for (let i = 0; i < 10; i++) {
    take();
    starts.at(-1)?.warm();
    const { length } = starts;
    await clock.advance(limits.refillDelayMs / 2);
    if (starts.length > length) aheadAt.push(i);
  }
  assert.deepEqual(aheadAt, [3, 7], 'as often as the bound says');
});

it('holds as many as a burst took, and lets them go after a while', async () => {
  const { clock, pool, starts, take } = createBench({ slots: 9 });
  for (let i = 0; i < 5; i++) take();
  for (const start of starts) start.warm();
  for (let i = 0; i < 5; i++) {
    await clock.advance(1_000);
    starts.at(-1)?.warm();
  }
  assert.equal(pool.idle, 3, 'as many as the bound allows');
  await clock.advance(limits.takesLookbackMs);
  assert.equal(pool.idle, 1);
  assert.equal(starts.filter(({ killed }) => killed).length, 2);
});

it('replaces a warm Runner that dies', async () => {
  const { clock, pool, starts } = createBench();
  await clock.advance(limits.refillDelayMs);
  starts[0]?.warm();
  starts[0]?.die();
  assert.equal(pool.idle, 0);
  await clock.advance(limits.refillDelayMaxMs);
  assert.equal(starts.length, 2);
});

it('tries a Runner that cannot start once more, then says so', () => {
  const { starts, delivered, take } = createBench();
  take();
  starts[0]?.die();
  assert.equal(starts.length, 2);
  assert.deepEqual(delivered, []);
  starts[1]?.die('no memory');
  assert.deepEqual(delivered, ['Cannot start a Runner of nodejs24: no memory']);
});

it('a broken runtime does not spin', async () => {
  const { clock, starts } = createBench();
  const startedAtMs: number[] = [];
  for (let i = 0; i < 6; i++) {
    while (starts.length <= i) await clock.advance(100);
    startedAtMs.push(clock.now());
    starts[i]?.die();
  }
  const waitsS = startedAtMs.slice(1).map((at, i) => (at - (startedAtMs[i] ?? 0)) / 1_000);
  assert.deepEqual(waitsS.map(Math.floor), [1, 2, 4, 8, 16]);
});

it('kills a Runner that does not get warm', async () => {
  const { clock, starts, take } = createBench();
  take();
  await clock.advance(limits.warmMs);
  assert.ok(starts[0]?.killed);
});

it('close() kills what nobody took, and starts no more', async () => {
  const { clock, pool, starts, delivered, take } = createBench({ min: 2 });
  await clock.advance(limits.refillDelayMs);
  starts[0]?.warm();
  await clock.advance(limits.refillDelayMs);
  assert.equal(starts.length, 2);
  pool.close();
  assert.ok(starts.every(({ killed }) => killed));
  await clock.advance(10_000);
  take();
  assert.equal(starts.length, 2);
  assert.deepEqual(delivered, []);
  assert.equal(clock.timers, 0);
});

it('a cool pool ends its idle Runners and starts no other until the next take', async () => {
  const { clock, pool, starts, delivered, take } = createBench();
  await clock.advance(limits.refillDelayMs);
  starts[0]?.warm();
  pool.cool();
  assert.equal(starts[0]?.killed, true);
  await clock.advance(limits.takesLookbackMs);
  assert.deepEqual([pool.idle, starts.length], [0, 1]);
  take();
  starts[1]?.warm();
  assert.deepEqual(delivered, [1]);
  await clock.advance(limits.refillDelayMaxMs);
  starts[2]?.warm();
  assert.equal(pool.idle, 1);
});

it('a pool that cools still serves who waits, and keeps no Runner that starts', async () => {
  const { clock, pool, starts, delivered, take } = createBench();
  const cancel = take();
  take();
  pool.cool();
  starts[0]?.warm();
  assert.deepEqual(delivered, [0]);
  cancel();
  starts[1]?.warm();
  await clock.advance(limits.refillDelayMaxMs);
  assert.deepEqual([pool.idle, starts.length], [0, 2]);
});

it('counts what was started, taken at once, waited for and lost', async () => {
  const { clock, pool, starts, take } = createBench();
  take();
  starts[0]?.warm();
  await clock.advance(limits.refillDelayMaxMs);
  starts[1]?.warm();
  take();
  await clock.advance(limits.refillDelayMaxMs);
  starts[2]?.die();
  await clock.advance(limits.refillDelayMaxMs + limits.refillBackoffCapMs);
  assert.deepEqual(pool.counts(), {
    ...{ idle: 0, starting: 1, takenIdle: 1, takenLater: 1, started: 4, failed: 1 },
  });
});
