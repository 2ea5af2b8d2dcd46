/** The metrics of an embedded Fnlet, as autoscalers discover and read them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type JsonObject } from '@fnlet/base';
import {
  type Client,
  createClient,
  createHttpTransport,
  loadKubeconfig,
  type Transport,
} from '@fnlet/client';
import type { Condition, KubeObject, ResourceType } from '@fnlet/machinery';
import { createApi } from './api-access.ts';
import { startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

const autoscalers = 'horizontalpodautoscalers';
const custom = '/apis/custom.metrics.k8s.io/v1beta2';
const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

async function get(transport: Transport, path: string, accept?: string): Promise<JsonObject> {
  const headers = accept === undefined ? {} : { accept };
  const response = await transport.request({ method: 'GET', path, headers });
  const found = await response.json();
  assert.ok(isJsonObject(found));
  return found;
}

function entries(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

test('an embedded Fnlet serves the numbers of functions as a cluster does', async () => {
  await using fnlet = await startFnlet();
  const api = await createApi(fnlet.endpoints.kubeconfig);
  const config = await loadKubeconfig({ file: fnlet.endpoints.kubeconfig, env: {} });
  const transport = createHttpTransport(config);
  const source = { inline: 'export default () => new Promise((end) => setTimeout(end, 2000));' };
  await api.applyFunction('slow', { source });
  await api.waitReady('slow');

  const { groups } = await get(transport, '/apis');
  const names = entries(groups).map(({ name }) => name);
  assert.deepEqual(names.slice(-2), ['custom.metrics.k8s.io', 'external.metrics.k8s.io']);
  const { preferredVersion } = await get(transport, '/apis/custom.metrics.k8s.io');
  assert.deepEqual(preferredVersion, {
    groupVersion: 'custom.metrics.k8s.io/v1beta2',
    version: 'v1beta2',
  });
  const { resources } = await get(transport, custom);
  assert.ok(entries(resources).some(({ name }) => String(name).startsWith('functions.fnlet.dev/')));
  const { items } = await get(transport, '/apis', aggregated);
  const last = entries(items).at(-2);
  const [version] = entries(last?.versions);
  const [functions] = entries(version?.resources);
  assert.equal(functions?.resource, 'functions.fnlet.dev');
  assert.equal(entries(functions?.subresources).length, 5);

  const place = `${custom}/namespaces/default/functions.fnlet.dev`;
  const queue = `${place}/slow/fnlet_function_concurrency`;
  const value = async (): Promise<unknown> =>
    entries((await get(transport, queue)).items)[0]?.value;
  assert.equal(await value(), '0');
  const calls = [1, 2].map(() => fetch(`${fnlet.endpoints.gateway}/default/slow`));
  await until(async () => (await value()) !== '0', { what: 'calls in flight' });
  await Promise.all(calls.map(async (call) => (await call).text()));
  const missing = await get(transport, queue.replace('slow', 'gone'));
  assert.deepEqual([missing.kind, missing.reason, missing.code], ['Status', 'NotFound', 404]);
  await transport.close();
  await api.close();
});

const deploymentType = typeOf('apps/v1', 'Deployment', 'deployments');
const autoscalerType = typeOf('autoscaling/v2', 'HorizontalPodAutoscaler', autoscalers);

function typeOf(apiVersion: string, kind: string, plural: string): ResourceType {
  const [group = '', version = ''] = apiVersion.split('/');
  return { group, version, kind, plural, namespaced: true };
}

interface Scaled extends KubeObject {
  readonly spec: JsonObject;
  readonly status?: { readonly conditions?: readonly Condition[] };
}

const key = { namespace: 'default', name: 'proxy' };

/** A Deployment of something else, and an autoscaler that goes by calls of a Function. */
async function autoscale(client: Client, metric: object): Promise<void> {
  const labels = { app: 'proxy' };
  const command = ['node', '-e', 'setInterval(() => {}, 1000)'];
  await client.of<KubeObject>(deploymentType).apply({
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: key },
    ...{
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: 'main', image: 'node:24', command }] },
        },
      },
    },
  });
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'proxy' };
  await client.of<KubeObject>(autoscalerType).apply({
    ...{ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: key },
    ...{ spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 9, metrics: [metric] } },
  });
}

test('an autoscaler of Kubernetes goes by the calls of a function', async () => {
  await using fnlet = await startFnlet();
  const api = await createApi(fnlet.endpoints.kubeconfig);
  const config = await loadKubeconfig({ file: fnlet.endpoints.kubeconfig, env: {} });
  const transport = createHttpTransport(config);
  const client = createClient(transport, { fieldManager: 'test' });
  const source = { inline: 'export default () => new Promise((end) => setTimeout(end, 200));' };
  await api.applyFunction('busy', { source });
  await api.waitReady('busy');
  const describedObject = { apiVersion: 'fnlet.dev/v1alpha1', kind: 'Function', name: 'busy' };
  const target = { type: 'AverageValue', averageValue: '1100m' };
  const metric = { name: 'fnlet_function_concurrency' };
  const calling = new AbortController();
  const calls = [1, 2, 3].map(async () => {
    while (!calling.signal.aborted) {
      await (await fetch(`${fnlet.endpoints.gateway}/default/busy`)).text();
    }
  });
  const queue = `${custom}/namespaces/default/functions.fnlet.dev/busy/${metric.name}`;
  const isFull = async (): Promise<boolean> =>
    /^(2[89]\d\dm|3)$/.test(String(entries((await get(transport, queue)).items)[0]?.value));
  await until(isFull, { what: 'three calls in flight' });
  await autoscale(client, { type: 'Object', object: { describedObject, metric, target } });
  let last: unknown;
  await until(
    async () => {
      const found = await client.of<Scaled>(autoscalerType).get(key);
      last = found.status;
      return (await client.of<Scaled>(deploymentType).get(key)).spec.replicas === 3;
    },
    { what: 'three replicas', timeoutMs: 40_000 },
  ).catch((error: unknown) => {
    throw new Error(JSON.stringify(last), { cause: error });
  });
  calling.abort();
  await Promise.all(calls);
  await transport.close();
  await api.close();
});
