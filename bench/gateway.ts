/**
 * What the Gateway costs on the way to a warm Instance: the Instance called directly, through
 * nginx, and through the Gateway, in turns within one run, with wrk as the load; beside them other
 * runtimes for functions, which no gateway stands before.
 *
 *     node bench/gateway.ts [--seconds 1] [--rounds 5] [--peers none]
 *
 * Added latency is taken on one connection; throughput is compared on twenty. No two requests are
 * alike, so that nothing is measured that only remembers the last one. Ratios are medians over the
 * rounds, each of which runs all one after the other: a busy moment of the machine hits all.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runnerEntry } from '@fnlet/runtime-node';
import { BenchProcesses } from './_bench-process.ts';
import { quantile, report, round } from './_figures.ts';
import { installPeers, peerCommands } from './_runtime-peers.ts';
import { type Load, load } from './_wrk.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '5' },
    peers: { type: 'string', default: 'all' },
  },
});
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);
const counts = [1, 20, 100, 500] as const;
const peerNames = ['functions-framework', 'faas-js-runtime', 'workerd'];

/** What wrk sends: every request has a query and a field of its own. */
const requests = `
local calls = 0
request = function()
  calls = calls + 1
  wrk.headers["X-Call"] = calls
  return wrk.format("GET", wrk.path .. "?call=" .. calls)
end`;

// One module that every runtime here can call.
const handler = `
const answer = () => 'hello, world';
exports.main = answer;
exports.http = (request, response) => response.send(answer());
exports.handle = answer;
`;

function nginxConfiguration(directory: string, socketPath: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${directory}/${name};`)
    .join(' ');
  return `
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    worker_processes 1; daemon off; pid ${directory}/nginx.pid; error_log ${directory}/error.log;
    events { worker_connections 2048; }
    http {
      access_log off; ${temporary} keepalive_requests 100000000;
      upstream runner {
        server unix:${socketPath}; keepalive 512; keepalive_requests 100000000;
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

/** Starts everything that is measured; their addresses by name. */
async function startTargets(
  processes: BenchProcesses,
  directory: string,
): Promise<ReadonlyMap<string, string>> {
  const source = join(directory, 'source');
  mkdirSync(source);
  const handlerFile = join(source, 'handler.js');
  writeFileSync(handlerFile, handler);
  const socketPath = join(directory, 'runner.sock');
  const address = ['--socket', socketPath, '--host', '127.0.0.1', '--port', '0'];
  const cache = ['--cache', join(directory, 'cache')];
  const direct = await processes.startRunner(
    [process.execPath, runnerEntry, ...address, ...cache],
    {
      ...{ namespace: 'default', function: 'hello', revision: 'hello-1', instance: 'hello-1-a' },
      ...{ runtime: 'nodejs24', sourceDirectory: source, handler: 'main', env: {} },
      limits: { timeoutMs: 30_000, bodyBytesMax: 6_000_000, drainMs: 1000 },
    },
  );
  const nginx = await processes.startServer((port) => {
    const configuration = join(directory, 'nginx.conf');
    writeFileSync(configuration, nginxConfiguration(directory, socketPath, port));
    return ['nginx', '-c', configuration];
  });
  const server = join(import.meta.dirname, '_gateway-server.ts');
  // As bin/fnlet.js runs: little memory kept for later.
  const node = [process.execPath, '--max-semi-space-size=4'];
  const gateway = await processes.startServer((port) => [
    ...[...node, server, socketPath, String(port)],
  ]);
  const targets = new Map([
    ['the Runner alone', direct],
    ['nginx', nginx],
    ['Fnlet Gateway', `${gateway}default/hello/`],
  ]);
  if (values.peers === 'none') return targets;
  const packages = join(import.meta.dirname, '..', 'node_modules', '.cache', 'bench-peers');
  const commands = peerCommands(await installPeers(packages), handlerFile);
  for (const name of peerNames) {
    const command = commands[name];
    if (command !== undefined) targets.set(name, await processes.startServer(command));
  }
  return targets;
}

/** Loads every target in turns; the samples of each, one per round. */
async function measure(
  targets: ReadonlyMap<string, string>,
  script: string,
  connections: number,
): Promise<ReadonlyMap<string, readonly Load[]>> {
  const samples = new Map<string, Load[]>();
  for (let turn = 0; turn <= rounds; turn++) {
    for (const [name, url] of targets) {
      const sample = await load({ url, script, connections, seconds });
      // The first turn warms up.
      if (turn > 0) samples.set(name, [...(samples.get(name) ?? []), sample]);
    }
  }
  return samples;
}

const middle = (values: readonly number[]): number => quantile(values, 0.5);

function rowOf(samples: readonly Load[]): Record<string, number> {
  const of = (pick: (sample: Load) => number): number => middle(samples.map(pick));
  return {
    'requests/s': round(
      of(({ perSecond }) => perSecond),
      0,
    ),
    'p50 ms': round(
      of(({ p50Ms }) => p50Ms),
      3,
    ),
    'p99 ms': round(
      of(({ p99Ms }) => p99Ms),
      2,
    ),
    'p99.9 ms': round(
      of(({ p999Ms }) => p999Ms),
      2,
    ),
  };
}

/** How many times the requests of `other` the Gateway took: the median over the rounds. */
function ratioTo(other: string, samples: ReadonlyMap<string, readonly Load[]>): number {
  const others = samples.get(other) ?? [];
  const gateway = samples.get('Fnlet Gateway') ?? [];
  const ratios = gateway.map(({ perSecond }, at) => perSecond / (others[at]?.perSecond ?? 0));
  return round(middle(ratios), 2);
}

async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'fnlet-bench-'));
  try {
    await using processes = new BenchProcesses();
    const targets = await startTargets(processes, directory);
    const script = join(directory, 'requests.lua');
    writeFileSync(script, requests);
    const rows: Record<string, Record<string, number>> = {};
    const figures: Record<string, number> = {};
    for (const count of counts) {
      const samples = await measure(targets, script, count);
      for (const [name, loads] of samples) rows[`${count}: ${name}`] = rowOf(loads);
      const p50Ms = (name: string): number =>
        middle((samples.get(name) ?? []).map((sample) => sample.p50Ms));
      if (count === 1) {
        figures.addedP50Ms = round(p50Ms('Fnlet Gateway') - p50Ms('the Runner alone'), 3);
      }
      if (count !== 20) continue;
      figures.ratioToNginx = ratioTo('nginx', samples);
      for (const name of peerNames) {
        if (samples.has(name)) figures[`ratioTo ${name}`] = ratioTo(name, samples);
      }
    }
    report('gateway', rows, figures);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

await main();
