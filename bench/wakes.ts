/**
 * What sleeping Functions answer when many are wanted: 50 different ones at once; one after the
 * other while 20 others scale out; and one that gets 3 000 requests a second from nothing. The warm
 * pool holds as many Runners as the largest burst of the last minutes took: the first burst has
 * none of them and is a row of its own.
 *
 *     node bench/wakes.ts [--rounds 4] [--burst-seconds 8]
 *
 * The limit beside the first: as many fresh Node processes at once, from spawn to their answer.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createApi, type TestApi } from '../test/api-access.ts';
import { startFnlet } from '../test/fnlet-process.ts';
import { until } from '../test/until.ts';
import { latencyRow, quantile, report, round } from './_figures.ts';
import { HttpConnection } from './_http-connection.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '4' },
    'burst-seconds': { type: 'string', default: '8' },
  },
});
const rounds = Number(values.rounds);
const burstSeconds = Number(values['burst-seconds']);
const atOnce = 50;
const scalingOut = 20;
const burstPerSecond = 3_000;
const burstConnections = 200;
const source = { inline: "export default () => 'hello';" };

await using fnlet = await startFnlet();
const api = await createApi(fnlet.endpoints.kubeconfig);
const gateway = new URL(fnlet.endpoints.gateway);
const path = (name: string): string => `/default/${name}`;

async function apply(prefix: string, count: number, scale: object): Promise<readonly string[]> {
  const names = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
  for (const name of names) await api.applyFunction(name, { source, scale });
  for (const name of names) await api.waitReady(name);
  return names;
}

async function untilAsleep(from: TestApi, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await until(async () => (await from.podsOf(name)).length === 0, {
      what: `${name} to sleep`,
      timeoutMs: 60_000,
    });
  }
}

/** From the request to its answer, on a connection that is open already. */
async function timeRequest(name: string, connection: HttpConnection): Promise<number> {
  const startMs = performance.now();
  const status = await connection.get(path(name));
  if (status !== 200) throw new Error(`${name} answered ${status}`);
  return performance.now() - startMs;
}

function open(count: number): Promise<readonly HttpConnection[]> {
  return Promise.all(Array.from({ length: count }, () => HttpConnection.open(gateway)));
}

async function timeFreshProcess(): Promise<number> {
  const server = `require('node:http').createServer((_, answer) => answer.end('hello'))
    .listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;
  const startMs = performance.now();
  const child = spawn(process.execPath, ['-e', server], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(child.stdout, 'data');
  const connection = await HttpConnection.open(new URL(`http://127.0.0.1:${String(port).trim()}`));
  await connection.get('/');
  const tookMs = performance.now() - startMs;
  connection.close();
  child.kill('SIGKILL');
  await once(child, 'exit');
  return tookMs;
}

/** 50 that sleep are called in the same moment. */
async function measureAtOnce(): Promise<Record<'first' | 'woken' | 'fresh', number[]>> {
  const names = await apply('many', atOnce, { idleAfter: '1s' });
  const connections = await open(atOnce);
  const first: number[] = [];
  const woken: number[] = [];
  const fresh: number[] = [];
  for (let turn = 0; turn <= rounds; turn++) {
    await untilAsleep(api, names);
    // The warm pool has what it keeps: since the first burst, as many as that took.
    await sleep(5_000);
    const calls = connections.map((connection, at) => timeRequest(names[at] ?? '', connection));
    (turn === 0 ? first : woken).push(...(await Promise.all(calls)));
    fresh.push(...(await Promise.all(names.map(timeFreshProcess))));
  }
  for (const connection of connections) connection.close();
  return { first, woken, fresh };
}

/** Single ones are woken while 20 others get a second Instance each. */
async function measureBeside(): Promise<number[]> {
  const others = await apply('other', scalingOut, { min: 1, idleAfter: '1s' });
  const names = await apply('beside', 10, { idleAfter: '1s' });
  const [connection] = await open(1);
  if (connection === undefined) throw new Error('No connection');
  const woken: number[] = [];
  for (let turn = 0; turn < rounds; turn++) {
    await untilAsleep(api, names);
    await sleep(2_000);
    const min = turn % 2 === 0 ? 2 : 1;
    const scaled = others.map((name) => api.applyFunction(name, { source, scale: { min } }));
    for (const name of names) woken.push(await timeRequest(name, connection));
    await Promise.all(scaled);
  }
  connection.close();
  for (const name of others) await api.deleteFunction(name);
  return woken;
}

interface Burst {
  readonly latencies: readonly number[];
  /** The same by the second in which the request was due. */
  readonly bySecond: readonly (readonly number[])[];
  readonly errors: number;
  readonly instances: number;
}

/** Requests at a fixed rate, whether or not earlier ones were answered; from zero. */
async function measureBurst(): Promise<Burst> {
  const [name = ''] = await apply('burst', 1, { idleAfter: '1s', target: 50 });
  const connections = [...(await open(burstConnections))];
  await untilAsleep(api, [name]);
  const latencies: number[] = [];
  const bySecond: number[][] = Array.from({ length: burstSeconds }, () => []);
  const pending: Promise<void>[] = [];
  const due: number[] = [];
  let errors = 0;
  let instances = 0;
  const call = async (connection: HttpConnection, dueMs: number, at: number): Promise<void> => {
    // What is late because every connection is taken waits here, and its wait counts.
    for (let next: number | undefined = dueMs; next !== undefined; next = due.shift()) {
      const status = await connection.get(path(name)).catch(() => 0);
      if (status !== 200) errors++;
      const tookMs = performance.now() - next;
      latencies.push(tookMs);
      bySecond[Math.min(burstSeconds - 1, Math.floor((next - startMs) / 1000))]?.push(tookMs);
    }
    connections.push(connection);
    if (at === 0) instances = Math.max(instances, (await api.podsOf(name)).length);
  };
  const startMs = performance.now();
  const total = burstPerSecond * burstSeconds;
  for (let sent = 0; sent < total; ) {
    const wanted = Math.min(total, ((performance.now() - startMs) / 1000) * burstPerSecond);
    for (; sent < wanted; sent++) {
      const dueMs = startMs + (sent / burstPerSecond) * 1000;
      const connection = connections.pop();
      if (connection === undefined) due.push(dueMs);
      else pending.push(call(connection, dueMs, sent % burstPerSecond));
    }
    await sleep(1);
  }
  await Promise.all(pending);
  for (const connection of connections) connection.close();
  return { latencies, bySecond, errors, instances };
}

const { first, woken, fresh } = await measureAtOnce();
const beside = await measureBeside();
const burst = await measureBurst();
await api.close();
const bySecond = Object.fromEntries(
  burst.bySecond.map((latencies, at) => [`burst, second ${at + 1}`, latencyRow(latencies)]),
);
const settled = burst.bySecond.findIndex((latencies) => quantile(latencies, 0.99) <= 20);
report(
  'wakes',
  {
    [`${atOnce} sleeping Functions at once, for the first time`]: latencyRow(first),
    [`${atOnce} sleeping Functions at once, again`]: latencyRow(woken),
    [`${atOnce} fresh Node processes at once`]: latencyRow(fresh),
    [`one, while ${scalingOut} others scale out`]: latencyRow(beside),
    [`0 to ${burstPerSecond} requests/s`]: { ...latencyRow(burst.latencies), errors: burst.errors },
    ...bySecond,
  },
  {
    atOnceP99Ms: round(quantile(woken, 0.99), 1),
    besideP95Ms: round(quantile(beside, 0.95), 1),
    burstErrors: burst.errors,
    burstSettledSeconds: settled,
    burstInstances: burst.instances,
  },
);
