import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, type Logger, silentLogger, VirtualClock } from '@fnlet/base';
import { statusError } from '@fnlet/machinery';
import { terminal } from '@fnlet/sdk/operator';
import { start } from '../test/running-controller.ts';
import { createController } from './controller.ts';
import type { Result } from './result.ts';

const key = { namespace: 'default', name: 'a' };

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
    throw terminal('never');
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
    { concurrency: 2 },
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

test('after the last attempt a key waits for its next event, which has all attempts again', async () => {
  const attempts: [number, boolean][] = [];
  const logged: string[] = [];
  const { clock, controller, stop } = start(
    async (_key, { attempt, isLastAttempt }) => {
      attempts.push([attempt, isLastAttempt]);
      throw new Error('broken');
    },
    { attempts: 2, logger: { ...silentLogger, error: (message) => logged.push(message) } },
  );
  const both = [
    [1, false],
    [2, true],
  ];
  controller.enqueue(key);
  await clock.advance(10_000_000);
  assert.deepEqual(attempts, both);
  assert.match(logged[0] ?? '', /broken; it was tried 2 times and waits for its next event/);
  controller.enqueue(key);
  await clock.advance(10_000_000);
  assert.deepEqual(attempts, [...both, ...both]);
  await stop();
});

test('events use up no attempts', async () => {
  const seen: [number, boolean][] = [];
  const { clock, controller, stop } = start(
    async (_key, { attempt, isLastAttempt }) => {
      seen.push([attempt, isLastAttempt]);
      throw new Error('broken');
    },
    { attempts: 2 },
  );
  for (let i = 0; i < 3; i++) {
    controller.enqueue(key);
    await clock.advance(1);
  }
  await clock.advance(100);
  assert.deepEqual(seen, [
    [1, false],
    [2, false],
    [2, false],
    [2, true],
  ]);
  await stop();
});

test('what is thrown before the first await is an error like any other', async () => {
  let runs = 0;
  const { clock, controller, stop } = start(() => {
    runs++;
    throw new TypeError('not even a promise');
  });
  controller.enqueue(key);
  await clock.advance(5);
  assert.equal(runs, 2);
  await stop();
});

test('each run has a trace id of its own, which its log lines carry', async () => {
  const lines: [string, JsonObject | undefined][] = [];
  const ids: string[] = [];
  const { clock, controller, stop } = start(
    async (_key, { log, traceId }) => {
      ids.push(traceId);
      log.info('hello', { more: 1 });
      return undefined;
    },
    { logger: { ...silentLogger, info: (message, fields) => lines.push([message, fields]) } },
  );
  for (let i = 0; i < 2; i++) {
    controller.enqueue(key);
    await clock.advance(0);
  }
  assert.match(ids[0] ?? '', /^[0-9a-f]{32}$/);
  assert.notEqual(ids[0], ids[1]);
  const fields = { controller: 'test', key: 'default/a', attempt: 1, traceId: ids[0], more: 1 };
  assert.deepEqual(lines[0], ['hello', fields]);
  await stop();
});

test('one that ignores its signal loses its worker, never its key', async () => {
  const logged: string[] = [];
  const started: string[] = [];
  const stuck = Promise.withResolvers<undefined>();
  const { clock, controller, stop } = start(
    ({ name }) => {
      started.push(name);
      return name === 'a' && started.length === 1 ? stuck.promise : Promise.resolve(undefined);
    },
    { deadlineMs: 1000, logger: { ...silentLogger, error: (message) => logged.push(message) } },
  );
  controller.enqueue(key);
  await clock.advance(0);
  controller.enqueue(key);
  controller.enqueue({ namespace: 'default', name: 'b' });
  await clock.advance(10_999);
  assert.deepEqual(started, ['a']);
  await clock.advance(1);
  assert.deepEqual(started, ['a', 'b']);
  assert.deepEqual(logged, ['A reconcile goes on after it was told to end']);
  stuck.resolve(undefined);
  await clock.advance(0);
  assert.deepEqual(started, ['a', 'b', 'a']);
  await stop();
});
