/**
 * What a warm Runner answers by itself: hello world, and a JSON document of 100 kB that is parsed
 * and sent back, beside other runtimes for functions, in turns within one run, with wrk as the load.
 *
 *     node bench/runtimes.ts [--seconds 2] [--rounds 3]
 *
 * The peers come from npm and PyPI, once. `Kyma … shape` and `Kubeless … shape` do what those
 * runtimes make Node and Python do for a call (bench/peers); the others are the real programs.
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

const pythonRunner = join(
  ...[import.meta.dirname, '..', 'runtimes', 'python', 'fnlet_runner', '__main__.py'],
);
const connections = 20;
const bodyBytes = 100_000;
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
  },
});
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);

const answers = {
  hello: {
    node: "const answer = () => 'Hello World!';",
    python: "def main(event, context):\n    return 'Hello World!'\n",
  },
  echo: {
    node: 'const answer = (body) => body;',
    python: "def main(event, context):\n    return event['data']\n",
  },
} as const;

type Workload = keyof typeof answers;

/** One module that every Node runtime here can call. */
function nodeModule(workload: Workload): string {
  return [
    answers[workload].node,
    'exports.main = (event) => answer(event.data);',
    'exports.http = (request, response) => response.send(answer(request.body));',
    'exports.handle = (context, body) => answer(body);',
  ].join('\n');
}

async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'fnlet-bench-'));
  const peers = await installPeers(
    join(import.meta.dirname, '..', 'node_modules', '.cache', 'bench-peers'),
  );
  try {
    const rows: Record<string, Record<string, number>> = {};
    const figures: Record<string, number> = {};
    for (const workload of ['hello', 'echo'] as const) {
      await using processes = new BenchProcesses();
      const targets = await startTargets(processes, { workload, directory, peers });
      const samples = await measure(targets, writeScript(directory, workload));
      for (const [name, loads] of samples) {
        rows[`${workload}: ${name}`] = rowOf(loads);
      }
      const perSecond = (name: string): number => middle(samples.get(name) ?? []).perSecond;
      const nodePeers = [...samples.keys()].filter((name) => !/Fnlet|Python/.test(name));
      figures[`${workload}NodePerSecond`] = round(perSecond('Fnlet Node'), 0);
      figures[`${workload}PythonPerSecond`] = round(perSecond('Fnlet Python'), 0);
      figures[`${workload}NodeToBestPeer`] = round(
        perSecond('Fnlet Node') / Math.max(...nodePeers.map(perSecond)),
        2,
      );
      figures[`${workload}PythonToKyma`] = round(
        perSecond('Fnlet Python') / perSecond('Kyma Python shape'),
        2,
      );
    }
    report('runtimes', rows, figures);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function startTargets(
  processes: BenchProcesses,
  options: { readonly workload: Workload; readonly directory: string; readonly peers: string },
): Promise<ReadonlyMap<string, string>> {
  const { workload, directory, peers } = options;
  const source = join(directory, workload);
  mkdirSync(source);
  writeFileSync(join(source, 'handler.js'), nodeModule(workload));
  writeFileSync(join(source, 'handler.py'), answers[workload].python);
  const address = (name: string): string[] => [
    ...['--socket', join(source, `${name}.sock`), '--host', '127.0.0.1', '--port', '0'],
    ...['--cache', join(directory, 'cache')],
  ];
  const specialisation = {
    ...{ namespace: 'default', function: 'bench', revision: 'bench-1', instance: 'bench-1-a' },
    ...{ sourceDirectory: source, handler: 'main', env: {} },
    limits: { timeoutMs: 30_000, bodyBytesMax: 6_000_000, drainMs: 1000 },
  };
  const targets = new Map<string, string>();
  targets.set(
    'Fnlet Node',
    await processes.startRunner([process.execPath, runnerEntry, ...address('node')], {
      ...specialisation,
      runtime: 'nodejs24',
    }),
  );
  targets.set(
    'Fnlet Python',
    await processes.startRunner(
      ['python3', '-I', '-S', '-X', 'utf8', pythonRunner, ...address('python')],
      {
        ...specialisation,
        runtime: 'python3.11',
      },
    ),
  );
  const commands = Object.entries(peerCommands(peers, join(source, 'handler.js')));
  // It has a program of its own, which says hello whatever it is asked.
  for (const [name, command] of commands.filter(([peer]) => peer !== 'workerd')) {
    targets.set(name, await processes.startServer(command));
  }
  return targets;
}

function writeScript(directory: string, workload: Workload): string | undefined {
  if (workload === 'hello') return undefined;
  const items = Array.from({ length: bodyBytes / 50 }, (_, index) => ({
    id: index,
    name: `item ${index}`.padEnd(24, '.'),
  }));
  const path = join(directory, 'echo.lua');
  const body = JSON.stringify({ items });
  writeFileSync(
    path,
    `wrk.method = "POST"\nwrk.body = [==[${body}]==]\nwrk.headers["Content-Type"] = "application/json"\n`,
  );
  return path;
}

/** Measures every target in turns. */
async function measure(
  targets: ReadonlyMap<string, string>,
  script: string | undefined,
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

function middle(samples: readonly Load[]): Load {
  const median = (pick: (sample: Load) => number): number => quantile(samples.map(pick), 0.5);
  return {
    perSecond: median(({ perSecond }) => perSecond),
    p50Ms: median(({ p50Ms }) => p50Ms),
    p99Ms: median(({ p99Ms }) => p99Ms),
    p999Ms: median(({ p999Ms }) => p999Ms),
    senderCpuUs: median(({ senderCpuUs }) => senderCpuUs),
  };
}

function rowOf(samples: readonly Load[]): Record<string, number> {
  const { perSecond, p50Ms, p99Ms } = middle(samples);
  return {
    'requests/s': round(perSecond, 0),
    'p50 ms': round(p50Ms, 2),
    'p99 ms': round(p99Ms, 2),
  };
}

await main();
