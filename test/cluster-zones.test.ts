/** Gateways call Instances of their own zone first, in a cluster whose controller has only its rights. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JsonObject } from '@fnlet/base';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import {
  applyObject,
  awaitCondition,
  clusterWaitMs,
  functionType,
  testNamespace,
} from './cluster-objects.ts';
import { ClusterParts, type GatewayPart } from './cluster-parts.ts';
import { startSecondNode } from './second-node.ts';
import { until } from './until.ts';

const nodeType: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false },
};
const podType: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true },
};
const zoneLabel = 'topology.kubernetes.io/zone';

interface Placed extends KubeObject {
  readonly spec?: { readonly nodeName?: string };
}

let cluster: ClusterParts;
let secondNode: AsyncDisposable;
/** The Node that the machine is, and one beside it. */
let machine = '';
const beside = 'beside';
/** Of Gateways: nothing else runs there. */
const edges = { a: 'edge-a', b: 'edge-b' };

before(async () => {
  cluster = await ClusterParts.start();
  const { items } = await cluster.client.of<KubeObject>(nodeType).list();
  machine = items[0]?.metadata.name ?? '';
  await changeNode(machine, { labels: { [zoneLabel]: 'a' } });
  for (const [name, zone] of [
    [beside, 'b'],
    [edges.a, 'a'],
    [edges.b, 'b'],
  ] as const) {
    await applyObject(cluster, nodeType, { name, spec: { unschedulable: true } });
    await changeNode(name, { labels: { [zoneLabel]: zone } });
  }
  secondNode = await startSecondNode(cluster, beside);
  await cluster.controller();
});

after(async () => {
  await secondNode[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

async function changeNode(
  name: string,
  change: { readonly labels?: JsonObject; readonly unschedulable?: boolean },
): Promise<void> {
  const { labels = {}, ...spec } = change;
  const patch = { metadata: { labels }, spec };
  await cluster.client.of(nodeType).patch({ namespace: '', name }, { type: 'merge', patch });
}

// Answers which process it is; some calls take their time.
const source = `
export default async (request) => {
  if (request.url.includes('hold')) await new Promise((resolve) => setTimeout(resolve, 500));
  return String(process.pid);
};
`;

async function apply(min: number): Promise<void> {
  const scale = { min, max: 2, target: 2, idleAfter: '10m' };
  await applyObject(cluster, functionType, {
    name: 'zoned',
    spec: { runtime: 'nodejs24', executor: 'deployment', scale, source: { inline: source } },
  });
}

/** Waits until so many Instances serve, each on a Node of its own. */
async function awaitInstances(count: number): Promise<void> {
  const labelSelector = 'fnlet.dev/function=zoned,fnlet.dev/instance';
  const areThere = async (): Promise<boolean> => {
    const { items } = await cluster.client.of<Placed>(podType).list({ labelSelector });
    return new Set(items.map(({ spec }) => spec?.nodeName)).size === count;
  };
  await until(areThere, { what: `${count} Instances`, timeoutMs: clusterWaitMs }).catch(
    async (error: unknown) => {
      const { items } = await cluster.client.of<Placed>(podType).list();
      throw new Error(`${JSON.stringify(items)}\n${cluster.output()}`, { cause: error });
    },
  );
}

async function call({ url }: GatewayPart, query = ''): Promise<string> {
  const answer = await fetch(`${url}/${testNamespace}/zoned${query}`);
  const text = await answer.text();
  assert.equal(answer.status, 200, `${text}\n${cluster.output()}`);
  return text;
}

/** Waits until calls of a Gateway, one after the other, are all answered by one that is right. */
async function awaitAnswers(
  gateway: GatewayPart,
  isRight: (answer: string) => boolean,
): Promise<string> {
  let answers: readonly string[] = [];
  const areSame = async (): Promise<string | undefined> => {
    const found: string[] = [];
    for (let i = 0; i < 20; i++) found.push(await call(gateway));
    answers = found;
    const [first = ''] = found;
    return isRight(first) && found.every((answer) => answer === first) ? first : undefined;
  };
  const what = 'calls to be answered in the zone';
  return await until(areSame, { what, timeoutMs: clusterWaitMs }).catch((error: unknown) => {
    throw new Error(`${answers.join(' ')}\n${cluster.output()}`, { cause: error });
  });
}

test('Gateways call Instances of their zone, others while those are busy, and follow Nodes', async () => {
  const [a, b] = [
    await cluster.gateway({ node: edges.a }),
    await cluster.gateway({ node: edges.b }),
  ];
  await apply(1);
  await awaitCondition(cluster, functionType, { name: 'zoned' });
  await awaitInstances(1);
  const here = await call(b);
  await changeNode(machine, { unschedulable: true });
  await changeNode(beside, { unschedulable: false });
  await apply(2);
  await awaitInstances(2);

  const there = await awaitAnswers(b, (answer) => answer !== here);
  await awaitAnswers(a, (answer) => answer === here);
  const metrics = await (await fetch(`${a.healthUrl}/metrics`)).text();
  assert.match(metrics, /fnlet_zone_requests_total\{[^}]*zone="same"[^}]*\} \d+/);

  // Twice what the near one is meant to have: nobody waits, and the other one has its part.
  const busy = async (): Promise<boolean> => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => call(a, '?hold=1')));
    const near = answers.filter((answer) => answer === here).length;
    return near === 2 && answers.includes(there);
  };
  await until(busy, { what: 'both to be called', timeoutMs: clusterWaitMs });

  await changeNode(machine, { labels: { [zoneLabel]: 'b' } });
  await changeNode(beside, { labels: { [zoneLabel]: 'a' } });
  await awaitAnswers(a, (answer) => answer === there);
  await awaitAnswers(b, (answer) => answer === here);
  // It comes back on another Node.
  await a.stop();
  const moved = await cluster.gateway({ node: edges.b });
  await awaitAnswers(moved, (answer) => answer === here);
});
