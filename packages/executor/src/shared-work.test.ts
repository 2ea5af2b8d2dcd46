import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SharedWork, type WorkCaller } from './shared-work.ts';

const { signal } = new AbortController();

/** Work that ends by hand. */
function createWork(): {
  readonly run: (caller: Required<WorkCaller>) => Promise<string>;
  readonly runs: { caller: Required<WorkCaller>; done(result: string): void }[];
} {
  const runs: { caller: Required<WorkCaller>; done(result: string): void }[] = [];
  return {
    runs,
    run: (caller) => new Promise((done) => runs.push({ caller, done })),
  };
}

it('run() gives one result to all who ask for the same key', async () => {
  const shared = new SharedWork<string>();
  const { run, runs } = createWork();
  const caller = { signal };
  const results = [shared.run('a', caller, run), shared.run('a', caller, run)];
  const other = shared.run('b', caller, run);
  assert.equal(runs.length, 2);
  runs[0]?.done('first');
  runs[1]?.done('second');
  assert.deepEqual(await Promise.all([...results, other]), ['first', 'first', 'second']);
  assert.ok(!shared.has('a'));
});

it('run() tells progress to each caller', async () => {
  const shared = new SharedWork<string>();
  const lines: string[] = [];
  const onProgress = (line: string): void => {
    lines.push(line);
  };
  const { run, runs } = createWork();
  const results = [1, 2].map(() => shared.run('a', { signal, onProgress }, run));
  runs[0]?.caller.onProgress('half');
  runs[0]?.done('');
  await Promise.all(results);
  assert.deepEqual(lines, ['half', 'half']);
});

it('run() goes on while somebody waits, and is cancelled with the last', async () => {
  const shared = new SharedWork<string>();
  const { run, runs } = createWork();
  const [first, second] = [new AbortController(), new AbortController()];
  const results = [first, second].map((abort) => shared.run('a', { signal: abort.signal }, run));
  const settled = Promise.allSettled(results);
  first.abort();
  await assert.rejects(results[0] ?? Promise.resolve(), { name: 'AbortError' });
  assert.ok(runs[0]?.caller.signal.aborted === false);
  second.abort();
  await settled;
  assert.ok(runs[0]?.caller.signal.aborted);
  // Whoever comes now does not inherit the cancelled run.
  const again = shared.run('a', { signal }, run);
  runs[1]?.done('again');
  assert.equal(await again, 'again');
});

it('run() fails for all, and the next one starts anew', async () => {
  const shared = new SharedWork<string>();
  const failing = (): Promise<string> => Promise.reject(new Error('no'));
  const results = [1, 2].map(() => shared.run('a', { signal }, failing));
  for (const result of results) await assert.rejects(result, /no/);
  assert.equal(await shared.run('a', { signal }, () => Promise.resolve('yes')), 'yes');
});
