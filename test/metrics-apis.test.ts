/** The metrics of an embedded Fnlet, as autoscalers discover and read them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type JsonObject } from '@fnlet/base';
import { createHttpTransport, loadKubeconfig, type Transport } from '@fnlet/client';
import { createApi } from './api-access.ts';
import { startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

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
