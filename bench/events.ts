/**
 * Events through a real Fnlet: how many of 1 kB are durably accepted a second from 64 senders, and
 * delivered over HTTP to a warm function from 100 Triggers; how long one takes from the sender to
 * the function; what a backlog costs, and how soon it goes on after a restart. Beside it what bounds
 * them: a NATS server alone, with JetStream on the disk; and how busy the machine was before, since
 * sender, Fnlet and function share it. What is accepted and delivered a second is told of a Fnlet
 * that has done so for a while: before, most of what it takes are V8's compilers. `PENDING` says how
 * long the backlog is.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { createClient, createHttpTransport, loadKubeconfig } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import { openLmdbLog } from '@fnlet/store/log';
import { jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { packEvent } from '../packages/eventing/src/event/packed-event.ts';
import { findNatsPrograms, NatsServer } from '../packages/store/test/nats-server.ts';
import { createApi } from '../test/api-access.ts';
import { type FnletProcess, makeDataDirectory, startFnlet } from '../test/fnlet-process.ts';
import { openTriggers, type TestTriggers } from '../test/trigger-access.ts';
import { until } from '../test/until.ts';
import { quantile, report, round } from './_figures.ts';
import { load } from './_wrk.ts';

const triggerCount = 100;
const pending = Number(process.env.PENDING ?? 1_000_000);
const kilobyte = 'x'.repeat(1_000);
const warmUpSeconds = 5;
const loadSeconds = 3;
/** Nothing is under way that takes longer. */
const settleMs = 500;

/** Counts events, and notes how old they are that say when they were sent. */
const counting = `
let count = 0;
let ages = [];
export default (request) => {
  if (request.method === 'GET') {
    return Response.json(new URL(request.url).pathname === '/ages' ? ages : count);
  }
  count++;
  const sent = Number(request.headers.get('ce-sent') ?? 0);
  if (sent > 0) ages.push(Number(process.hrtime.bigint()) / 1e6 - sent);
  return new Response(null, { status: 204 });
};`;

/**
 * Sends events of 1 kB to one Trigger after the other. All of a request but its id is made before:
 * who sends shares the machine, and says itself what it takes.
 */
const sending = `
local turn = 0
local heads = {}
local tail = "\\r\\n\\r\\n" .. string.rep("x", 1000)
local run = tostring(os.time())
for place = 0, ${triggerCount} - 1 do
  heads[place] = table.concat({
    "POST /in/" .. place .. " HTTP/1.1", "Host: " .. wrk.headers["Host"],
    "Content-Length: 1000", "Content-Type: text/plain",
    "ce-specversion: 1.0", "ce-type: bench", "ce-source: /bench", "ce-id: "
  }, "\\r\\n")
end
request = function()
  turn = turn + 1
  return heads[turn % ${triggerCount}] .. run .. "-" .. turn .. tail
end`;

function spec(place: string, paused: boolean): object {
  const http = { paths: [{ exact: `/in/${place}` }], events: {} };
  return { source: { http }, target: { function: 'count' }, paused };
}

async function applyAll(triggers: TestTriggers, paused: boolean): Promise<void> {
  const places = Array.from({ length: triggerCount }, (_, n) => String(n));
  await Promise.all(places.map((place) => triggers.apply(`t${place}`, spec(place, paused))));
  for (const place of places) await triggers.ready(`t${place}`);
}

async function ask<Answer>(fnlet: FnletProcess, path: string): Promise<Answer> {
  const answer = await fetch(`${fnlet.endpoints.gateway}/default/count${path}`);
  return JSON.parse(await answer.text());
}

/** Processor time that Fnlet has used, without its Runners. */
async function cpuMs({ endpoints }: FnletProcess): Promise<number> {
  const stat = await readFile(`/proc/${endpoints.pid}/stat`, 'utf8');
  const [user = 0, system = 0] = stat.split(') ')[1]?.split(' ').slice(11, 13).map(Number) ?? [];
  // In hundredths of a second.
  return (user + system) * 10;
}

interface Delivered {
  readonly perSecond: number;
  /** Processor time an event. */
  readonly cpuUs: number;
}

/** What is delivered a second, once all Triggers may. */
async function deliver(fnlet: FnletProcess, accepted: number): Promise<Delivered> {
  const count = (): Promise<number> => ask(fnlet, '/');
  const measured = async (share: number) => {
    const reached = async (): Promise<number | undefined> => {
      const found = await count();
      return found >= accepted * share ? found : undefined;
    };
    const found = await until(reached, { what: 'deliveries', timeoutMs: 60_000 });
    return { count: found, atMs: performance.now(), cpuMs: await cpuMs(fnlet) };
  };
  const begin = await measured(0.4);
  const end = await measured(0.9);
  const events = end.count - begin.count;
  return {
    perSecond: (events / (end.atMs - begin.atMs)) * 1000,
    cpuUs: ((end.cpuMs - begin.cpuMs) / events) * 1000,
  };
}

/** Waits until the function gets no more of what was accepted: the next event waits for none. */
async function settle(fnlet: FnletProcess): Promise<void> {
  let before = -1;
  const isSettled = async (): Promise<boolean> => {
    const found = await ask<number>(fnlet, '/');
    const same = found === before;
    before = found;
    if (!same) await new Promise((resolve) => setTimeout(resolve, settleMs));
    return same;
  };
  await until(isSettled, { what: 'the last of the deliveries', timeoutMs: 60_000 });
}

/** How old events are when the function gets them, sent one after another to all Triggers. */
async function ages(fnlet: FnletProcess): Promise<readonly number[]> {
  const { gateway } = fnlet.endpoints;
  for (let n = 0; n < 1_000; n++) {
    const headers = {
      ...{ 'ce-specversion': '1.0', 'ce-type': 'bench', 'ce-source': '/ages', 'ce-id': String(n) },
      'ce-sent': String(Number(process.hrtime.bigint()) / 1e6),
    };
    const url = `${gateway}/in/${n % triggerCount}`;
    const answer = await fetch(url, { method: 'POST', headers, body: kilobyte });
    if (answer.status !== 202) throw new Error(`Not accepted: ${answer.status}`);
    await answer.arrayBuffer();
  }
  const all = async (): Promise<readonly number[] | undefined> => {
    const found = await ask<readonly number[]>(fnlet, '/ages');
    return found.length >= 1_000 ? found : undefined;
  };
  return until(all, { what: 'all ages' });
}

async function rssMB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

async function uidOf(fnlet: FnletProcess, name: string): Promise<string> {
  const config = await loadKubeconfig({ file: fnlet.endpoints.kubeconfig, env: {} });
  const transport = createHttpTransport(config);
  const type = { group: 'fnlet.dev', version: 'v1alpha1', kind: 'Trigger', plural: 'triggers' };
  const triggers = createClient(transport, { fieldManager: 'bench' }).of<KubeObject>({
    ...type,
    namespaced: true,
  });
  const { metadata } = await triggers.get({ namespace: 'default', name });
  await transport.close();
  return metadata.uid ?? '';
}

async function fill(dataDirectory: string, uid: string): Promise<void> {
  await using log = await openLmdbLog({ directory: join(dataDirectory, 'events') });
  const stream = await log.stream(`trigger/${uid}`);
  const data = Buffer.from(kilobyte);
  for (let first = 0; first < pending; first += 1_000) {
    const entries = Array.from({ length: 1_000 }, (_, n) => {
      const id = `backlog-${first + n}`;
      const attributes = { specversion: '1.0', id, source: '/bench', type: 'bench' } as const;
      return { payload: packEvent({ attributes, data }) };
    });
    await stream.append(entries);
  }
}

/** A Fnlet that starts with a long backlog: until the first of it arrives, and what it takes. */
async function recover(dataDirectory: string): Promise<{ ms: number; rssMB: number }> {
  const startMs = performance.now();
  await using fnlet = await startFnlet({ dataDirectory });
  const arrived = async (): Promise<boolean> => (await ask<number>(fnlet, '/')) > 0;
  await until(arrived, { what: 'the first of the backlog', timeoutMs: 60_000 });
  const ms = performance.now() - startMs;
  let most = 0;
  for (let look = 0; look < 30; look++) {
    most = Math.max(most, await rssMB(fnlet.endpoints.pid));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { ms, rssMB: most };
}

/** What a NATS server takes a second from 64 senders that wait for its acknowledgement. */
async function natsPerSecond(): Promise<number | undefined> {
  const [program] = findNatsPrograms();
  if (program === undefined) return undefined;
  await using server = await NatsServer.start(program);
  const connection = await connect({ servers: server.url });
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: 'b', subjects: ['b'], storage: StorageType.File });
  const stream = jetstream(connection);
  const startMs = performance.now();
  let count = 0;
  const send = async (): Promise<void> => {
    while (performance.now() - startMs < 3_000) {
      await stream.publish('b', kilobyte);
      count++;
    }
  };
  await Promise.all(Array.from({ length: 64 }, send));
  await connection.close();
  return count / 3;
}

const [loadBefore = 0] = loadavg();
const dataDirectory = await makeDataDirectory();
const fnlet = await startFnlet({ dataDirectory });
const api = await createApi(fnlet.endpoints.kubeconfig);
const triggers = await openTriggers(fnlet);
await api.applyFunction('count', { source: { inline: counting }, scale: { min: 1, max: 1 } });
await api.waitReady('count');
await applyAll(triggers, true);
const script = join(dataDirectory, 'send.lua');
await writeFile(script, sending);
const url = fnlet.endpoints.gateway;
const warm = await load({ url, script, connections: 64, seconds: warmUpSeconds });
const beforeMs = await cpuMs(fnlet);
const accepted = await load({ url, script, connections: 64, seconds: loadSeconds });
const events = accepted.perSecond * loadSeconds;
const acceptedUs = (((await cpuMs(fnlet)) - beforeMs) / events) * 1000;
const applied = applyAll(triggers, false);
const delivered = await deliver(fnlet, warm.perSecond * warmUpSeconds + events);
await applied;
await settle(fnlet);
const samples = await ages(fnlet);
const uid = await uidOf(fnlet, 't0');
await triggers.close();
await api.close();
await fnlet.stop();
await fill(dataDirectory, uid);
const recovered = await recover(dataDirectory);
const nats = await natsPerSecond();
await rm(dataDirectory, { recursive: true, force: true });
const p99Ms = round(quantile(samples, 0.99), 2);
report(
  'events',
  {
    'accepted, on the disk': {
      'per s': Math.round(accepted.perSecond),
      'CPU µs': Math.round(acceptedUs),
      'sender CPU µs': Math.round(accepted.senderCpuUs),
      'p50 ms': round(accepted.p50Ms, 2),
      'p99 ms': round(accepted.p99Ms, 2),
    },
    'delivered over HTTP': {
      'per s': Math.round(delivered.perSecond),
      'CPU µs': Math.round(delivered.cpuUs),
    },
    'sender to function': { 'p50 ms': round(quantile(samples, 0.5), 2), 'p99 ms': p99Ms },
    [`restart with ${pending} pending`]: {
      'p50 ms': Math.round(recovered.ms),
      'RSS MB': Math.round(recovered.rssMB),
    },
    'load before': { 'of the machine': round(loadBefore, 1) },
    ...(nats === undefined ? {} : { 'nats-server alone': { 'per s': Math.round(nats) } }),
  },
  {
    acceptedPerSecond: Math.round(accepted.perSecond),
    deliveredPerSecond: Math.round(delivered.perSecond),
    p99Ms,
    recoveryMs: Math.round(recovered.ms),
    pendingRssMB: Math.round(recovered.rssMB),
  },
);
