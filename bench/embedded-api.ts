/**
 * The embedded API over HTTPS from another process: 16 kept connections, every write durable
 * (LMDB, fsync). The limit beside it, in the same run: a bare HTTPS server that echoes the body.
 *
 * The column `kube-apiserver` is what one with etcd (with fsync) was measured at elsewhere. One that
 * runs on this machine, and is empty, is asked the same in the same run:
 *
 *     tooling/cluster/up --api --fsync
 *     KUBE_APISERVER=node_modules/.cache/cluster/run ip netns exec fnlet-cluster \
 *       npm run bench -- embedded-api
 *
 * What watches cost writes is told for 1 000 watches of ConfigMaps over ten HTTP/2 connections, as
 * ten client programs on other machines would hold them (here: one process of the lowest priority),
 * against the same merge patches with no watch open, in turns.
 * Each patch is of one of 500 objects. The budget (20 % fewer writes) is for watches by name, of
 * which each write concerns one: what an operator per object, or a kubelet per Pod, does. Beside it
 * stand watches that no write concerns, and watches that every write concerns; the last has no
 * budget, since a write then makes 1 000 events. `server CPU us` is what the server took per
 * write until the last event had come.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http2 from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { latencyRow, quantile, report, round } from './_figures.ts';
import { type Answer, type Target, TlsClient } from './_tls-client.ts';

const connections = 16;
const objects = 10_000;
const listed = 5_800;
const warmUp = 1_500;
const watches = 1_000;
const allocator = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_TOP_PAD_: '0',
  MALLOC_TRIM_THRESHOLD_: '65536',
  MALLOC_MMAP_THRESHOLD_: '32768',
};

interface Api extends Target {
  /** Its processes. */
  readonly pids: readonly number[];
}

interface Served extends Api {
  readonly child: ChildProcess;
  readonly startMs: number;
}

async function serve(mode: 'api' | 'echo', directory: string): Promise<Served> {
  const entry = join(import.meta.dirname, '_embedded-api-server.ts');
  // As bin/fnlet.js runs: little memory kept for later, and compiled code kept between starts.
  const child = spawn(process.execPath, ['--max-semi-space-size=4', entry, mode, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...allocator, NODE_COMPILE_CACHE: join(directory, 'code') },
  });
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    if (text.includes('\n')) break;
  }
  return { ...JSON.parse(text), child, pids: [child.pid] };
}

/** The kube-apiserver and the etcd that `tooling/cluster/up` has started from a directory. */
function findPeer(directory: string): Api {
  const read = (name: string): string => readFileSync(join(directory, name), 'utf8');
  const token = /^([^,]+),admin,/m.exec(read('tokens.csv'))?.[1] ?? '';
  const pids = read('pids').trim().split('\n').map(Number);
  return { port: 6443, caPem: read('ca.crt'), token, pids };
}

async function stop({ child }: Served): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Anonymous and total resident memory, in MB; the mapped pages of the store are in the total. */
function residentMB({ pids }: Api): Resident {
  const statuses = pids.map((pid) => readFileSync(`/proc/${pid}/status`, 'utf8'));
  const read = (field: string): number =>
    statuses
      .map((text) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) / 1000)
      .reduce((sum, megabytes) => sum + megabytes);
  return { total: round(read('VmRSS')), anonymous: round(read('RssAnon')) };
}

interface Resident {
  readonly total: number;
  readonly anonymous: number;
}

type Send = (client: TlsClient, n: number) => Promise<Answer>;

/** Sends `count` requests over all clients at once; each latency in milliseconds. */
async function load(clients: readonly TlsClient[], count: number, send: Send): Promise<Load> {
  const latencies: number[] = [];
  let next = 0;
  const startMs = performance.now();
  await Promise.all(
    clients.map(async (client) => {
      for (let n = next++; n < count; n = next++) {
        const sentMs = performance.now();
        const { status, body } = await send(client, n);
        if (status >= 300) throw new Error(`Answered ${status}: ${body}`);
        latencies.push(performance.now() - sentMs);
      }
    }),
  );
  return { perSecond: Math.round((count / (performance.now() - startMs)) * 1000), latencies };
}

interface Load {
  readonly perSecond: number;
  readonly latencies: readonly number[];
}

type Row = Readonly<Record<string, string | number>>;

function loadRow({ perSecond, latencies }: Load, peer = ''): Row {
  return { ...latencyRow(latencies), '1/s': perSecond, 'kube-apiserver': peer };
}

const mapsOf = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;
const maps = mapsOf('default');

function configMap(name: string): string {
  const data = { text: 'x'.repeat(100), count: '1' };
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
}

const create =
  (prefix: string, namespace = 'default'): Send =>
  (client, n) =>
    client.send('POST', mapsOf(namespace), configMap(`${prefix}-${n}`));

const apply: Send = (client, n) => {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', data: { applied: String(n) } };
  const name = `applied-${n % 500}`;
  const text = JSON.stringify({ ...body, metadata: { name } });
  const path = `${maps}/${name}?fieldManager=bench&force=true`;
  return client.send('PATCH', path, text, 'application/apply-patch+yaml');
};

// Never the same value twice: a patch that changes nothing is no write.
let patches = 0;
const patch: Send = (client, n) =>
  client.send(
    'PATCH',
    `${maps}/warm-${n % 500}`,
    JSON.stringify({ data: { count: String(patches++) } }),
    'application/merge-patch+json',
  );

/** From sending a POST to its event in a watch of the kind, one after the other. */
async function timeEvents(target: Target, client: TlsClient, count: number): Promise<number[]> {
  const session = http2.connect(`https://127.0.0.1:${target.port}`, { ca: target.caPem });
  const stream = session.request({
    ':path': `${maps}?watch=1&resourceVersion=${await revisionOf(client)}`,
    authorization: `Bearer ${target.token}`,
  });
  await once(stream, 'response');
  const latencies: number[] = [];
  for (let n = 0; n < count; n++) {
    const startMs = performance.now();
    const event = once(stream, 'data');
    const answer = client.send('POST', maps, configMap(`event-${n}`));
    await event;
    latencies.push(performance.now() - startMs);
    await answer;
  }
  session.destroy();
  return latencies;
}

async function revisionOf(client: TlsClient): Promise<string> {
  const { body } = await client.send('GET', `${maps}?limit=1`);
  return /"resourceVersion":"(\d+)"/.exec(body)?.[1] ?? '0';
}

/** What the process has used so far, in microseconds of CPU; the kernel counts in 10 ms. */
function cpuMicroseconds({ pids }: Api): number {
  const used = pids.map((pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10_000;
  });
  return used.reduce((sum, microseconds) => sum + microseconds);
}

interface OpenWatches {
  /** How many events their readers got so far. */
  readonly received: () => Promise<number>;
  readonly close: () => Promise<void>;
}

/**
 * Opens watches of the kind in a process of its own, which takes only processor time that nobody
 * else wants: on a cluster the programs that watch run on other machines.
 */
async function openWatches(target: Target, pathOf: (n: number) => string): Promise<OpenWatches> {
  const { port, token } = target;
  const caFile = join(directory, 'ca.pem');
  await writeFile(caFile, target.caPem);
  const entry = join(import.meta.dirname, '_watch-readers.ts');
  const child = spawn('nice', ['-n', '19', process.execPath, entry, String(port), caFile, token], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (line: string): Promise<string> => {
    child.stdin.write(`${line}\n`);
    return (await answers.next()).value ?? '';
  };
  await ask(JSON.stringify(Array.from({ length: watches }, (_, n) => pathOf(n))));
  return {
    received: async () => Number(await ask('')),
    close: async () => {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

interface Pace {
  readonly perSecond: number;
  readonly cpuPerWrite: number;
}

interface Slowdown {
  readonly alone: Pace;
  readonly watched: Pace;
  /** Events that the client got for each write. */
  readonly eventsPerWrite: number;
}

interface WatchedLoad {
  readonly warmUp: number;
  readonly writes: number;
  /** How many each write makes. */
  readonly events: number;
  readonly pathOf: (n: number, revision: string) => string;
}

/** Patches with and without watches, in turns, so that a busy moment hits both alike. */
async function slowdown(
  api: Api,
  clients: readonly TlsClient[],
  { warmUp, writes, events, pathOf }: WatchedLoad,
): Promise<Slowdown> {
  const paces: { alone: Pace[]; watched: Pace[] } = { alone: [], watched: [] };
  let received = 0;
  const turns = 3;
  const measure = async (arrived: () => Promise<boolean>): Promise<Pace> => {
    // What opening them left to collect belongs to the opening.
    await load(clients, warmUp, patch);
    const before = cpuMicroseconds(api);
    const { perSecond } = await load(clients, writes, patch);
    while (!(await arrived()));
    return { perSecond, cpuPerWrite: (cpuMicroseconds(api) - before) / writes };
  };
  for (let turn = 0; turn < turns; turn++) {
    paces.alone.push(await measure(async () => true));
    const [client] = clients;
    const revision = client === undefined ? '0' : await revisionOf(client);
    const opened = await openWatches(api, (n) => pathOf(n, revision));
    paces.watched.push(
      await measure(async () => (await opened.received()) >= (warmUp + writes) * events),
    );
    received += await opened.received();
    await opened.close();
  }
  const eventsPerWrite = round(received / (turns * (warmUp + writes)), 2);
  return { alone: best(paces.alone), watched: best(paces.watched), eventsPerWrite };
}

function best(paces: readonly Pace[]): Pace {
  return {
    perSecond: Math.max(...paces.map(({ perSecond }) => perSecond)),
    cpuPerWrite: Math.min(...paces.map(({ cpuPerWrite }) => cpuPerWrite)),
  };
}

function watchedRow({ alone, watched, eventsPerWrite }: Slowdown): Row {
  return {
    '1/s': watched.perSecond,
    without: alone.perSecond,
    'server CPU us': Math.round(watched.cpuPerWrite),
    'without, us': Math.round(alone.cpuPerWrite),
    'events/write': eventsPerWrite,
  };
}

interface Measured {
  readonly created: Load;
  readonly listedCreated: Load;
  readonly got: Load;
  readonly patched: Load;
  readonly applied: Load;
  readonly lists: Load;
  readonly events: readonly number[];
  readonly concerned: Slowdown;
  readonly filledMB: Resident;
}

const byName =
  (prefix: string) =>
  (n: number, revision: string): string =>
    `${maps}?watch=1&resourceVersion=${revision}&fieldSelector=metadata.name%3D${prefix}-${n}`;

function connectAll(target: Target): Promise<TlsClient[]> {
  return Promise.all(Array.from({ length: connections }, () => TlsClient.connect(target)));
}

/** What is asked of every API, one that has no object of this yet. */
async function measure(api: Api): Promise<Measured> {
  const clients = await connectAll(api);
  const [client] = clients;
  if (client === undefined) throw new Error('No connection');
  await client.send(
    'POST',
    '/api/v1/namespaces',
    JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'listed' } }),
  );
  await load(clients, warmUp, create('warm'));
  const created = await load(clients, objects - listed - warmUp, create('object'));
  const listedCreated = await load(clients, listed, create('object', 'listed'));
  const filledMB = residentMB(api);
  const got = await load(clients, 5_000, (to, n) => to.send('GET', `${maps}/warm-${n % warmUp}`));
  const patched = await load(clients, 4_000, patch);
  await load(clients, 1_000, apply);
  const applied = await load(clients, 5_000, apply);
  const lists = await load([client], 9, (to) => to.send('GET', mapsOf('listed')));
  const events = await timeEvents(api, client, 1_000);
  const concerned = await slowdown(api, clients, {
    ...{ warmUp: 1_000, writes: 3_000, events: 1 },
    pathOf: byName('warm'),
  });
  for (const open of clients) open.close();
  return {
    ...{ created, listedCreated, got, patched, applied, lists, events, concerned, filledMB },
  };
}

const directory = await mkdtemp(join(tmpdir(), 'fnlet-bench-'));
try {
  const echo = await serve('echo', directory);
  const echoClients = await connectAll(echo);
  const echoOnce: Send = (client) => client.send('POST', '/', configMap('echo'));
  await load(echoClients, warmUp, echoOnce);
  const echoed = await load(echoClients, 10_000, echoOnce);
  for (const client of echoClients) client.close();
  await stop(echo);

  const fresh = await serve('api', directory);
  await stop(fresh);
  const api = await serve('api', directory);
  const idleMB = residentMB(api);
  const ours = await measure(api);
  const clients = await connectAll(api);
  const unconcerned = await slowdown(api, clients, {
    ...{ warmUp: 1_000, writes: 3_000, events: 0 },
    pathOf: byName('other'),
  });
  const everyone = await slowdown(api, clients, {
    ...{ warmUp: 50, writes: 100, events: watches },
    pathOf: (_n, revision) => `${maps}?watch=1&resourceVersion=${revision}`,
  });
  const afterMB = residentMB(api);
  for (const open of clients) open.close();
  await stop(api);
  const restarted = await serve('api', directory);
  const restartedMB = residentMB(restarted);
  await stop(restarted);

  const { KUBE_APISERVER: peerDirectory } = process.env;
  const peer = peerDirectory === undefined ? undefined : await measure(findPeer(peerDirectory));

  const memory = (found: Resident): Row => ({
    'RSS MB': found.total,
    'of it anonymous': found.anonymous,
  });
  const rowsOf = (measured: Measured, peers: readonly string[]): Readonly<Record<string, Row>> => {
    const { created, listedCreated, got, patched, applied, lists, events } = measured;
    return {
      'create ConfigMap': loadRow(created, peers[0]),
      'create, 5 800 more': loadRow(listedCreated, peers[0]),
      'get ConfigMap': loadRow(got, peers[1]),
      'merge patch': loadRow(patched, peers[2]),
      'server-side apply, changing': loadRow(applied, peers[3]),
      [`list of ${listed} ConfigMaps`]: {
        ...{ ...latencyRow(lists.latencies), 'kube-apiserver': peers[4] ?? '' },
      },
      'POST to watch event': { ...latencyRow(events), 'kube-apiserver': peers[5] ?? '' },
      [`merge patch, ${watches} watches by name`]: watchedRow(measured.concerned),
      [`${objects} objects, just created`]: memory(measured.filledMB),
    };
  };
  const peerRows = Object.entries(peer === undefined ? {} : rowsOf(peer, [])).map(
    ([name, row]) => [`kube-apiserver here: ${name}`, row] as const,
  );
  report(
    'embedded-api',
    {
      'bare HTTPS echo (the limit)': loadRow(echoed),
      ...rowsOf(ours, [
        ...['1 059', '2 756', '1 354', '1 330 to 1 490', '55 ms', 'p50 1.3, p99 3.9 ms'],
      ]),
      [`merge patch, ${watches} watches by other names`]: watchedRow(unconcerned),
      [`merge patch, ${watches} watches of everything`]: watchedRow(everyone),
      'start, empty': { 'p50 ms': round(fresh.startMs) },
      'start, used before': { 'p50 ms': round(api.startMs), 'kube-apiserver': '4 700 ms' },
      [`start, ${objects} objects`]: { 'p50 ms': round(restarted.startMs) },
      idle: { ...memory(idleMB), 'kube-apiserver': '501 + 66 MB' },
      'after all of the above': memory(afterMB),
      [`${objects} objects, restarted`]: memory(restartedMB),
      ...Object.fromEntries(peerRows),
    },
    {
      ...figuresOf(ours),
      readyMs: round(api.startMs),
      ...Object.fromEntries(
        Object.entries(peer === undefined ? {} : figuresOf(peer)).map(([name, figure]) => [
          `peer.${name}`,
          figure,
        ]),
      ),
    },
  );
} finally {
  await rm(directory, { recursive: true, force: true });
}

function figuresOf(measured: Measured): Readonly<Record<string, number>> {
  const { created, listedCreated, applied, lists, events, concerned, filledMB } = measured;
  return {
    createPerSecond: Math.max(created.perSecond, listedCreated.perSecond),
    applyPerSecond: applied.perSecond,
    watchP99Ms: round(quantile(events, 0.99), 2),
    listMs: round(quantile(lists.latencies, 0.5)),
    watchedSlowdown: round(1 - concerned.watched.perSecond / concerned.alone.perSecond, 2),
    objectsRssMB: filledMB.total,
  };
}
