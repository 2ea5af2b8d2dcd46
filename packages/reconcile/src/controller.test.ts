import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Logger, silentLogger, VirtualClock } from '@fnlet/base';
import { statusError } from '@fnlet/machinery';
import { type Controller, createController, type Reconcile, type Result } from './controller.ts';
import { ReconcileError } from './reconcile-error.ts';

const key = { namespace: 'default', name: 'a' };

interface Run {
  readonly clock: VirtualClock;
  readonly controller: Controller;
  stop(): Promise<void>;
}

function start(
  reconcile: Reconcile,
  options: { workers?: number; deadlineMs?: number; logger?: Logger } = {},
): Run {
  const clock = new VirtualClock();
  const controller = createController({
    name: 'test',
    sources: [],
    reconcile,
    clock,
    logger: silentLogger,
    ...options,
  });
  const abort = new AbortController();
  const running = controller.run(abort.signal);
  return {
    clock,
    controller,
    async stop() {
      abort.abort();
      await running;
      assert.equal(clock.timers, 0);
    },
  };
}

test('an enqueued key is reconciled once', async () => {
  const seen: unknown[] = [];
  const { clock, controller, stop } = start(async (found, { attempt }) => {
    seen.push([found, attempt]);
    return undefined;
  });
  controller.enqueue(key);
  controller.enqueue(key);
  await clock.advance(100_000);
  assert.deepEqual(seen, [[key, 1]]);
  await stop();
});

test('an error is retried with backoff and never ends the worker', async () => {
  const attempts: number[] = [];
  const { clock, controller, stop } = start(async (_key, { attempt }) => {
    attempts.push(attempt);
    if (attempt < 3) throw new Error('not yet');
    return undefined;
  });
  controller.enqueue(key);
  await clock.advance(4);
  assert.deepEqual(attempts, [1]);
  await clock.advance(1);
  assert.deepEqual(attempts, [1, 2]);
  await clock.advance(10);
  assert.deepEqual(attempts, [1, 2, 3]);
  controller.enqueue(key);
  await clock.advance(0);
  assert.deepEqual(attempts, [1, 2, 3, 1]);
  await stop();
});

test('a terminal error waits for the next event', async () => {
  let runs = 0;
  const { clock, controller, stop } = start(async () => {
    runs++;
    throw new ReconcileError('Terminal', 'never');
  });
  controller.enqueue(key);
  await clock.advance(10_000_000);
  assert.equal(runs, 1);
  controller.enqueue(key);
  await clock.advance(0);
  assert.equal(runs, 2);
  await stop();
});

test('an error that names its delay is retried after it', async () => {
  let runs = 0;
  const { clock, controller, stop } = start(async () => {
    runs++;
    throw statusError('TooManyRequests', 'slow down', { retryAfterSeconds: 7 });
  });
  controller.enqueue(key);
  await clock.advance(6_999);
  assert.equal(runs, 1);
  await clock.advance(1);
  assert.equal(runs, 2);
  await stop();
});

test('a lost race is no news, anything else is logged', async () => {
  const logged: string[] = [];
  const logger: Logger = { ...silentLogger, warn: (message) => logged.push(message) };
  const errors = [statusError('Conflict', 'changed'), new Error('broken')];
  const { clock, controller, stop } = start(
    async () => {
      const error = errors.shift();
      if (error !== undefined) throw error;
      return undefined;
    },
    { logger },
  );
  controller.enqueue(key);
  await clock.advance(1000);
  assert.deepEqual(logged, ['Cannot reconcile "default/a": broken']);
  await stop();
});

test('requeueAfterMs runs the key again', async () => {
  let runs = 0;
  const result: Result = { requeueAfterMs: 50 };
  const { clock, controller, stop } = start(async () => {
    runs++;
    return result;
  });
  controller.enqueue(key);
  await clock.advance(49);
  assert.equal(runs, 1);
  await clock.advance(1);
  assert.equal(runs, 2);
  await stop();
});

test('the signal of a run aborts at its deadline', async () => {
  const logged: string[] = [];
  const { clock, controller, stop } = start(
    (_key, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
    { deadlineMs: 1000, logger: { ...silentLogger, warn: (message) => logged.push(message) } },
  );
  controller.enqueue(key);
  await clock.advance(999);
  assert.deepEqual(logged, []);
  await clock.advance(1);
  assert.match(logged[0] ?? '', /not done after 1000 ms/);
  await stop();
});

test('several workers run several keys, never one twice at once', async () => {
  const inWork = new Set<string>();
  let most = 0;
  const releases: (() => void)[] = [];
  const { clock, controller, stop } = start(
    async ({ name }) => {
      assert.ok(!inWork.has(name), `${name} runs twice`);
      inWork.add(name);
      most = Math.max(most, inWork.size);
      await new Promise<void>((resolve) => releases.push(resolve));
      inWork.delete(name);
      return undefined;
    },
    { workers: 2 },
  );
  for (let round = 0; round < 5; round++) {
    for (const name of ['a', 'b', 'c']) controller.enqueue({ namespace: 'default', name });
    await clock.advance(1);
    for (const release of releases.splice(0)) release();
    await clock.advance(1);
  }
  assert.equal(most, 2);
  for (let i = 0; i < 5; i++) {
    for (const release of releases.splice(0)) release();
    await clock.advance(1);
  }
  await stop();
});

test('stopping waits for the runs in progress', async () => {
  let finished = false;
  const { clock, controller, stop } = start(async (_key, { signal }) => {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    finished = true;
    return undefined;
  });
  controller.enqueue(key);
  await clock.advance(0);
  await stop();
  assert.equal(finished, true);
});

test('nothing runs before every source is synced', async () => {
  const clock = new VirtualClock();
  const synced = Promise.withResolvers<void>();
  let runs = 0;
  const controller = createController({
    name: 'test',
    sources: [
      {
        synced: Promise.resolve(),
        start(enqueue) {
          enqueue(key);
          return () => {};
        },
      },
      { synced: synced.promise, start: () => () => {} },
    ],
    reconcile: async () => {
      runs++;
      return undefined;
    },
    clock,
    logger: silentLogger,
  });
  const abort = new AbortController();
  const running = controller.run(abort.signal);
  controller.enqueue(key);
  await clock.advance(1000);
  assert.equal(runs, 0);
  synced.resolve();
  await clock.advance(0);
  assert.equal(runs, 1);
  abort.abort();
  await running;
});

test('a controller whose sources never sync still stops', async () => {
  const controller = createController({
    name: 'test',
    sources: [{ synced: new Promise(() => {}), start: () => () => {} }],
    reconcile: async () => undefined,
    clock: new VirtualClock(),
    logger: silentLogger,
  });
  const abort = new AbortController();
  const running = controller.run(abort.signal);
  abort.abort();
  await running;
});
