/**
 * The log on LMDB: durable appends of 1 kB a second by 1, 64 and 256 producers, records read a
 * second, and a backlog of 1 000 000: how much memory it takes to fill, to open and to read. Beside
 * it the limit of the disk: an fdatasync after every 1 kB, and after every 64 kB.
 *
 * `--records 100000` makes the backlog smaller.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type LogStream, openLmdbLog } from '@fnlet/store/log';
import { report, round } from './_figures.ts';

const { values } = parseArgs({
  options: { records: { type: 'string', default: '1000000' }, backlog: { type: 'string' } },
});
const payload = Buffer.alloc(1_000, 'x');

/** Of the table. */
type Row = Readonly<Record<string, number>>;

interface Measured extends Row {
  readonly perSecond: number;
  readonly cpuUs: number;
}

/** Of so many things that `run` does. */
async function measure(count: number, run: () => Promise<void>): Promise<Measured> {
  const startMs = performance.now();
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  const perSecond = Math.round((count / (performance.now() - startMs)) * 1_000);
  return { perSecond, cpuUs: round((user + system) / count) };
}

function append(stream: LogStream, producers: number, count: number): Promise<Measured> {
  let n = 0;
  const produce = async (): Promise<void> => {
    while (n < count) await stream.append([{ id: `${producers}/${n++}`, payload }]);
  };
  return measure(count, async () => {
    await Promise.all(Array.from({ length: producers }, produce));
  });
}

async function readAll(stream: LogStream, count: number): Promise<Measured> {
  return measure(count, async () => {
    let from = 0;
    for (;;) {
      const records = await stream.read(from, { limit: 256 });
      const last = records.at(-1);
      if (last === undefined) return;
      from = last.sequence + 1;
    }
  });
}

async function synced(directory: string, bytes: number, count: number): Promise<Measured> {
  const file = await open(join(directory, 'syncs'), 'w');
  const measured = await measure(count, async () => {
    for (let n = 0; n < count; n++) {
      await file.write(Buffer.alloc(bytes, 'x'));
      await file.datasync();
    }
  });
  await file.close();
  return measured;
}

function rssMb(): number {
  return Math.round(process.memoryUsage.rss() / 1e6);
}

interface Backlog extends Row {
  readonly fillRssMb: number;
  readonly openMs: number;
  readonly openRssMb: number;
  readonly scanPerSecond: number;
  readonly readRssMb: number;
}

/** In processes of their own, so that each has only its own memory. */
function measureBacklog(directory: string): Backlog {
  const run = (step: string): Partial<Backlog> => {
    const args = [import.meta.filename, '--backlog', `${step}:${directory}`];
    const { stdout } = spawnSync(process.execPath, [...args, '--records', values.records], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return JSON.parse(stdout);
  };
  const nothing = { fillRssMb: 0, openMs: 0, openRssMb: 0, scanPerSecond: 0, readRssMb: 0 };
  return { ...nothing, ...run('fill'), ...run('open') };
}

async function fill(directory: string): Promise<Partial<Backlog>> {
  await using log = await openLmdbLog({ directory });
  const stream = await log.stream('backlog');
  const entries = Array.from({ length: 64 }, () => ({ payload }));
  for (let n = 0; n < Number(values.records); n += 64) await stream.append(entries);
  return { fillRssMb: rssMb() };
}

async function reopen(directory: string): Promise<Partial<Backlog>> {
  const startMs = performance.now();
  await using log = await openLmdbLog({ directory });
  const stream = await log.stream('backlog');
  await stream.consumer('reader');
  const { records } = await stream.size();
  await stream.read(0, { limit: 64 });
  const openMs = round(performance.now() - startMs);
  const openRssMb = rssMb();
  const { perSecond } = await readAll(stream, records);
  return { openMs, openRssMb, scanPerSecond: perSecond, readRssMb: rssMb() };
}

async function compare(directory: string): Promise<void> {
  const lmdb = await openLmdbLog({ directory: join(directory, 'lmdb') });
  const stream = await lmdb.stream('plain');
  const deduped = await lmdb.stream('deduped', { dedupeMs: 600_000 });
  const rows = {
    'fdatasync of 1 kB': await synced(directory, 1_000, 500),
    'fdatasync of 64 kB': await synced(directory, 64_000, 500),
    'append, 1 producer': await append(stream, 1, 2_000),
    'append, 64 producers': await append(stream, 64, 60_000),
    'append, 256 producers': await append(stream, 256, 60_000),
    'append with ids, 64 producers': await append(deduped, 64, 60_000),
    read: await readAll(stream, 122_000),
  };
  await lmdb.close();
  const backlog = measureBacklog(join(directory, 'backlog'));
  report(
    'log',
    { ...rows, [`backlog of ${values.records}`]: { ...backlog } },
    {
      append1PerSecond: rows['append, 1 producer'].perSecond,
      append64PerSecond: rows['append, 64 producers'].perSecond,
      append256PerSecond: rows['append, 256 producers'].perSecond,
      appendIds64PerSecond: rows['append with ids, 64 producers'].perSecond,
      readPerSecond: rows.read.perSecond,
      ...backlog,
    },
  );
}

const [step, ...path] = values.backlog?.split(':') ?? [];
if (step === undefined) {
  const directory = await mkdtemp(join(tmpdir(), 'fnlet-bench-'));
  try {
    await compare(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
} else {
  const measured = await (step === 'fill' ? fill : reopen)(path.join(':'));
  process.stdout.write(JSON.stringify(measured));
}
