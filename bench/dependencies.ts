/**
 * What dependencies cost: lodash from npm, requests from PyPI. Applied for the first time (decided,
 * fetched, installed), by a second Function, and by one more after a restart with no registry in
 * reach; 20 Instances of one Function; and requests to a Function that sleeps, beside one without
 * dependencies. The limits beside it: npm and pip by themselves for the same lock, with nothing
 * fetched before and with everything, which is what each new Pod pays where Pods install.
 *
 *     node bench/dependencies.ts [--rounds 10]
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { findPython, pythonName } from '../runtimes/python/test/python.ts';
import { createApi, type TestApi } from '../test/api-access.ts';
import { type FnletProcess, startFnlet } from '../test/fnlet-process.ts';
import { until } from '../test/until.ts';
import { quantile, report, round } from './_figures.ts';
import { httpGet } from './_http-get.ts';
import { countInstallerRuns } from './_installer-runs.ts';

const instances = 20;
const rounds = Number(
  parseArgs({ options: { rounds: { type: 'string', default: '10' } } }).values.rounds,
);
const run = promisify(execFile);

interface Subject {
  readonly spec: Readonly<Record<string, unknown>>;
  /** The same without dependencies. */
  readonly bare: Readonly<Record<string, unknown>>;
  /** Installs the same packages in an empty directory, its downloads kept in `cache`. */
  readonly installPlain: (directory: string, cache: string) => Promise<unknown>;
}

const npmManifest = JSON.stringify({ dependencies: { lodash: '4.17.21' } });
const requirements = 'requests==2.32.3\n';
const subjects: Readonly<Record<string, Subject>> = {
  lodash: {
    spec: {
      dependencies: npmManifest,
      source: {
        inline: "const { kebabCase } = require('lodash');\nexports.main = () => kebabCase('a b');",
      },
    },
    bare: { source: { inline: "exports.main = () => 'a-b';" } },
    async installPlain(directory, cache) {
      await writeFile(join(directory, 'package.json'), npmManifest);
      const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'];
      await run('npm', ['install', ...quiet, '--cache', cache], { cwd: directory });
    },
  },
  requests: {
    spec: {
      runtime: pythonName,
      dependencies: requirements,
      source: { inline: 'import requests\ndef main(event, context): return requests.__name__\n' },
    },
    bare: {
      runtime: pythonName,
      source: { inline: "def main(event, context): return 'requests'\n" },
    },
    async installPlain(directory, cache) {
      await writeFile(join(directory, 'requirements.txt'), requirements);
      const pip = ['-I', '-m', 'pip', 'install', '-q', '--disable-pip-version-check'];
      const where = ['--cache-dir', cache, '--target', 'packages', '-r', 'requirements.txt'];
      await run(findPython() ?? 'python3', [...pip, ...where], { cwd: directory });
    },
  },
};

/** From the first thing to the last, in milliseconds. */
async function time(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

/** What installs, and nothing from outside it. */
interface Bench {
  readonly fnlet: FnletProcess;
  readonly api: TestApi;
}

async function open(dataDirectory: string, env: Readonly<Record<string, string>>): Promise<Bench> {
  const fnlet = await startFnlet({ dataDirectory, env });
  return { fnlet, api: await createApi(fnlet.endpoints.kubeconfig) };
}

async function close({ fnlet, api }: Bench): Promise<void> {
  await api.close();
  await fnlet.stop();
}

/** From applying a Function to its first answer. */
function deploy({ fnlet, api }: Bench, name: string, spec: object): Promise<number> {
  return time(async () => {
    await api.applyFunction(name, { scale: { idleAfter: '1s' }, ...spec });
    await api.waitReady(name);
    await httpGet(`${fnlet.endpoints.gateway}/default/${name}`);
  });
}

async function scaleOut({ api }: Bench, name: string, spec: object): Promise<number> {
  return time(async () => {
    await api.applyFunction(name, { ...spec, scale: { min: instances, idleAfter: '1s' } });
    await until(async () => (await readyPods(api, name)) === instances, {
      what: `${instances} Instances of ${name}`,
      timeoutMs: 120_000,
    });
  });
}

async function readyPods(api: TestApi, name: string): Promise<number> {
  const pods = await api.podsOf(name);
  return pods.filter(({ isReady }) => isReady).length;
}

/** Requests to Functions that sleep, one after the other. */
async function wake({ fnlet, api }: Bench, names: readonly string[]): Promise<Samples> {
  const samples = new Map<string, number[]>(names.map((name) => [name, []]));
  for (let turn = 0; turn < rounds; turn++) {
    for (const [name, times] of samples) {
      await until(async () => (await api.podsOf(name)).length === 0, {
        what: `${name} to sleep`,
        timeoutMs: 60_000,
      });
      // One wake at a time, as a quiet machine sees them; the pool refills meanwhile.
      await sleep(150);
      times.push(await time(() => httpGet(`${fnlet.endpoints.gateway}/default/${name}`)));
    }
  }
  return samples;
}

type Samples = ReadonlyMap<string, readonly number[]>;

/** The package manager alone: with nothing in its cache, then with everything. */
async function timePlain({ installPlain }: Subject, root: string): Promise<readonly number[]> {
  const cache = await mkdtemp(join(root, 'cache-'));
  const times: number[] = [];
  for (let turn = 0; turn < 3; turn++) {
    const directory = await mkdtemp(join(root, 'plain-'));
    times.push(await time(() => installPlain(directory, cache)));
  }
  return times;
}

async function main(): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'fnlet-bench-'));
  const rows: Record<string, Record<string, number>> = {};
  const figures: Record<string, number> = {};
  const ms = (value: number): Record<string, number> => ({ ms: round(value) });
  try {
    for (const [name, subject] of Object.entries(subjects)) {
      const data = join(root, name);
      using runs = countInstallerRuns(data);
      const env = { npm_config_cache: join(data, 'npm-cache') };
      const first = await open(data, env);
      const firstMs = await deploy(first, name, subject.spec);
      const secondMs = await deploy(first, `${name}-too`, subject.spec);
      await deploy(first, `${name}-bare`, subject.bare);
      const woken = await wake(first, [name, `${name}-bare`]);
      const scaleMs = await scaleOut(first, name, subject.spec);
      await close(first);
      const offline = await open(data, { ...env, ...unreachable });
      const offlineMs = await deploy(offline, `${name}-again`, subject.spec);
      await close(offline);
      const [emptyMs = Number.NaN, ...fullMs] = await timePlain(subject, root);
      const p50 = (each: string): number => quantile(woken.get(each) ?? [], 0.5);
      rows[`${name}: applied, until its first answer`] = ms(firstMs);
      rows[`${name}: the package manager alone, nothing fetched before`] = ms(emptyMs);
      rows[`${name}: the package manager alone, everything fetched before`] = ms(
        quantile(fullMs, 0.5),
      );
      rows[`${name}: a second Function with the same`] = ms(secondMs);
      rows[`${name}: one more after a restart, no registry in reach`] = ms(offlineMs);
      rows[`${name}: ${instances} Instances`] = { ...ms(scaleMs), installs: runs.installed };
      rows[`${name}: a cold request, p50`] = ms(p50(name));
      rows[`${name}: a cold request without dependencies, p50`] = ms(p50(`${name}-bare`));
      Object.assign(figures, {
        [`${name}FirstMs`]: round(firstMs),
        [`${name}AgainMs`]: round(secondMs),
        [`${name}OfflineMs`]: round(offlineMs),
        [`${name}ColdP50Ms`]: round(p50(name), 2),
        [`${name}Installs`]: runs.installed,
      });
    }
    report('dependencies', rows, figures);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

// Port 9 of loopback: nobody listens there.
const unreachable = {
  npm_config_registry: 'http://127.0.0.1:9/',
  PIP_INDEX_URL: 'http://127.0.0.1:9/simple',
  UV_DEFAULT_INDEX: 'http://127.0.0.1:9/simple',
};

await main();
