/**
 * One saturated Function: four Instances at most, one call each at a time, 20 ms a call. On 500
 * connections every call waits for its turn, and none fails. On 1 500 more wait than may: those
 * beyond the bound are told so at once, and the others are served as before.
 *
 *     node bench/overload.ts [--seconds 5]
 *
 * The limits beside it: what four Instances can answer at 20 ms a call; and how soon anything at all
 * is told no by a server that does nothing but hold and refuse. Fifteen hundred requests that are
 * written in one moment take this process and that server some tens of milliseconds.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createApi } from '../test/api-access.ts';
import { startFnlet } from '../test/fnlet-process.ts';
import { latencyRow, quantile, report, round } from './_figures.ts';
import { HttpConnection } from './_http-connection.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '5' } } });
const seconds = Number(values.seconds);
const instancesMax = 4;
const callMs = 20;
/** Calls that wait for one Revision at most, as the Gateway has it. */
const queuedMax = 1000;
const name = 'saturated';

await using fnlet = await startFnlet();
const api = await createApi(fnlet.endpoints.kubeconfig);
const gateway = new URL(fnlet.endpoints.gateway);

interface Outcome {
  readonly served: number[];
  readonly rejected: number[];
  /** Whatever is neither an answer of the function nor 503. */
  errors: number;
  readonly tookMs: number;
}

/** Calls on each connection, one after the other, for so long; then those in flight end. */
async function overload(connections: number, server: URL = gateway): Promise<Outcome> {
  const open = await Promise.all(
    Array.from({ length: connections }, () => HttpConnection.open(server)),
  );
  const served: number[] = [];
  const rejected: number[] = [];
  let errors = 0;
  const startMs = performance.now();
  const call = async (connection: HttpConnection): Promise<void> => {
    while (performance.now() < startMs + seconds * 1000) {
      const sentMs = performance.now();
      const status = await connection.get(`/default/${name}`).catch(() => 0);
      const tookMs = performance.now() - sentMs;
      if (status === 200) served.push(tookMs);
      else if (status === 503) rejected.push(tookMs);
      else errors++;
      // As Retry-After says.
      if (status !== 200) await sleep(1000);
    }
  };
  await Promise.all(open.map(call));
  const tookMs = performance.now() - startMs;
  for (const connection of open) connection.close();
  return { served, rejected, errors, tookMs };
}

/** The same at a server that knows no HTTP, and may hold as many calls as the Gateway. */
async function overloadBare(connections: number): Promise<Outcome> {
  const program = join(import.meta.dirname, '_bare-queue-server.ts');
  const perSecond = (1000 / callMs) * instancesMax;
  const child = spawn(process.execPath, [program, String(queuedMax), String(perSecond)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [port] = await once(child.stdout, 'data');
    return await overload(connections, new URL(`http://127.0.0.1:${String(port).trim()}`));
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}

/** Notes every Instance that there is while it runs. */
async function watchInstances(over: AbortSignal): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  while (!over.aborted) {
    for (const pod of await api.podsOf(name)) seen.add(pod.name);
    await sleep(200);
  }
  return seen;
}

await api.applyFunction(name, {
  source: {
    inline: `export default () => new Promise((done) => setTimeout(done, ${callMs}, 'done'));`,
  },
  scale: { limit: 1, max: instancesMax },
});
await api.waitReady(name);
const over = new AbortController();
const watching = watchInstances(over.signal);
// Until all Instances are there, most calls wait for them.
await overload(100);
const queued = await overload(500);
const beyond = await overload(1500);
const bare = await overloadBare(1500);
over.abort();
const instances = (await watching).size;
await api.close();

const rowOf = ({ served, rejected, errors, tookMs }: Outcome): Record<string, number> => ({
  'calls/s': round(served.length / (tookMs / 1000), 0),
  ...latencyRow(served),
  errors,
  rejected: rejected.length,
  ...(rejected.length === 0
    ? {}
    : {
        '503 p50 ms': round(quantile(rejected, 0.5), 1),
        '503 p99 ms': round(quantile(rejected, 0.99), 1),
      }),
});
report(
  'overload',
  {
    'the limit': { 'calls/s': (1000 / callMs) * instancesMax },
    '500 connections': rowOf(queued),
    '1500 connections': rowOf(beyond),
    '1500 connections, a bare server': rowOf(bare),
  },
  {
    errors: queued.errors + queued.rejected.length + beyond.errors,
    rejected: beyond.rejected.length,
    rejectedP50Ms: round(quantile(beyond.rejected, 0.5), 1),
    rejectedP99Ms: round(quantile(beyond.rejected, 0.99), 1),
    bareRejectedP99Ms: round(quantile(bare.rejected, 0.99), 1),
    instances,
  },
);
