/**
 * What it takes the hub to make a world agree with its objects, and to find that it does
 * (`hub-steady [objects]`): 10 000 of them with three children each (ConfigMap, Secret, Service),
 * which are there before their operator is. First all is made; then Fnlet is started again, and
 * everything should be known as settled: no call of the function, no write.
 *
 * The limit beside it: as many ConfigMaps, Secrets and Services, created by one client, 32 at once.
 */
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { operatorType } from '@fnlet/api';
import type { Client } from '@fnlet/client';
import type { ResourceType } from '@fnlet/machinery';
import { createApi } from '../test/api-access.ts';
import { type FnletProcess, makeDataDirectory, startFnlet } from '../test/fnlet-process.ts';
import { report, round } from './_figures.ts';
import {
  type BenchObject,
  benchType,
  counted,
  createAccount,
  createKind,
  createObjects,
  inParallel,
  kindText,
  openClient,
  operatorObject,
  untilAll,
} from './_hub.ts';
import { useOf } from './_process-use.ts';

const objects = Number(process.argv[2] ?? '10000');
const childKinds = ['ConfigMap', 'Secret', 'Service'] as const;
const page = benchType('Page');

const source = `
import { ConfigMap, kind, operator, Secret, Service } from 'fnlet/operator';
const Page = ${kindText(page)};
export default operator(Page, {
  owns: [ConfigMap, Secret, Service],
  reconcile: ({ object: { metadata: { name }, spec } }) => ({
    children: [
      ConfigMap.of({ metadata: { name }, data: { text: spec.text } }),
      Secret.of({ metadata: { name }, stringData: { size: String(spec.size) } }),
      Service.of({ metadata: { name }, spec: { ports: [{ port: 80 }] } }),
    ],
    status: { size: spec.size },
  }),
});
`;

interface Counts {
  readonly calls: number;
  readonly writes: number;
  /** Of Fnlet itself, without functions. */
  readonly cpuSeconds: number;
}

const writing = /verb="(APPLY|PATCH|POST|PUT|DELETE|DELETECOLLECTION)"/;
const written = /resource="(pages|configmaps|secrets|services)"/;

/** Calls of functions since the start, and writes to the objects and what becomes of them. */
async function countsOf(fnlet: FnletProcess): Promise<Counts> {
  const api = await createApi(fnlet.endpoints.kubeconfig);
  const metrics = await api.getText('/metrics');
  await api.close();
  const isWrite = (labels: string): boolean => writing.test(labels) && written.test(labels);
  return {
    calls: counted(metrics, 'fnlet_requests_total', () => true),
    writes: counted(metrics, 'apiserver_request_total', isWrite),
    cpuSeconds: (await useOf(fnlet.endpoints.pid)).mainCpuSeconds,
  };
}

const childType = (kind: string): ResourceType => ({
  ...{ group: '', version: 'v1', kind, plural: `${kind.toLowerCase()}s`, namespaced: true },
});

/** The limit: the same children, with nobody deciding about them. */
async function createChildren(client: Client): Promise<number> {
  const startMs = performance.now();
  await inParallel(objects * childKinds.length, async (n) => {
    const kind = childKinds[n % childKinds.length] ?? 'ConfigMap';
    const object: BenchObject = {
      ...{ apiVersion: 'v1', kind, metadata: { name: `bare-${n}`, namespace: 'default' } },
      ...(kind === 'Service' ? { spec: { ports: [{ port: 80 }] } } : { data: {} }),
    };
    await client.of<BenchObject>(childType(kind)).create(object);
  });
  return (performance.now() - startMs) / 1000;
}

const isSettled = (client: Client): Promise<void> =>
  untilAll(
    client,
    ({ objects: counts }) => counts?.total === objects && counts.settled === objects,
    'operators are settled',
  );

const dataDirectory = await makeDataDirectory();
await using stack = new AsyncDisposableStack();
stack.defer(() => rm(dataDirectory, { recursive: true }));
const rows: Record<string, Record<string, number>> = {};
const first = await (async () => {
  await using stops = new AsyncDisposableStack();
  const fnlet = await startFnlet({ dataDirectory });
  stops.defer(async () => void (await fnlet.stop()));
  const client = await openClient(fnlet.endpoints.kubeconfig);
  stops.defer(() => client.transport.close());
  await createAccount(client);
  await createKind(client, page);
  const limit = await createChildren(client);
  rows['the same children, created by one client'] = {
    s: round(limit),
    writes: objects * childKinds.length,
  };
  await createObjects(client, objects, () => page);
  const before = await countsOf(fnlet);
  const startMs = performance.now();
  const owns = childKinds.map((kind) => ({ apiVersion: 'v1', kind }));
  await client
    .of(operatorType)
    .create(operatorObject({ name: 'pages', type: page, source, owns, keep: ['spec'] }));
  await isSettled(client);
  const seconds = (performance.now() - startMs) / 1000;
  // What was settled is kept a second late.
  await sleep(3_000);
  const after = await countsOf(fnlet);
  return {
    seconds,
    calls: after.calls - before.calls,
    writes: after.writes - before.writes,
    cpuSeconds: after.cpuSeconds - before.cpuSeconds,
  };
})();
const row = (seconds: number, counts: Counts): Record<string, number> => ({
  s: round(seconds),
  writes: counts.writes,
  calls: counts.calls,
  'CPU s': round(counts.cpuSeconds),
});
rows['all made'] = row(first.seconds, first);
const startMs = performance.now();
const fnlet = await startFnlet({ dataDirectory });
stack.defer(async () => void (await fnlet.stop()));
const client = await openClient(fnlet.endpoints.kubeconfig);
stack.defer(() => client.transport.close());
// The status is of the life before, until the hub has looked: what it counts is told anew.
await sleep(5_000);
await isSettled(client);
const restartSeconds = (performance.now() - startMs) / 1000;
await sleep(3_000);
const again = await countsOf(fnlet);
rows['after a restart'] = row(restartSeconds, again);
report('hub-steady', rows, {
  firstSeconds: round(first.seconds),
  firstCpuSeconds: round(first.cpuSeconds),
  firstCalls: first.calls,
  firstWrites: first.writes,
  restartSeconds: round(restartSeconds),
  calls: again.calls,
  writes: again.writes,
});
