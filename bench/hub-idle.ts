/**
 * What operators cost while nothing changes (`hub-idle [operators] [kinds] [objects]`): 100 of them
 * over 20 kinds with 10 000 objects. All settle, their functions fall asleep, and Fnlet is started
 * again, which calls none of them; then nothing happens for half a minute. What is measured is the
 * whole house: API, Gateway and the warm Runners besides the hub, as proportional set sizes (PSS).
 *
 * Beside it: the same before there was any operator, and operators of the same kinds in processes of
 * their own, ten of which are measured; a hundred are as much ten times.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { operatorType } from '@fnlet/api';
import { type Client, createClient, createHttpTransport, loadKubeconfig } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { makeDataDirectory, startFnlet } from '../test/fnlet-process.ts';
import { until } from '../test/until.ts';
import { report, round } from './_figures.ts';

const operators = Number(process.argv[2] ?? '100');
const kinds = Number(process.argv[3] ?? '20');
const objects = Number(process.argv[4] ?? '10000');
const processes = 10;
const atOnce = 32;
const idleSeconds = 30;
const clockTicksPerSecond = 100;

interface Use {
  readonly totalMB: number;
  readonly mainMB: number;
  readonly processes: number;
  readonly cpuSeconds: number;
}

/** A process and all below it. */
async function treeOf(root: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const tree = [root];
  for (const pid of tree) {
    for (const [child, parent] of parents) if (parent === pid) tree.push(child);
  }
  return tree;
}

async function pssMB(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) / 1000;
}

async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / clockTicksPerSecond;
}

async function useOf(root: number): Promise<Use> {
  const tree = await treeOf(root);
  const sizes = await Promise.all(tree.map(pssMB));
  const times = await Promise.all(tree.map(cpuSeconds));
  const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
  return {
    ...{ totalMB: sum(sizes), mainMB: sizes[0] ?? 0 },
    ...{ processes: tree.length, cpuSeconds: sum(times) },
  };
}

const kindOf = (n: number): string => `Thing${n % kinds}`;

function typeOf(n: number): ResourceType {
  const kind = kindOf(n);
  const plural = `${kind.toLowerCase()}s`;
  return { group: 'bench.dev', version: 'v1', kind, plural, namespaced: true };
}

function definition(n: number): KubeObject & { readonly spec: object } {
  const { group, kind, plural } = typeOf(n);
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const version = { name: 'v1', served: true, storage: true, subresources: { status: {} } };
  return {
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name: `${plural}.${group}` },
    spec: {
      ...{ group, scope: 'Namespaced', names: { kind, plural, singular: kind.toLowerCase() } },
      versions: [{ ...version, schema: { openAPIV3Schema: schema } }],
    },
  };
}

function operatorObject(n: number): KubeObject & { readonly spec: object } {
  const source = `import { kind, operator } from 'fnlet/operator';
const own = kind({ group: 'bench.dev', version: 'v1', kind: '${kindOf(n)}',
  plural: '${typeOf(n).plural}', scope: 'Namespaced' });
export default operator(own, { reconcile: () => ({}) });`;
  return {
    ...{ apiVersion: 'fnlet.dev/v1alpha1', kind: 'Operator' },
    metadata: { name: `idle-${n}`, namespace: 'default' },
    spec: {
      for: { apiVersion: 'bench.dev/v1', kind: kindOf(n) },
      keep: ['spec'],
      reconcile: { runtime: 'nodejs24', source: { inline: source }, scale: { idleAfter: '5s' } },
      serviceAccountName: 'idle',
    },
  };
}

async function openClient(kubeconfig: string): Promise<Client> {
  const config = await loadKubeconfig({ env: {}, file: kubeconfig });
  return createClient(createHttpTransport(config), { fieldManager: 'bench' });
}

async function inParallel(count: number, make: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) await make(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

interface OperatorLike extends KubeObject {
  readonly status?: {
    readonly awake?: boolean;
    readonly lastRun?: string;
    readonly objects?: { readonly total?: number; readonly settled?: number };
  };
}

async function statuses(client: Client): Promise<NonNullable<OperatorLike['status']>[]> {
  const { items } = await client.of<OperatorLike>(operatorType).list({ namespace: 'default' });
  return items.map(({ status = {} }) => status);
}

/** Until every object is settled for every operator, and all functions sleep. */
async function untilIdle(client: Client): Promise<void> {
  const each = objects / kinds;
  const isIdle = ({ awake, objects: counts }: NonNullable<OperatorLike['status']>): boolean =>
    awake === false && counts?.total === each && counts.settled === each;
  let told = performance.now();
  const look = async (): Promise<boolean> => {
    await sleep(500);
    const all = await statuses(client);
    const idle = all.filter(isIdle).length;
    if (performance.now() - told > 10_000) {
      told = performance.now();
      process.stderr.write(`${idle} of ${operators} operators are idle\n`);
    }
    return idle === operators;
  };
  await until(look, { what: 'all operators to be idle', timeoutMs: 900_000 });
}

async function fill(client: Client): Promise<void> {
  const core = { version: 'v1', namespaced: true };
  const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: false };
  const binding = { ...rbac, kind: 'ClusterRoleBinding', plural: 'clusterrolebindings' };
  const accounts = { ...core, group: '', kind: 'ServiceAccount', plural: 'serviceaccounts' };
  const idle = { name: 'idle', namespace: 'default' };
  await client.of(accounts).create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: idle });
  await client.of<KubeObject & { readonly [field: string]: unknown }>(binding).create({
    ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding' },
    metadata: { name: 'idle' },
    roleRef: { apiGroup: rbac.group, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', ...idle }],
  });
  const crds: ResourceType = {
    ...{ group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' },
    ...{ plural: 'customresourcedefinitions', namespaced: false },
  };
  for (let n = 0; n < kinds; n++) await client.of(crds).create(definition(n));
  await inParallel(objects, async (n) => {
    const object = {
      ...{ apiVersion: 'bench.dev/v1', kind: kindOf(n) },
      metadata: { name: `thing-${n}`, namespace: 'default' },
      spec: { size: n, text: 'a text of some length, as there is in specs' },
    };
    await until(() => client.of(typeOf(n)).create(object), { what: 'the kind to be served' });
  });
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
const own = kind({ group: 'bench.dev', version: 'v1', kind: '${kindOf(n)}',
  plural: '${typeOf(n).plural}', scope: 'Namespaced' });
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

await using stack = new AsyncDisposableStack();
const dataDirectory = await makeDataDirectory();
stack.defer(() => rm(dataDirectory, { recursive: true }));
const rows: Record<string, Record<string, number>> = {};
{
  await using stops = new AsyncDisposableStack();
  const fnlet = await startFnlet({ dataDirectory });
  stops.defer(async () => void (await fnlet.stop()));
  const client = await openClient(fnlet.endpoints.kubeconfig);
  stops.defer(() => client.transport.close());
  await fill(client);
  await sleep(5_000);
  rows[`${objects} objects, no operator`] = row(await useOf(fnlet.endpoints.pid));
  const startMs = performance.now();
  await inParallel(operators, (n) => client.of(operatorType).create(operatorObject(n)));
  await untilIdle(client);
  const seconds = round((performance.now() - startMs) / 1000);
  rows['settled for the first time'] = { ...row(await useOf(fnlet.endpoints.pid)), s: seconds };
}
const fnlet = await startFnlet({ dataDirectory });
stack.defer(async () => void (await fnlet.stop()));
const client = await openClient(fnlet.endpoints.kubeconfig);
stack.defer(() => client.transport.close());
const startedAt = new Date().toISOString();
await untilIdle(client);
await sleep(10_000);
const before = await useOf(fnlet.endpoints.pid);
await sleep(idleSeconds * 1000);
const idle = await useOf(fnlet.endpoints.pid);
const cpuPercent = ((idle.cpuSeconds - before.cpuSeconds) / idleSeconds) * 100;
const now = await statuses(client);
const awake = now.filter((status) => status.awake === true).length;
const called = now.filter(({ lastRun = '' }) => lastRun > startedAt).length;
rows['idle, after a restart'] = { ...row(idle), 'CPU %': round(cpuPercent, 2), awake, called };
const inProcesses = await measureProcesses(fnlet.endpoints.kubeconfig);
const extrapolated = round((inProcesses / processes) * operators);
rows[`${processes} processes of one operator each`] = { 'PSS MB': round(inProcesses), processes };
rows[`${operators} such processes, extrapolated`] = { 'PSS MB': extrapolated };
report('hub-idle', rows, {
  totalMB: round(idle.totalMB),
  awake,
  cpuPercent: round(cpuPercent, 2),
  calledAfterRestart: called,
  processesMB: extrapolated,
});
