/** The metrics of a cluster, asked of its API, which passes the question on to the controller. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type JsonObject } from '@fnlet/base';
import {
  applyObject,
  awaitCondition,
  functionType,
  clusterWaitMs as timeoutMs,
  triggerType,
} from './cluster-objects.ts';
import { ClusterParts } from './cluster-parts.ts';
import { until } from './until.ts';

const custom = '/apis/custom.metrics.k8s.io/v1beta2/namespaces/default';
const external = '/apis/external.metrics.k8s.io/v1beta1/namespaces/default';
const concurrency = `${custom}/functions.fnlet.dev/slow/fnlet_function_concurrency`;

interface Answer {
  readonly status: number;
  readonly document: JsonObject;
}

async function ask(cluster: ClusterParts, url: string): Promise<Answer> {
  const { pathname: path, searchParams } = new URL(url, 'https://localhost');
  const query = Object.fromEntries(searchParams);
  const response = await cluster.client.transport.request({ method: 'GET', path, query });
  const document = await response.json();
  assert.ok(isJsonObject(document));
  return { status: response.status, document };
}

function itemsOf({ document }: Answer): readonly JsonObject[] {
  const { items } = document;
  return Array.isArray(items) ? items.filter(isJsonObject) : [];
}

/** The one number of an answer, as autoscalers read it. */
async function number(cluster: ClusterParts, url: string): Promise<number> {
  const answer = await ask(cluster, url);
  assert.equal(answer.status, 200, JSON.stringify(answer.document));
  const [item] = itemsOf(answer);
  const [, digits = '', milli] = /^(\d+)(m?)$/.exec(String(item?.value)) ?? [];
  return Number(digits) / (milli === 'm' ? 1000 : 1);
}

const slowSource = {
  inline: 'export default () => new Promise((end) => setTimeout(end, 200));',
};

async function applyObjects(cluster: ClusterParts): Promise<void> {
  await applyObject(cluster, functionType, {
    ...{ name: 'slow', labels: { team: 'a' } },
    spec: { runtime: 'nodejs24', source: slowSource, scale: { idleAfter: '10m' } },
  });
  await applyObject(cluster, functionType, {
    ...{ name: 'other', spec: { runtime: 'nodejs24', source: slowSource } },
  });
  const source = { cron: { schedule: '0 0 1 1 *' } };
  await applyObject(cluster, triggerType, {
    ...{ name: 'rare', spec: { source, target: { function: 'slow' } } },
  });
  await awaitCondition(cluster, functionType, { name: 'slow' });
  await awaitCondition(cluster, triggerType, { name: 'rare' });
}

test('autoscalers read what Gateways measure, also after another replica leads', async () => {
  await using cluster = await ClusterParts.start();
  await cluster.aggregateMetrics();
  const wanted = ['--custom-metrics', '--external-metrics'];
  const first = await cluster.controller('controller-0', wanted);
  const { url } = await cluster.gateway();
  await applyObjects(cluster);

  const calling = new AbortController();
  const calls = [1, 2, 3].map(async () => {
    while (!calling.signal.aborted) {
      await fetch(`${url}/default/slow`).then((answer) => answer.text());
    }
  });
  const isThree = async (): Promise<boolean> => {
    const found = await number(cluster, concurrency);
    return found > 2.5 && found < 3.5;
  };
  await until(isThree, { what: 'three calls in flight', timeoutMs });
  const { document } = await ask(cluster, '/apis/custom.metrics.k8s.io/v1beta2');
  assert.equal(document.kind, 'APIResourceList');
  const perSecond = `${external}/fnlet_function_requests_per_second?labelSelector=function%3Dslow`;
  const rate = await number(cluster, perSecond);
  assert.ok(rate > 5 && rate < 20, `${rate}`);
  assert.equal(await number(cluster, `${external}/fnlet_trigger_lag_events`), 0);
  const some = `${custom}/functions.fnlet.dev/*/fnlet_function_concurrency?labelSelector=team%3Da`;
  const found = itemsOf(await ask(cluster, some)).map(({ describedObject }) => describedObject);
  assert.deepEqual(found, [
    { kind: 'Function', namespace: 'default', name: 'slow', apiVersion: 'fnlet.dev/v1alpha1' },
  ]);
  const missing = await ask(cluster, concurrency.replace('slow', 'gone'));
  assert.deepEqual([missing.status, missing.document.reason], [404, 'NotFound']);

  await cluster.controller('controller-1', wanted);
  await first.stop();
  // It says nothing rather than too little, while it knows less than a window.
  const isSilent = async (): Promise<boolean> => {
    const { status, document: said } = await ask(cluster, concurrency);
    return status === 503 && String(said.message).includes('began to lead a moment ago');
  };
  await until(isSilent, { what: 'the other replica to lead', timeoutMs });
  await until(async () => (await ask(cluster, concurrency)).status === 200, {
    ...{ what: 'it to know', timeoutMs },
  });
  await until(isThree, { what: 'three calls in flight, as it sees them', timeoutMs });
  calling.abort();
  await Promise.all(calls);
});
