/**
 * Routes by host and path, 10 000 of them: how long it takes to find one, beside 10 and 100 000;
 * what they cost in memory together with as many sleeping Functions; and what 1 000 changes of
 * routes per second do to calls of a warm Function, in turns within one run.
 */
import { execFile, fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { HttpRouteTable } from '../packages/gateway/src/routing/http-route-table.ts';
import { quantile, report, round } from './_figures.ts';
import { benchHost, benchHttpRoute, routesCount } from './_routes.ts';
import { type Load, load } from './_wrk.ts';

const rounds = 7;
const changesPerSecond = 1000;
const lookups = 300_000;

type Rows = Record<string, Record<string, string | number>>;

/** Processor time of finding one of so many routes. */
function lookupNs(count: number): number {
  const table = new HttpRouteTable();
  for (let index = 0; index < count; index++) table.set(benchHttpRoute(index));
  const asked = Array.from({ length: 1000 }, (_, n) => {
    const index = (n * 7919) % count;
    return { host: `${benchHost(index)}:8080`, path: `/api/f${index}/7`, anyHost: true };
  });
  let found = 0;
  const ask = (times: number): void => {
    for (let n = 0; n < times; n++) {
      const each = asked[n % asked.length];
      if (each && table.matchHost(each.host, each, 'GET')?.kind === 'route') found++;
    }
  };
  ask(lookups);
  const start = process.cpuUsage();
  ask(lookups);
  const { user, system } = process.cpuUsage(start);
  if (found !== 2 * lookups) throw new Error(`Found ${found} of ${2 * lookups}`);
  return ((user + system) * 1000) / lookups;
}

async function measureMemory(): Promise<Record<string, number>> {
  const file = join(import.meta.dirname, '_routes-memory.ts');
  const run = promisify(execFile);
  return JSON.parse((await run(process.execPath, ['--expose-gc', file])).stdout);
}

/** Loads with and without changes, in turns. */
async function measureChanges(directory: string): Promise<readonly [Load[], Load[]]> {
  const socketPath = join(directory, 'instance.sock');
  const instance = createServer((_, response) => response.end('hello')).listen(socketPath);
  const server = fork(join(import.meta.dirname, '_routes-server.ts'), [socketPath]);
  try {
    const port = await new Promise<number>((resolve) => {
      server.once('message', (told) => resolve(Number(told)));
    });
    const script = join(directory, 'host.lua');
    writeFileSync(script, `wrk.headers["Host"] = "${benchHost(0)}"`);
    const url = `http://127.0.0.1:${port}/api/f0/7`;
    const measured: readonly [Load[], Load[]] = [[], []];
    for (let round = 0; round <= rounds; round++) {
      for (const [at, loads] of measured.entries()) {
        server.send(at * changesPerSecond);
        const sample = await load({ url, script, connections: 20, seconds: 1 });
        // The first round warms up.
        if (round > 0) loads.push(sample);
      }
    }
    return measured;
  } finally {
    server.kill();
    instance.close();
    instance.closeAllConnections();
  }
}

const rows: Rows = {};
const figures: Record<string, number> = {};
for (const count of [10, routesCount, 10 * routesCount]) {
  const ns = round(lookupNs(count), 0);
  rows[`find one of ${count}`] = { 'CPU ns': ns };
  figures[`lookupNs${count}`] = ns;
}
const { functionsMB = 0, routesMB = 0, restoreCpuMs = 0 } = await measureMemory();
rows[`${routesCount} Functions in the Gateway`] = { MB: round(functionsMB) };
rows[`${routesCount} Triggers and their routes`] = { MB: round(routesMB) };
rows['restoring them'] = { 'CPU ms': round(restoreCpuMs, 0) };
figures.growthMB = round(functionsMB + routesMB);
const directory = mkdtempSync(join(tmpdir(), 'fnlet-bench-'));
try {
  const [still, changing] = await measureChanges(directory);
  const middle = (loads: readonly Load[], pick: (sample: Load) => number): number =>
    quantile(loads.map(pick), 0.5);
  for (const [name, loads] of Object.entries({
    'no changes': still,
    '1 000 changes/s': changing,
  })) {
    rows[`calls, ${name}`] = {
      'requests/s': round(
        middle(loads, ({ perSecond }) => perSecond),
        0,
      ),
      'p50 ms': round(
        middle(loads, ({ p50Ms }) => p50Ms),
        2,
      ),
      'p99 ms': round(
        middle(loads, ({ p99Ms }) => p99Ms),
        2,
      ),
    };
  }
  const ratios = changing.map(({ p99Ms }, at) => p99Ms / (still[at]?.p99Ms ?? Number.NaN));
  figures.p99RatioWithChanges = round(quantile(ratios, 0.5), 2);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
report('routes', rows, figures);
