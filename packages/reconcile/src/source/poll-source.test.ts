import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import { type Finding, type Look, poll } from './poll-source.ts';

interface Polling {
  readonly clock: VirtualClock;
  readonly warnings: string[];
  known(): string[];
  /** The keys since it was asked last, those of low priority with a minus. */
  enqueued(): string[];
  stop(): void;
}

function start(look: Look): Polling {
  const clock = new VirtualClock();
  const warnings: string[] = [];
  const enqueued: string[] = [];
  const source = poll('1m', look);
  const stop = source.start(
    ({ name }, { priority = 0 } = {}) => enqueued.push(priority < 0 ? `-${name}` : name),
    {
      clock,
      random: seededRandom(1),
      logger: { ...silentLogger, warn: (message) => warnings.push(message) },
    },
  );
  return {
    clock,
    warnings,
    known: () => [...(source.known?.() ?? [])].map(({ name }) => name),
    enqueued: () => enqueued.splice(0),
    stop,
  };
}

function finding(name: string, state?: unknown): Finding {
  return { key: { namespace: 'default', name }, ...(state === undefined ? {} : { state }) };
}

test('what is new, changed or gone wakes its key, what is the same does not', async () => {
  let found = [finding('a', { size: 1, of: 2 }), finding('b', 'x')];
  const { clock, known, enqueued, stop } = start(async () => found);
  await clock.advance(0);
  assert.deepEqual(enqueued(), ['-a', '-b'], 'what was there can wait behind news');
  found = [finding('a', { of: 2, size: 1 }), finding('b', 'y'), finding('c', 0)];
  await clock.advance(59_999);
  assert.deepEqual(enqueued(), []);
  await clock.advance(1);
  assert.deepEqual(enqueued(), ['b', 'c']);
  found = [finding('c', 0)];
  await clock.advance(60_000);
  assert.deepEqual(enqueued(), ['a', 'b']);
  assert.deepEqual(known(), ['c']);
  stop();
  assert.equal(clock.timers, 0);
});

test('what has no state wakes its key with every look', async () => {
  const { clock, enqueued, stop } = start(async () => [finding('a')]);
  await clock.advance(120_000);
  assert.deepEqual(enqueued(), ['-a', '-a', '-a']);
  stop();
});

test('a look that fails is repeated sooner, with growing pauses, and forgets nothing', async () => {
  const looksMs: number[] = [];
  const { clock, warnings, known, enqueued, stop } = start(async () => {
    await Promise.resolve();
    looksMs.push(clock.now());
    if (looksMs.length > 1 && looksMs.length < 5) throw new Error('unreachable');
    return [finding('a', 1)];
  });
  await clock.advance(60_000);
  assert.equal(looksMs.length, 2);
  assert.deepEqual(known(), ['a']);
  await clock.advance(8_000);
  assert.equal(looksMs.length, 5);
  const [first = 0, second = 0, third = 0] = looksMs
    .slice(2)
    .map((ms, i) => ms - (looksMs[i + 1] ?? 0));
  assert.ok(first <= 1000 && second <= 2000 && third <= 4000 && third > first);
  assert.deepEqual(warnings[0], 'Cannot poll a source: unreachable');
  assert.deepEqual(enqueued(), ['-a']);
  stop();
});

test('a look that hangs is told to end, and so is one that nobody waits for any more', async () => {
  let told = 0;
  const { clock, stop } = start(
    (signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          told++;
          reject(new Error('aborted'));
        });
      }),
  );
  await clock.advance(60_000);
  assert.equal(told, 1);
  await clock.advance(1_000);
  stop();
  assert.equal(told, 2);
  await clock.advance(0);
  assert.equal(clock.timers, 0);
});
