/** The controller and Gateways of a cluster, as processes with the rights of their accounts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition, KubeObject, ResourceType } from '@fnlet/machinery';
import { ClusterParts } from './cluster-parts.ts';
import { until } from './until.ts';

const functionType: ResourceType = {
  group: 'fnlet.dev',
  version: 'v1alpha1',
  kind: 'Function',
  plural: 'functions',
  namespaced: true,
};
const podType: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true },
};

/** A machine with one or two cores starts all of these beside other tests. */
const timeoutMs = 60_000;

const python = 'python3.11';

async function apply(cluster: ClusterParts, name: string, spec: object): Promise<void> {
  const metadata = { name, namespace: 'default' };
  const object = { apiVersion: 'fnlet.dev/v1alpha1', kind: 'Function', metadata, spec };
  await cluster.client.of<KubeObject>(functionType).apply(object, { force: true });
}

interface ReadyFunction extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

async function waitReady(cluster: ClusterParts, name: string): Promise<void> {
  let last: Condition | undefined;
  await until(
    async () => {
      const key = { namespace: 'default', name };
      const { status } = await cluster.client.of<ReadyFunction>(functionType).get(key);
      last = status?.conditions?.find(({ type }) => type === 'Ready');
      return last?.status === 'True';
    },
    { what: `Function ${name} to be ready`, timeoutMs },
  ).catch((error: unknown) => {
    throw new Error(`${JSON.stringify(last)}\n${cluster.output()}`, { cause: error });
  });
}

async function podsOf(cluster: ClusterParts, name: string): Promise<readonly string[]> {
  const labelSelector = `fnlet.dev/function=${name}`;
  const { items } = await cluster.client.of<KubeObject>(podType).list({ labelSelector });
  return items.map(({ metadata }) => metadata.name);
}

async function asleep(cluster: ClusterParts, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await until(async () => (await podsOf(cluster, name)).length === 0, {
      what: `${name} to sleep`,
      timeoutMs,
    });
  }
}

async function call(url: string, name: string): Promise<string> {
  const answer = await fetch(`${url}/default/${name}`);
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return text;
}

const nodeSource = "export default () => 'hello from ' + process.pid;\n";
const pythonSource = [
  'import os',
  'def main(event, context):',
  "    return 'hello from ' + str(os.getpid())",
  '',
].join('\n');

test('functions answer through Gateways, sleep, wake once, and survive their controller', async () => {
  await using cluster = await ClusterParts.start();
  const first = await cluster.controller();
  const gateway = await cluster.gateway();
  const other = await cluster.gateway();
  const steady = { runtime: 'nodejs24', source: { inline: nodeSource } };
  await apply(cluster, 'steady', { ...steady, scale: { idleAfter: '10m' } });
  await apply(cluster, 'hello', { ...steady, scale: { idleAfter: '2s' } });
  await apply(cluster, 'snake', {
    ...{ runtime: python, handler: 'handler.main' },
    ...{ source: { inline: pythonSource }, scale: { idleAfter: '2s' } },
  });
  for (const name of ['steady', 'hello', 'snake']) await waitReady(cluster, name);
  const answer = await call(gateway.url, 'steady');
  assert.match(answer, /^hello from \d+$/);
  assert.match(await call(gateway.url, 'snake'), /^hello from \d+$/);

  await asleep(cluster, ['hello', 'snake']);
  const woken = await Promise.all([call(gateway.url, 'hello'), call(other.url, 'hello')]);
  assert.equal(woken[0], woken[1], 'two Gateways wake it once');
  assert.match(await call(other.url, 'snake'), /^hello from \d+$/);
  await asleep(cluster, ['hello', 'snake']);

  const second = await cluster.controller();
  await until(() => second.output().includes('Ready to lead'), { what: 'a standby', timeoutMs });
  await first.stop('SIGKILL');
  assert.equal(await call(gateway.url, 'steady'), answer, 'nobody leads, and calls go on');
  await until(() => second.output().includes('Serving Runners and Gateways'), {
    what: 'another controller to lead',
    timeoutMs,
  });
  assert.match(await call(gateway.url, 'hello'), /^hello from \d+$/);
  assert.match(await call(other.url, 'snake'), /^hello from \d+$/);
  assert.equal(await call(other.url, 'steady'), answer, 'what was awake was taken over');
  assert.equal((await podsOf(cluster, 'steady')).length, 1);
});

const countingSource = `
let now = 0;
let most = 0;
export default async () => {
  now += 1;
  most = Math.max(most, now);
  await new Promise((resolve) => setTimeout(resolve, 10));
  now -= 1;
  return String(most);
};
`;

test('a hard limit holds for all Gateways together, and each gets its turn', async () => {
  await using cluster = await ClusterParts.start();
  await cluster.controller();
  const gateways = [await cluster.gateway(), await cluster.gateway()];
  await apply(cluster, 'narrow', {
    ...{ runtime: 'nodejs24', source: { inline: countingSource } },
    scale: { limit: 1, max: 1, idleAfter: '10m' },
  });
  await waitReady(cluster, 'narrow');
  const calls = gateways.flatMap(({ url }) => Array.from({ length: 10 }, () => url));
  const most = await Promise.all(calls.map((url) => call(url, 'narrow')));
  assert.deepEqual([...new Set(most)], ['1']);
});
