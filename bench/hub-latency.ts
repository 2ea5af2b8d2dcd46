/**
 * How long it takes from a change to what follows from it behind the hub (`hub-latency [asleep]
 * [awake]`, how many changes): an object is changed, and the ConfigMap that its operator makes of it
 * is awaited; once while the function sleeps, so that it is woken, and once while it is awake. One
 * client watches both kinds and tells when it has seen what, as the bench operator-latency has it of
 * an operator in a process of its own.
 *
 * The limit beside them: from the request of the change to the event of it, which all of them pay.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, createHttpTransport, loadKubeconfig } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { createApi } from '../test/api-access.ts';
import { startFnlet } from '../test/fnlet-process.ts';
import { until } from '../test/until.ts';
import { latencyRow, quantile, report, round } from './_figures.ts';

const asleepChanges = Number(process.argv[2] ?? '60');
const awakeChanges = Number(process.argv[3] ?? '500');
const warmUps = 20;

const source = `
import { ConfigMap, defineKind, field, operator } from 'fnlet/operator';

export const Page = defineKind({
  group: 'bench.dev', version: 'v1', kind: 'Page', description: 'A page.',
  spec: { html: field.text('The page.') },
});

export default operator(Page, {
  owns: [ConfigMap],
  reconcile: ({ object: { metadata: { name }, spec: { html } } }) => ({
    children: [ConfigMap.of({ metadata: { name }, data: { html } })],
  }),
});
`;

const pageType: ResourceType = {
  ...{ group: 'bench.dev', version: 'v1', kind: 'Page', plural: 'pages', namespaced: true },
};
const configMapType: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true },
};
const key = { namespace: 'default', name: 'page' };

interface Page extends KubeObject {
  readonly spec?: { readonly html: string };
  readonly data?: { readonly html?: string };
}

await using fnlet = await startFnlet();
await using stack = new AsyncDisposableStack();
const directory = await mkdtemp(join(tmpdir(), 'fnlet-bench-'));
stack.defer(() => rm(directory, { recursive: true }));
const transport = createHttpTransport(
  await loadKubeconfig({ env: {}, file: fnlet.endpoints.kubeconfig }),
);
stack.defer(() => transport.close());
const api = stack.adopt(await createApi(fnlet.endpoints.kubeconfig), (each) => each.close());
const client = createClient(transport, { fieldManager: 'bench' });
const pages = client.of<Page>(pageType);

async function succeed(...args: string[]): Promise<void> {
  const { code, stderr } = await fnlet.cli(args, { cwd: directory });
  if (code !== 0) throw new Error(`fnlet ${args.join(' ')}: ${stderr}`);
}

/** When each text was seen first, of the object and of its child. */
const seen = new Map<string, number>();
const waiting = new Map<string, () => void>();

async function witness(type: ResourceType, textOf: (object: Page) => string): Promise<void> {
  const watch = client.of<Page>(type).watch({ namespace: 'default', signal: abort.signal });
  try {
    for await (const event of watch) {
      if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue;
      if (event.object.metadata.name !== key.name) continue;
      const text = textOf(event.object);
      if (!seen.has(text)) seen.set(text, performance.now());
      waiting.get(text)?.();
    }
  } catch (error) {
    if (!abort.signal.aborted) throw error;
  }
}

async function whenSeen(text: string): Promise<number> {
  if (!seen.has(text)) {
    await new Promise<void>((resolve) => void waiting.set(text, resolve));
    waiting.delete(text);
  }
  return seen.get(text) ?? Number.NaN;
}

interface Took {
  /** From the request to the event of the change. */
  readonly changeMs: number;
  /** From there to the event of the child. */
  readonly childMs: number;
}

let changes = 0;
async function change(): Promise<Took> {
  const html = `${++changes}`;
  const startMs = performance.now();
  await pages.patch(key, { type: 'merge', patch: { spec: { html } } });
  const causeMs = await whenSeen(`cause ${html}`);
  const childMs = (await whenSeen(`child ${html}`)) - causeMs;
  return { changeMs: causeMs - startMs, childMs };
}

async function untilAsleep(): Promise<void> {
  // Pods are shown a moment late: it has slept for a while when there was none twice.
  for (let times = 0; times < 2; times++) {
    await until(async () => (await api.podsOf('pages')).length === 0, { what: 'sleep' });
    await sleep(1_200);
  }
}

const abort = new AbortController();
await writeFile(join(directory, 'pages.ts'), source);
await succeed('operator', 'deploy', 'pages.ts');
const scale = JSON.stringify({ spec: { reconcile: { scale: { idleAfter: '1s' } } } });
await fnlet.kubectl(['patch', 'operators.fnlet.dev', 'pages', '--type', 'merge', '-p', scale]);
await sleep(2_000);
await pages.create({
  ...{ apiVersion: 'bench.dev/v1', kind: 'Page', metadata: key },
  spec: { html: '0' },
});
const witnesses = [
  witness(pageType, ({ spec }) => `cause ${spec?.html}`),
  witness(configMapType, ({ data }) => `child ${data?.html}`),
];
await whenSeen('child 0');
await change();
const asleep: Took[] = [];
for (let turn = 0; turn < asleepChanges; turn++) {
  await untilAsleep();
  asleep.push(await change());
}
const awake: Took[] = [];
for (let turn = 0; turn < awakeChanges + warmUps; turn++) awake.push(await change());
awake.splice(0, warmUps);
abort.abort();
await Promise.all(witnesses);
const childOf = (took: readonly Took[]): number[] => took.map(({ childMs }) => childMs);
const [asleepMs, awakeMs] = [childOf(asleep), childOf(awake)];
report(
  'hub-latency',
  {
    'change to child, asleep': latencyRow(asleepMs),
    'change to child, awake': latencyRow(awakeMs),
    'request to event of the change': latencyRow(awake.map(({ changeMs }) => changeMs)),
  },
  {
    asleepP50Ms: round(quantile(asleepMs, 0.5), 2),
    asleepP99Ms: round(quantile(asleepMs, 0.99), 2),
    awakeP50Ms: round(quantile(awakeMs, 0.5), 2),
    awakeP99Ms: round(quantile(awakeMs, 0.99), 2),
  },
);
