/**
 * How many settled objects the hub looks at again in a second (`hub-throughput [objects]`): of an
 * operator whose function has one Instance, and of one that has four. Another text of the function
 * is another Revision, which is asked about all objects; its answers change nothing, so there is no
 * write. Counted are calls between the first tenth and the last.
 *
 * The limit beside it: the same calls to the same function as a Function, through the Gateway, as
 * many at once.
 */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { operatorType } from '@fnlet/api';
import { createApi } from '../test/api-access.ts';
import { startFnlet } from '../test/fnlet-process.ts';
import { until } from '../test/until.ts';
import { report, round } from './_figures.ts';
import {
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

const objects = Number(process.argv[2] ?? '5000');
const atOnce = 32;
const type = benchType('Thing');

const sourceOf = (turn: number): string => `// ${turn}
import { kind, operator } from 'fnlet/operator';
export default operator(${kindText(type)}, {
  reconcile: ({ object: { spec } }) => ({ status: { size: spec.size } }),
});
`;

await using fnlet = await startFnlet();
await using stack = new AsyncDisposableStack();
const client = await openClient(fnlet.endpoints.kubeconfig);
stack.defer(() => client.transport.close());
const api = stack.adopt(await createApi(fnlet.endpoints.kubeconfig), (each) => each.close());
await createAccount(client);
await createKind(client, type);
await createObjects(client, objects, () => type);

interface Moment {
  readonly atMs: number;
  readonly calls: number;
  readonly writes: number;
  /** Of Fnlet itself, without functions. */
  readonly cpuSeconds: number;
}

/** Series of calls, which end with the Revision that they are about. */
const series = new Map<string, number>();

async function look(): Promise<Moment> {
  const metrics = await api.getText('/metrics');
  const { mainCpuSeconds: cpuSeconds } = await useOf(fnlet.endpoints.pid);
  for (const [, labels = '', count] of metrics.matchAll(/^fnlet_requests_total(\S+) (\d+)$/gm)) {
    series.set(labels, Number(count));
  }
  const isWrite = (labels: string): boolean =>
    /verb="(APPLY|PATCH|PUT)"/.test(labels) && labels.includes(`resource="${type.plural}"`);
  return {
    atMs: performance.now(),
    calls: [...series.values()].reduce((sum, count) => sum + count, 0),
    writes: counted(metrics, 'apiserver_request_total', isWrite),
    cpuSeconds,
  };
}

interface Rate {
  readonly perSecond: number;
  readonly cpuMsEach: number;
  readonly writes: number;
}

/** Does something that takes so many calls, and tells how fast the middle of them went. */
async function during(calls: number, act: () => Promise<unknown>): Promise<Rate> {
  const before = await look();
  const acted = act();
  const reached = (share: number): Promise<Moment> => {
    const isReached = async (): Promise<Moment | undefined> => {
      await sleep(200);
      const now = await look();
      return now.calls - before.calls >= calls * share ? now : undefined;
    };
    return until(isReached, { what: `${calls * share} calls`, timeoutMs: 600_000 });
  };
  const from = await reached(0.1);
  const to = await reached(0.9);
  await acted;
  const done = to.calls - from.calls;
  return {
    perSecond: round((done / (to.atMs - from.atMs)) * 1000, 0),
    cpuMsEach: round(((to.cpuSeconds - from.cpuSeconds) / done) * 1000, 2),
    writes: to.writes - from.writes,
  };
}

const isSettled = (): Promise<void> =>
  untilAll(
    client,
    ({ objects: counts }) => counts?.total === objects && counts.settled === objects,
    'operators are settled',
  );

async function measureHub(instances: number): Promise<Rate> {
  const name = `things-${instances}`;
  const wish = (turn: number): ReturnType<typeof operatorObject> => {
    const scale = { min: instances, max: instances };
    const more = { concurrency: atOnce };
    return operatorObject({ name, type, source: sourceOf(turn), scale, more });
  };
  const found = client.of(operatorType);
  await found.create(wish(0));
  await isSettled();
  await until(async () => (await api.podsOf(name)).length === instances, { what: 'Instances' });
  await sleep(5_000);
  const rate = await during(objects, () => found.apply(wish(1), { force: true }));
  await isSettled();
  await found.delete({ namespace: 'default', name });
  await until(async () => (await api.podsOf(name)).length === 0, { what: 'the end' });
  return rate;
}

const callText = JSON.stringify({
  ...{ contract: 1, operator: 'default/things', what: 'reconcile', run: 'bench', reason: '' },
  ...{ attempt: 1, now: '2026-01-01T00:00:00Z', deadline: '2026-01-01T00:00:10Z' },
  object: {
    ...{ apiVersion: 'bench.dev/v1', kind: type.kind },
    metadata: { namespace: 'default', name: 'thing', uid: 'bench', generation: 1 },
    spec: { size: 1, text: 'a text of some length, as there is in specs' },
  },
  ...{ children: [], related: [], sent: { uid: 'bench', generation: 1 } },
});

async function measureFunction(): Promise<Rate> {
  const scale = { min: 1, max: 1 };
  await api.applyFunction('plain', { source: { inline: sourceOf(0) }, scale });
  await api.waitReady('plain');
  const agent = new http.Agent({ keepAlive: true, maxSockets: atOnce });
  const url = `${fnlet.endpoints.gateway}/default/plain`;
  const headers = { 'content-type': 'application/json', 'fnlet-operator-contract': '1' };
  const ask = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const request = http.request(url, { agent, method: 'POST', headers }, (answer) => {
        answer.resume().once('end', resolve);
        if (answer.statusCode !== 200) reject(new Error(`${url} answered ${answer.statusCode}`));
      });
      request.once('error', reject).end(callText);
    });
  const rate = await during(objects, () => inParallel(objects, ask));
  agent.destroy();
  return rate;
}

const row = (rate: Rate): Record<string, number> => ({
  'per second': rate.perSecond,
  'CPU ms each': rate.cpuMsEach,
  writes: rate.writes,
});
const limit = await measureFunction();
const one = await measureHub(1);
const four = await measureHub(4);
report(
  'hub-throughput',
  {
    'calls of the Function, 1 Instance': row(limit),
    'settled objects, 1 Instance': row(one),
    'settled objects, 4 Instances': row(four),
  },
  {
    onePerSecond: one.perSecond,
    fourPerSecond: four.perSecond,
    callsPerSecond: limit.perSecond,
    writes: one.writes + four.writes,
  },
);
