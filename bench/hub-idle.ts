/**
 * What operators cost while nothing changes (`hub-idle [operators] [kinds] [objects]`): 100 of them
 * over 20 kinds with 10 000 objects. All settle, their functions fall asleep, and Fnlet is started
 * again, which calls none of them; then, once nothing is left to do of the start, nothing happens
 * for half a minute. What is measured is the whole house: API, Gateway and the warm Runners besides
 * the hub, as proportional set sizes (PSS).
 *
 * Beside it: the same before there was any operator, at its first start and after another, and
 * operators of the same kinds in processes of their own, ten of which are measured; a hundred are as
 * much ten times.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { operatorType } from '@fnlet/api';
import { type FnletProcess, makeDataDirectory, startFnlet } from '../test/fnlet-process.ts';
import { report, round } from './_figures.ts';
import {
  benchType,
  createAccount,
  createKind,
  createObjects,
  inParallel,
  kindText,
  openClient,
  operatorObject,
  statuses,
  untilAll,
} from './_hub.ts';
import { pssMB, type Use, untilQuiet, useOf } from './_process-use.ts';

const operators = Number(process.argv[2] ?? '100');
const kinds = Number(process.argv[3] ?? '20');
const objects = Number(process.argv[4] ?? '10000');
const processes = 10;
const idleSeconds = 30;

const typeOf = (n: number): ReturnType<typeof benchType> => benchType(`Thing${n % kinds}`);

function operatorOf(n: number): ReturnType<typeof operatorObject> {
  const source = `import { kind, operator } from 'fnlet/operator';
const own = ${kindText(typeOf(n))};
export default operator(own, { reconcile: () => ({}) });`;
  return operatorObject({ name: `idle-${n}`, type: typeOf(n), source, keep: ['spec'] });
}

type Client = Awaited<ReturnType<typeof openClient>>;

/** Until every object is settled for every operator, and all functions sleep. */
function untilIdle(client: Client): Promise<void> {
  const each = objects / kinds;
  return untilAll(
    client,
    ({ awake, objects: counts }) =>
      awake === false && counts?.total === each && counts.settled === each,
    'operators are idle',
  );
}

/** The proportional set size of operators in processes of their own, one for each kind. */
async function measureProcesses(kubeconfig: string): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'fnlet-bench-'));
  await symlink(join(import.meta.dirname, '..', 'node_modules'), join(directory, 'node_modules'));
  const children = [];
  for (let n = 0; n < processes; n++) {
    const file = join(directory, `idle-${n}.ts`);
    await writeFile(
      file,
      `import { kind, operator, run } from 'fnlet/operator';
const own = ${kindText(typeOf(n))};
await run(operator(own, { keep: ['spec'], reconcile: () => ({}) }));`,
    );
    const env = { ...process.env, KUBECONFIG: kubeconfig, NODE_ENV: 'production' };
    children.push(spawn(process.execPath, [file], { env, stdio: 'ignore' }));
  }
  await sleep(20_000);
  let total = 0;
  for (const { pid = 0 } of children) total += await pssMB(pid);
  for (const child of children) {
    if (child.exitCode !== null) throw new Error('An operator in a process of its own has ended');
    child.kill();
    await once(child, 'exit');
  }
  await rm(directory, { recursive: true });
  return total;
}

function row({ totalMB, mainMB, processes: count }: Use): Record<string, number> {
  return { 'PSS MB': round(totalMB), 'of the house itself': round(mainMB), processes: count };
}

interface Started {
  readonly fnlet: FnletProcess;
  readonly client: Client;
}

/** Starts Fnlet on the data directory, for as long as this takes. */
async function during(act: (started: Started) => Promise<void>): Promise<void> {
  await using stops = new AsyncDisposableStack();
  const fnlet = await startFnlet({ dataDirectory });
  stops.defer(async () => void (await fnlet.stop()));
  const client = await openClient(fnlet.endpoints.kubeconfig);
  stops.defer(() => client.transport.close());
  await act({ fnlet, client });
}

const dataDirectory = await makeDataDirectory();
await using stack = new AsyncDisposableStack();
stack.defer(() => rm(dataDirectory, { recursive: true }));
const rows: Record<string, Record<string, number>> = {};
await during(async ({ fnlet, client }) => {
  await createAccount(client);
  for (let n = 0; n < kinds; n++) await createKind(client, typeOf(n));
  await createObjects(client, objects, typeOf);
  await untilQuiet(fnlet.endpoints.pid);
  rows[`${objects} objects, no operator`] = row(await useOf(fnlet.endpoints.pid));
});
await during(async ({ fnlet, client }) => {
  await untilQuiet(fnlet.endpoints.pid);
  rows['the same, after a restart'] = row(await useOf(fnlet.endpoints.pid));
  const startMs = performance.now();
  await inParallel(operators, (n) => client.of(operatorType).create(operatorOf(n)));
  await untilIdle(client);
  const seconds = round((performance.now() - startMs) / 1000);
  rows['settled for the first time'] = { ...row(await useOf(fnlet.endpoints.pid)), s: seconds };
});
const figures: Record<string, number> = {};
await during(async ({ fnlet, client }) => {
  const { pid } = fnlet.endpoints;
  const startedAt = new Date().toISOString();
  await untilIdle(client);
  const quietSeconds = round(await untilQuiet(pid));
  const before = await useOf(pid);
  await sleep(idleSeconds * 1000);
  const idle = await useOf(pid);
  const cpuPercent = round(((idle.cpuSeconds - before.cpuSeconds) / idleSeconds) * 100, 2);
  const now = await statuses(client);
  const awake = now.filter((status) => status.awake === true).length;
  const called = now.filter(({ lastRun = '' }) => lastRun > startedAt).length;
  rows['idle, after a restart'] = {
    ...{ ...row(idle), s: quietSeconds, 'CPU %': cpuPercent, awake, called },
  };
  const inProcesses = await measureProcesses(fnlet.endpoints.kubeconfig);
  const extrapolated = round((inProcesses / processes) * operators);
  const own = { 'PSS MB': round(inProcesses), processes };
  rows[`${processes} processes of one operator each`] = own;
  rows[`${operators} such processes, extrapolated`] = { 'PSS MB': extrapolated };
  Object.assign(figures, {
    ...{ totalMB: round(idle.totalMB), awake, cpuPercent, calledAfterRestart: called },
    processesMB: extrapolated,
  });
});
report('hub-idle', rows, figures);
