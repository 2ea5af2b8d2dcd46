/** What the benchmarks of operators share: an embedded API in a process, and operators in others. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient, createHttpTransport, formatKubeconfig } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { site, siteDefinition, siteType } from './_website.ts';

/** What an operator process has done since it was asked, until it came to rest. */
export interface Rest {
  readonly runs: number;
  readonly reads: number;
  readonly applies: number;
  readonly events: number;
  readonly others: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly rssMb: number;
  readonly heapMb: number;
}

export interface OperatorProcess {
  /** What it took since its start, or since it was asked last, until it has come to rest. */
  rest(): Promise<Rest>;
  /** Waits until it has come to rest once more. */
  look(): Promise<Rest>;
  /** Has it look at all objects again. */
  resync(): Promise<Rest>;
  stop(): Promise<void>;
}

export interface World extends AsyncDisposable {
  readonly client: Client;
  /** Starts the operator, with so many workers. */
  operate(workers: number): OperatorProcess;
  /** Starts the operator as its author does, and tells how much memory it has after a while. */
  rssMbOfAuthors(): Promise<number>;
}

const definitionType: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

interface Served {
  readonly port: number;
  readonly token: string;
  readonly caPem: string;
}

/** An API that knows WebSites and has none. */
export async function startWorld(): Promise<World> {
  const directory = await mkdtemp(join(tmpdir(), 'fnlet-bench-'));
  const entry = join(import.meta.dirname, '_embedded-api-server.ts');
  const api = spawn(process.execPath, ['--max-semi-space-size=4', entry, 'api', directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { port, token, caPem } = await readServed(api);
  const server = `https://127.0.0.1:${port}`;
  const transport = createHttpTransport({ server, token, caData: caPem });
  const client = createClient(transport, { fieldManager: 'bench' });
  await client.of<KubeObject>(definitionType).create(siteDefinition);
  const compiled = { ...process.env, NODE_COMPILE_CACHE: join(directory, 'compiled') };
  return {
    client,
    operate: (workers) =>
      operatorProcess(
        fork(
          join(import.meta.dirname, '_website-operator.ts'),
          [server, token, caPem, `${workers}`],
          { env: compiled },
        ),
      ),
    async rssMbOfAuthors() {
      const kubeconfig = join(directory, 'kubeconfig');
      await writeFile(kubeconfig, formatKubeconfig({ name: 'bench', server, token, caPem }));
      const env = { ...compiled, KUBECONFIG: kubeconfig, NODE_ENV: 'production' };
      // The first start compiles, what the others find compiled.
      await rssMbOf(env);
      return await rssMbOf(env);
    },
    async [Symbol.asyncDispose]() {
      await transport.close();
      await end(api);
      await rm(directory, { recursive: true });
    },
  };
}

async function readServed(api: ChildProcess): Promise<Served> {
  if (api.stdout !== null) {
    for await (const line of createInterface({ input: api.stdout })) return JSON.parse(line);
  }
  throw new Error('Cannot start the API: found its end, expected its port');
}

function operatorProcess(child: ChildProcess): OperatorProcess {
  const rest = async (): Promise<Rest> => {
    const [told]: Rest[] = await once(child, 'message');
    if (told === undefined) throw new Error('Cannot read the operator: found no message');
    return told;
  };
  const ask = (what: 'look' | 'resync'): Promise<Rest> => {
    child.send(what);
    return rest();
  };
  return {
    rest,
    look: () => ask('look'),
    resync: () => ask('resync'),
    stop: () => end(child),
  };
}

async function rssMbOf(env: NodeJS.ProcessEnv): Promise<number> {
  const entry = join(import.meta.dirname, '_idle-operator.ts');
  const child = spawn(process.execPath, [entry], { stdio: ['ignore', 'ignore', 'pipe'], env });
  for await (const line of createInterface({ input: child.stderr })) {
    if (line.includes('Running')) break;
  }
  await sleep(2000);
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  await end(child);
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1000;
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Creates so many WebSites, sixteen at once; the numbers in their names begin with `first`. */
export async function createSites({ client }: World, count: number, first = 0): Promise<void> {
  const sites = client.of<KubeObject>(siteType);
  let next = first;
  const work = async (): Promise<void> => {
    for (let n = next++; n < first + count; n = next++) await sites.create(site(n));
  };
  await Promise.all(Array.from({ length: 16 }, work));
}
