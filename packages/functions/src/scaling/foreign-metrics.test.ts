import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { defaultScale, type FunctionScale, resolveScale } from '@fnlet/api';
import { VirtualClock } from '@fnlet/base';
import { ForeignMetrics } from './foreign-metrics.ts';

const key = { namespace: 'default', name: 'hello' };
const { signal } = new AbortController();
const jobs = { name: 'jobs', url: 'http://p', query: 'jobs', target: 10 };
const queue = { name: 'queue', url: 'http://p', query: 'queue', target: 10 };

interface Run {
  readonly clock: VirtualClock;
  readonly metrics: ForeignMetrics;
  readonly notes: string[];
  /** By query; NaN: the server takes the question and says nothing. */
  readonly answers: Map<string, number>;
}

function start(): Run {
  const clock = new VirtualClock();
  const notes: string[] = [];
  const answers = new Map([
    ['jobs', 3],
    ['queue', 0],
  ]);
  const metrics = new ForeignMetrics({
    clock,
    fetchText: (url, bounds) => {
      const value = answers.get(url.slice(url.indexOf('query=') + 6));
      if (Number.isNaN(value)) return silence(bounds.signal);
      if (value === undefined) return Promise.reject(new Error('connect ECONNREFUSED'));
      const data = { resultType: 'scalar', result: [0, String(value)] };
      return Promise.resolve(JSON.stringify({ status: 'success', data }));
    },
    schedule: () => notes.push('asks'),
    onRead: (_, isWanted) => notes.push(`wanted ${isWanted}`),
    onTrouble: (_, trouble) => notes.push(`trouble ${trouble}`),
  });
  return { clock, metrics, notes, answers };
}

async function silence(signal: AbortSignal): Promise<never> {
  await once(signal, 'abort');
  throw signal.reason;
}

function track({ metrics }: Run, ...prometheus: readonly (typeof jobs)[]): void {
  const scale: FunctionScale = {
    ...defaultScale,
    metrics: prometheus.map((metric) => ({ prometheus: metric })),
  };
  metrics.track(key, resolveScale(prometheus.length === 0 ? defaultScale : scale));
}

test('a Function that scales by nothing of others is nothing here', async () => {
  const run = start();
  track(run);
  assert.deepEqual(run.notes, []);
  assert.equal(run.metrics.troubleOf(key), undefined);
  assert.equal(await run.metrics.check(key, signal), undefined);
});

test('what servers say is known until the next question', async () => {
  const run = start();
  track(run, jobs, queue);
  track(run, jobs, queue);
  assert.deepEqual(await run.metrics.check(key, signal), { requeueAfterMs: 15_000 });
  assert.deepEqual(run.notes, ['asks', 'wanted true']);
  assert.deepEqual(
    [...run.metrics.valuesOf(key)],
    [
      ['jobs', 3],
      ['queue', 0],
    ],
  );
  assert.equal(run.metrics.troubleOf(key), null);
});

test('the last good value counts for a minute, then nothing is known; trouble is told once', async () => {
  const run = start();
  track(run, jobs, queue);
  await run.metrics.check(key, signal);
  run.answers.delete('jobs');
  for (let passed = 0; passed < 45; passed += 15) {
    await run.clock.advance(15_000);
    await run.metrics.check(key, signal);
    assert.equal(run.metrics.valuesOf(key).get('jobs'), 3);
  }
  await run.clock.advance(15_000);
  await run.metrics.check(key, signal);
  assert.deepEqual([...run.metrics.valuesOf(key)], [['queue', 0]]);
  const told = run.notes.filter((note) => note.startsWith('trouble'));
  assert.deepEqual(told, ['trouble jobs: connect ECONNREFUSED']);
  run.answers.set('jobs', 1);
  await run.metrics.check(key, signal);
  assert.equal(run.notes.includes('trouble undefined'), true);
  assert.equal(run.metrics.valuesOf(key).get('jobs'), 1);
});

test('a server that says nothing is trouble, and in the way of no other', async () => {
  const run = start();
  run.answers.set('silent', Number.NaN);
  track(run, { name: 'silent', url: 'http://p', query: 'silent', target: 10 }, jobs);
  const checked = run.metrics.check(key, signal);
  await run.clock.advance(8_000);
  assert.deepEqual(await checked, { requeueAfterMs: 15_000 });
  assert.deepEqual([...run.metrics.valuesOf(key)], [['jobs', 3]]);
  const trouble = 'silent: Cannot read metric "silent" from http://p: no answer came within 8 s';
  assert.equal(run.metrics.troubleOf(key), trouble);
  assert.deepEqual(run.notes, ['asks', `trouble ${trouble}`, 'wanted true']);
});

test('another question forgets the answers to the one before', async () => {
  const run = start();
  track(run, jobs);
  await run.metrics.check(key, signal);
  track(run, queue);
  assert.deepEqual([...run.metrics.valuesOf(key)], []);
  run.metrics.forget(key);
  assert.equal(await run.metrics.check(key, signal), undefined);
});
