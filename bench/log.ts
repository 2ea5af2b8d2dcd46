/**
 * The log: durable appends of 1 kB a second by 1, 64 and 256 producers, records read a second, on
 * LMDB and in JetStream; and a backlog of 1 000 000 on LMDB: how much memory it takes to fill, to
 * open and to read. Beside it the limits: an fdatasync after every 1 kB, and after every 64 kB; and
 * the NATS server alone, asked by as many producers for an acknowledgement of each message.
 *
 * `--records 100000` makes the backlog smaller.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type LogStream, openJetStreamLog, openLmdbLog } from '@fnlet/store/log';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import {
  findNatsPrograms,
  type NatsProgram,
  NatsServer,
} from '../packages/store/test/nats-server.ts';
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
  const entries = Array.from({ length: 1_000 }, () => ({ payload }));
  for (let n = 0; n < Number(values.records); n += 1_000) await stream.append(entries);
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

/** The newest server that is there, flushing before it acknowledges where it can be told to. */
async function measureNats({ path, version }: NatsProgram): Promise<Readonly<Record<string, Row>>> {
  const always = version.startsWith('2.9.') ? '' : ', sync_interval: always';
  const settings = `jetstream { store_dir: STORE${always} }`;
  await using server = await NatsServer.start({ path, version }, settings);
  const options = { servers: [server.url], monitor: server.monitor };
  await using log = await openJetStreamLog(options);
  const stream = await log.stream('plain');
  const label = `JetStream ${version} (${log.durability})`;
  return {
    [`${label}: append, 1 producer`]: await append(stream, 1, 500),
    [`${label}: append, 64 producers`]: await append(stream, 64, 20_000),
    [`${label}: append, 256 producers`]: await append(stream, 256, 40_000),
    [`${label}: read`]: await readAll(stream, 60_500),
    [`${label}: alone, 64 producers`]: await publish(server.url, 64, 5_000),
    [`${label}: alone, 256 producers`]: await publish(server.url, 256, 10_000),
  };
}

async function publish(url: string, producers: number, count: number): Promise<Measured> {
  const connection = await connect({ servers: url });
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: `alone-${producers}`, subjects: [`alone.${producers}`] });
  const client = jetstream(connection);
  let n = 0;
  const produce = async (): Promise<void> => {
    while (n++ < count) await client.publish(`alone.${producers}`, payload);
  };
  const measured = await measure(count, async () => {
    await Promise.all(Array.from({ length: producers }, produce));
  });
  await connection.close();
  return measured;
}

async function measureLmdb(directory: string): Promise<Readonly<Record<string, Row>>> {
  await using log = await openLmdbLog({ directory });
  const stream = await log.stream('plain');
  const deduped = await log.stream('deduped', { dedupeMs: 600_000 });
  return {
    'LMDB: append, 1 producer': await append(stream, 1, 2_000),
    'LMDB: append, 64 producers': await append(stream, 64, 60_000),
    'LMDB: append, 256 producers': await append(stream, 256, 60_000),
    'LMDB: append with ids, 64 producers': await append(deduped, 64, 60_000),
    'LMDB: read': await readAll(stream, 122_000),
  };
}

async function compare(directory: string): Promise<void> {
  const disk = {
    'fdatasync of 1 kB': await synced(directory, 1_000, 500),
    'fdatasync of 64 kB': await synced(directory, 64_000, 500),
  };
  const lmdb = await measureLmdb(join(directory, 'lmdb'));
  const [newest] = findNatsPrograms().toSorted((a, b) =>
    b.version.localeCompare(a.version, undefined, { numeric: true }),
  );
  const nats = newest === undefined ? {} : await measureNats(newest);
  const backlog = measureBacklog(join(directory, 'backlog'));
  const figure = (rows: Readonly<Record<string, Row>>, ending: string): number =>
    Object.entries(rows).find(([name]) => name.endsWith(`: ${ending}`))?.[1].perSecond ?? 0;
  report(
    'log',
    { ...disk, ...lmdb, ...nats, [`LMDB: backlog of ${values.records}`]: { ...backlog } },
    {
      lmdb1PerSecond: figure(lmdb, 'append, 1 producer'),
      lmdb64PerSecond: figure(lmdb, 'append, 64 producers'),
      lmdb256PerSecond: figure(lmdb, 'append, 256 producers'),
      lmdbIds64PerSecond: figure(lmdb, 'append with ids, 64 producers'),
      lmdbReadPerSecond: figure(lmdb, 'read'),
      nats64PerSecond: figure(nats, 'append, 64 producers'),
      natsAlone64PerSecond: figure(nats, 'alone, 64 producers'),
      natsReadPerSecond: figure(nats, 'read'),
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
