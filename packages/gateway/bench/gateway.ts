/**
 * What the Gateway costs on the way to a warm Instance: the Instance called directly, through
 * nginx, and through the Gateway, in turns within one run, with wrk as the load.
 *
 *     node packages/gateway/bench/gateway.ts [--socket <path> --url <address of the same Runner>]
 *
 * Without an address it starts a Node Runner with a handler that says hello. Added latency is taken
 * on one connection, throughput on twenty. No two requests are alike, so that nothing is measured
 * that only remembers the last one. The ratio to nginx is the median over the rounds, each of which
 * runs both one after the other: a busy moment of the machine hits both.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { silentLogger, systemClock, systemRandom } from '@fnlet/base';
import { runnerEntry } from '@fnlet/runtime-node';
import { createGateway } from '../src/index.ts';

const rounds = 5;
const secondsPerRound = 1;
const allocator = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_TOP_PAD_: '0',
  MALLOC_TRIM_THRESHOLD_: '65536',
  MALLOC_MMAP_THRESHOLD_: '32768',
};

interface Sample {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** A Runner with a hello world; resolves with its TCP port once it answers. */
function startRunner(
  directory: string,
  socketPath: string,
): { child: ChildProcess; port: Promise<number> } {
  const sourceDirectory = join(directory, 'source');
  mkdirSync(sourceDirectory);
  writeFileSync(join(sourceDirectory, 'handler.js'), "export default () => 'hello, world';");
  const cache = join(directory, 'cache');
  const address = ['--socket', socketPath, '--host', '127.0.0.1', '--port', '0'];
  const child = spawn(process.execPath, [runnerEntry, ...address, '--cache', cache], {
    env: {},
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  const channel = child.stdio[3];
  if (!(channel instanceof Socket)) throw new Error('The Runner has no control channel');
  const specialisation = {
    ...{ namespace: 'default', function: 'hello', revision: 'hello-1', instance: 'hello-1-a' },
    ...{ runtime: 'nodejs24', sourceDirectory, handler: 'default', env: {} },
    limits: { timeoutMs: 30_000, bodyBytesMax: 6_000_000, drainMs: 1000 },
  };
  channel.write(`${JSON.stringify({ type: 'specialise', specialisation })}\n`);
  let reports = '';
  const port = new Promise<number>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The Runner ended with ${code}`)));
    channel.on('data', (chunk: Buffer) => {
      reports += chunk.toString();
      if (reports.includes('"ready"')) resolve(Number(/"port":(\d+)/.exec(reports)?.[1]));
    });
  });
  return { child, port };
}

/** The Gateway in a process of its own; prints its port. */
async function serveGateway(socketPath: string): Promise<void> {
  const gateway = createGateway({
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
    onDemand: () => {},
  });
  const revision = 'default/hello-1';
  const limits = {
    timeoutMs: 30_000,
    wakeMs: 0,
    bodyBytesMax: 6_000_000,
    concurrencyLimit: 0,
    concurrencyTarget: 0,
  };
  gateway.setRoute({ namespace: 'default', function: 'hello', revision, ...limits });
  gateway.setEndpoints(revision, [{ id: 'hello-1-a', socketPath }]);
  print(String((await gateway.listen({ host: '127.0.0.1', port: 0 })).port));
}

function nginxConfiguration(directory: string, socketPath: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${directory}/${name};`)
    .join(' ');
  return `
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    worker_processes 1; daemon off; pid ${directory}/nginx.pid; error_log ${directory}/error.log;
    events { worker_connections 1024; }
    http {
      access_log off; ${temporary} keepalive_requests 100000000;
      upstream runner {
        server unix:${socketPath}; keepalive 128; keepalive_requests 100000000;
      }
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass http://runner; proxy_http_version 1.1; proxy_set_header Connection "";
          proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
          proxy_set_header X-Forwarded-Proto $scheme; proxy_set_header X-Forwarded-Host $host;
          proxy_set_header X-Request-Id $request_id;
        }
      }
    }`;
}

/** What wrk sends: every request has a query and a field of its own. */
const requests = `
local calls = 0
request = function()
  calls = calls + 1
  wrk.headers["X-Call"] = calls
  return wrk.format("GET", wrk.path .. "?call=" .. calls)
end`;

/** One run of wrk. */
function load(url: string, script: string, connections: number): Sample {
  const output = execFileSync('wrk', [
    '-t1',
    `-c${connections}`,
    `-d${secondsPerRound}s`,
    ...['-s', script],
    '--latency',
    url,
  ]).toString();
  if (/Non-2xx|Socket errors/.test(output)) throw new Error(`Load on ${url} failed:\n${output}`);
  const duration = (percentile: string): number => {
    const [, value = '', unit = ''] =
      new RegExp(`${percentile}\\s+([\\d.]+)(us|ms|s)`).exec(output) ?? [];
    return Number(value) * (unit === 'us' ? 0.001 : unit === 's' ? 1000 : 1);
  };
  const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]);
  return { perSecond, p50Ms: duration('50%'), p99Ms: duration('99%') };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

function medianSample(samples: readonly Sample[]): Sample {
  return {
    perSecond: median(samples.map(({ perSecond }) => perSecond)),
    p50Ms: median(samples.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(samples.map(({ p99Ms }) => p99Ms)),
  };
}

/** The samples of every target, one per round. */
type Rounds = Readonly<Record<string, readonly Sample[]>>;

/** Measures every target in turns. */
function measure(
  targets: Readonly<Record<string, string>>,
  script: string,
  connections: number,
): Rounds {
  const samples = new Map<string, Sample[]>();
  for (let round = 0; round < rounds; round++) {
    for (const [name, url] of Object.entries(targets)) {
      samples.set(name, [...(samples.get(name) ?? []), load(url, script, connections)]);
    }
  }
  return Object.fromEntries(samples);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { socket: { type: 'string' }, url: { type: 'string' } },
  });
  const directory = mkdtempSync(join(tmpdir(), 'fnlet-bench-'));
  const children: ChildProcess[] = [];
  const start = (...command: [string, ...string[]]): ChildProcess => {
    const [file, ...parameters] = command;
    const env = { ...process.env, ...(file === process.execPath ? allocator : {}) };
    const child = spawn(file, parameters, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    return child;
  };
  // As bin/fnlet.js runs: little memory kept for later.
  const self = [process.execPath, '--max-semi-space-size=4', import.meta.filename] as const;
  try {
    const socketPath = values.socket ?? join(directory, 'runner.sock');
    const startOwnRunner = async (): Promise<string> => {
      const { child, port } = startRunner(directory, socketPath);
      children.push(child);
      return `http://127.0.0.1:${await port}/`;
    };
    const direct = values.url ?? (await startOwnRunner());
    const gatewayPort = await firstLine(start(...self, 'serve-gateway', socketPath));
    const nginxPort = await freePort();
    writeFileSync(
      join(directory, 'nginx.conf'),
      nginxConfiguration(directory, socketPath, nginxPort),
    );
    start('nginx', '-c', join(directory, 'nginx.conf'));
    const targets = {
      direct,
      nginx: `http://127.0.0.1:${nginxPort}/`,
      gateway: `http://127.0.0.1:${gatewayPort}/default/hello/`,
    };
    for (const url of Object.values(targets)) await untilAnswering(url);
    const script = join(directory, 'requests.lua');
    writeFileSync(script, requests);
    report(measure(targets, script, 1), measure(targets, script, 20));
  } finally {
    await Promise.all(children.map(ended));
    rmSync(directory, { recursive: true, force: true });
  }
}

function report(one: Rounds, twenty: Rounds): void {
  print('target   conns   requests/s   p50 ms   p99 ms   added p50 ms');
  for (const [connections, all] of [
    ['1', one],
    ['20', twenty],
  ] as const) {
    const direct = medianSample(all.direct ?? []);
    for (const [name, samples] of Object.entries(all)) {
      const { perSecond, p50Ms, p99Ms } = medianSample(samples);
      print(
        name.padEnd(9) +
          connections.padStart(5) +
          perSecond.toFixed(0).padStart(13) +
          [p50Ms, p99Ms].map((ms) => ms.toFixed(3).padStart(9)).join('') +
          (p50Ms - direct.p50Ms).toFixed(3).padStart(15),
      );
    }
  }
  const p50Ms = (rounds: readonly Sample[] = []): number => medianSample(rounds).p50Ms;
  const ratios = (twenty.gateway ?? []).map(
    ({ perSecond }, i) => perSecond / (twenty.nginx?.[i]?.perSecond ?? Number.NaN),
  );
  const addedP50Ms = round(p50Ms(one.gateway) - p50Ms(one.direct));
  const ratioToNginx = round(median(ratios));
  print(JSON.stringify({ bench: 'gateway', figures: { addedP50Ms, ratioToNginx } }));
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) resolve();
    else child.once('exit', () => resolve());
    child.kill();
  });
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', (chunk) => resolve(String(chunk).trim()));
    child.once('exit', (code) => reject(new Error(`A server ended with ${code} at once`)));
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = portOf(server.address());
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function untilAnswering(url: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      if ((await fetch(url)).ok || attempt > 50) return;
    } catch (error) {
      if (attempt > 50) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const [role, socketPath = ''] = process.argv.slice(2);
if (role === 'serve-gateway') await serveGateway(socketPath);
else await main();
