import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { silentLogger, VirtualClock } from '@fnlet/base';
import { waitUntil } from '../test/process-harness.ts';
import { revisionFixture } from '../test/revision-fixture.ts';
import { InstanceLogs, planKeptLogs } from './instance-logs.ts';
import { limits } from './limits.ts';
import type { ReadLogsOptions } from './log-reader.ts';
import type { RunOutput } from './output-keeper.ts';

const id = 'hello-00001-abcde';
const revision = revisionFixture();
const key = { namespace: 'default', name: id };

interface Bench extends Disposable {
  readonly directory: string;
  readonly clock: VirtualClock;
  readonly logs: InstanceLogs;
  open(run?: number): RunOutput;
  read(options?: ReadLogsOptions): Promise<string>;
  /** The file as it is on the disk. */
  file(name?: string): string;
}

function createBench(): Bench {
  const directory = mkdtempSync(join(tmpdir(), 'logs-test-'));
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const logs = new InstanceLogs({ directory, clock, logger: silentLogger });
  return {
    directory,
    clock,
    logs,
    open: (run = 0) => logs.open({ id, revision, run }),
    read: async (options = {}) => text(await Array.fromAsync(logs.read(key, options))),
    file: (name = '0.log') => readFileSync(join(directory, 'default', id, name), 'utf8'),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}

function text(chunks: readonly Uint8Array[]): string {
  return Buffer.concat(chunks).toString();
}

function bytes(content: string): Uint8Array {
  return Buffer.from(content);
}

it('writes lines as a kubelet does, in the file when write() returns', () => {
  using bench = createBench();
  const output = bench.open();
  output.write('stdout', bytes('hel'));
  output.write('stderr', bytes('oops\n\n'));
  output.write('stdout', bytes('lo\nwor'));
  assert.equal(
    bench.file(),
    '2026-01-01T00:00:00.000000000Z stderr F oops\n' +
      '2026-01-01T00:00:00.000000000Z stderr F \n' +
      '2026-01-01T00:00:00.000000000Z stdout F hello\n',
  );
  output.end();
  assert.match(bench.file(), /stdout F wor\n$/);
});

it('splits a line that is too long, and joins it again for the reader', async () => {
  using bench = createBench();
  const output = bench.open();
  const line = 'x'.repeat(limits.logLineBytesMax * 2 + 1);
  output.write('stdout', bytes(line.slice(0, 5)));
  output.write('stdout', bytes(`${line.slice(5)}\nnext\n`));
  assert.equal(bench.file().match(/ stdout P /g)?.length, 2);
  assert.equal(await bench.read(), `${line}\nnext\n`);
});

it('reads with times, since a time, and so many bytes', async () => {
  using bench = createBench();
  const output = bench.open();
  for (const word of ['one', 'two', 'three']) {
    output.write('stdout', bytes(`${word}\n`));
    await bench.clock.advance(1_000);
  }
  const sinceMs = Date.UTC(2026, 0, 1) + 1_000;
  assert.equal(await bench.read({ sinceMs }), 'two\nthree\n');
  assert.equal(
    await bench.read({ sinceMs: sinceMs + 1, timestamps: true }),
    '2026-01-01T00:00:02.000000000Z three\n',
  );
  assert.equal(await bench.read({ limitBytes: 6 }), 'one\ntw');
});

it('reads the last lines of a large log, over its rotation', async () => {
  using bench = createBench();
  const output = bench.open();
  const lines = Array.from({ length: 60_000 }, (_, i) => `line ${i} ${'x'.repeat(80)}`);
  for (let from = 0; from < lines.length; from += 500) {
    output.write('stdout', bytes(`${lines.slice(from, from + 500).join('\n')}\n`));
  }
  assert.ok(statSync(join(bench.directory, 'default', id, '0.log.1')).size > 4_000_000);
  for (const tailLines of [0, 1, 3, 2_000, 30_000, 44_000]) {
    const tail = (await bench.read({ tailLines })).split('\n').slice(0, -1);
    assert.deepEqual(tail, tailLines === 0 ? [] : lines.slice(-tailLines), `${tailLines}`);
  }
  const all = (await bench.read({ tailLines: 1_000_000 })).split('\n').slice(0, -1);
  assert.deepEqual(all, lines.slice(-all.length));
  assert.ok(all.length > 50_000);
});

it('follows what is written, over rotations, until the run is over', async () => {
  using bench = createBench();
  const output = bench.open();
  output.write('stdout', bytes('before\n'));
  const chunks: Uint8Array[] = [];
  let readBytes = 0;
  const following = (async () => {
    for await (const chunk of bench.logs.read(key, { follow: true })) {
      chunks.push(chunk);
      readBytes += chunk.length;
    }
  })();
  const blocks = ['before\n'];
  let wroteBytes = 7;
  for (let number = 0; number < 30; number++) {
    const block = `${number} ${'y'.repeat(200)}\n`.repeat(2_000);
    output.write('stdout', bytes(block));
    blocks.push(block);
    wroteBytes += block.length;
    // A reader that is not hopelessly behind misses nothing.
    while (readBytes < wroteBytes) await new Promise(setImmediate);
  }
  output.end();
  await following;
  assert.ok(text(chunks) === blocks.join(''));
});

it('follows a run that has written nothing yet, and ends with its signal', async () => {
  using bench = createBench();
  const output = bench.open();
  const abort = new AbortController();
  const reader = bench.logs.read(key, { follow: true, signal: abort.signal });
  const first = reader.next();
  output.write('stdout', bytes('hello\n'));
  assert.equal(text([(await first).value ?? bytes('')]), 'hello\n');
  const second = reader.next();
  abort.abort();
  assert.deepEqual(await second, { value: undefined, done: true });
});

it('reads the run before a crash, and keeps none before that', async () => {
  using bench = createBench();
  for (const run of [0, 1, 2]) {
    const output = bench.open(run);
    output.write('stdout', bytes(`run ${run}\n`));
    output.end();
  }
  assert.equal(await bench.read(), 'run 2\n');
  assert.equal(await bench.read({ previous: true }), 'run 1\n');
  const files = (): string[] => readdirSync(join(bench.directory, 'default', id)).sort();
  await waitUntil(() => !files().includes('0.log'));
  assert.deepEqual(files(), ['1.log', '2.log']);
  bench.open(3);
  assert.equal(await bench.read(), '');
  assert.equal(await bench.read({ previous: true }), 'run 2\n');
});

it('reads the run that crashed, before the next has begun and after', async () => {
  using bench = createBench();
  bench.open(0).end();
  const output = bench.open(1);
  output.write('stdout', bytes('crash\n'));
  output.end();
  const asked = { previous: true, awaitsRun: true };
  assert.equal(await bench.read(asked), 'crash\n');
  const next = bench.open(2);
  assert.equal(await bench.read(asked), 'crash\n');
  next.write('stdout', bytes('next\n'));
  assert.equal(await bench.read(asked), 'crash\n');
});

it('reads the log of an Instance that stopped, also after a restart', async () => {
  using bench = createBench();
  const output = bench.open();
  output.write('stdout', bytes('last words\n'));
  output.end();
  bench.logs.stopped({ id, revision, isFailed: false });
  assert.equal(await bench.read(), 'last words\n');
  const { directory, clock } = bench;
  const next = new InstanceLogs({ directory, clock, logger: silentLogger });
  assert.equal(text(await Array.fromAsync(next.read(key, {}))), 'last words\n');
});

it('reads nothing of an Instance that ended without a word', async () => {
  using bench = createBench();
  bench.open().end();
  bench.logs.stopped({ id, revision, isFailed: true });
  assert.equal(await bench.read(), '');
  assert.equal(await bench.read({ follow: true }), '');
  await assert.rejects(bench.read({ previous: true }), { code: 'LogsNotFound' });
});

it('tells that there is no log, and follows no path', async () => {
  using bench = createBench();
  for (const name of ['unknown', '..', '../../etc', '', 'a/b']) {
    const read = Array.fromAsync(bench.logs.read({ namespace: 'default', name }, {}));
    await assert.rejects(read, { code: 'LogsNotFound' });
  }
  bench.open().write('stdout', bytes('a\n'));
  await assert.rejects(bench.read({ previous: true }), { code: 'LogsNotFound' });
});

it('planKeptLogs() keeps the latest of each Revision, and so many in total', () => {
  const stopped = Array.from({ length: 300 }, (_, i) => ({
    ...{ revision: `r${i % 50}`, i, isFailed: false },
  }));
  const kept = planKeptLogs(stopped);
  assert.equal(kept.length, limits.stoppedLogsMax);
  assert.deepEqual(kept, stopped.slice(-limits.stoppedLogsMax));
  const one = stopped.slice(0, 10).map(({ i }) => ({ revision: 'r', i, isFailed: false }));
  assert.deepEqual(planKeptLogs(one), one.slice(-limits.stoppedLogsPerRevisionMax));
});

it('planKeptLogs() lets no log of one that failed go for those that sleep', () => {
  const failed = { revision: 'broken', isFailed: true };
  const asleep = Array.from({ length: 300 }, (_, i) => ({ revision: `r${i}`, isFailed: false }));
  const kept = planKeptLogs([failed, ...asleep]);
  assert.equal(kept.length, limits.stoppedLogsMax);
  assert.equal(kept[0], failed);
});
