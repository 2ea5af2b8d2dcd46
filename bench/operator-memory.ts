/**
 * What it costs an operator to cache 15 000 Pods of 28 kB each (`operator-memory [count]`): peak
 * memory, heap and time until it holds them all. Beside it, in the same run: what comes when nothing
 * is left out, and the informer of @kubernetes/client-node, which .ci/clients fetches.
 *
 * The operator runs as an installed one does: its TypeScript compiled before, and without flags.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { report, round } from './_figures.ts';

const count = process.argv[2] ?? '15000';
const directory = await mkdtemp(join(tmpdir(), 'fnlet-bench-'));
const compiled = { ...process.env, NODE_COMPILE_CACHE: join(directory, 'compiled') };
const peer = join(
  import.meta.dirname,
  '../node_modules/.cache/clients/client-node/node_modules/@kubernetes/client-node/dist/index.js',
);

interface Api {
  readonly url: string;
  readonly caPem: string;
  readonly process: ChildProcess;
}

interface Usage {
  readonly objects: number;
  readonly peakRssMb: number;
  readonly heapMb: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
}

async function serve(pods: string): Promise<Api> {
  const args = [join(import.meta.dirname, '_pod-server.ts'), directory, pods];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    const { port, caPem }: { port: number; caPem: string } = JSON.parse(line);
    return { url: `https://127.0.0.1:${port}`, caPem, process: child };
  }
  throw new Error('Cannot start the server of Pods: found its end, expected its port');
}

async function stop({ process: child }: Api): Promise<void> {
  child.kill();
  await once(child, 'exit');
}

const run = promisify(execFile);

async function use(api: Api, what: string, flags: readonly string[]): Promise<Usage> {
  const program = what === 'peer' ? '_peer-informer.ts' : '_operator.ts';
  const args = [...flags, join(import.meta.dirname, program), api.url, what, api.caPem];
  const { stdout } = await run(process.execPath, args, {
    env: { ...compiled, FNLET_BENCH_PEER: peer },
  });
  const usage: Usage = JSON.parse(stdout);
  return usage;
}

function row({ objects, peakRssMb, heapMb, seconds, cpuSeconds }: Usage): Record<string, number> {
  return {
    objects,
    'peak RSS MB': round(peakRssMb),
    'heap MB': round(heapMb),
    s: round(seconds),
    'CPU s': round(cpuSeconds),
  };
}

const rows: Record<string, Record<string, number>> = {};
const none = await serve('1');
await use(none, 'projected', []);
rows['with 1 Pod'] = row(await use(none, 'projected', []));
await stop(none);
const api = await serve(count);
try {
  const projected = await use(api, 'projected', []);
  rows.projected = row(projected);
  const limited = await use(api, 'projected', ['--max-old-space-size=32']);
  rows['projected, 32 MB old space'] = row(limited);
  rows['projected, listed in pages'] = row(await use(api, 'paged', []));
  rows['projected, heap as Node grows it'] = row(await use(api, 'grown', []));
  rows['whole but managedFields'] = row(await use(api, 'whole', []));
  if (existsSync(peer)) rows['@kubernetes/client-node'] = row(await use(api, 'peer', []));
  else process.stdout.write('@kubernetes/client-node is not here: run .ci/clients\n');
  const figures = {
    peakRssMB: round(projected.peakRssMb),
    limitedPeakRssMB: round(limited.peakRssMb),
    heapMB: round(projected.heapMb),
    cpuSeconds: round(projected.cpuSeconds),
  };
  report('operator-memory', rows, figures);
} finally {
  await stop(api);
  await rm(directory, { recursive: true });
}
