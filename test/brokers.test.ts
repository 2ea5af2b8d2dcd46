/** A Broker: functions send it events by its name, and it keeps them through kill -9. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createClient, createHttpTransport, loadKubeconfig } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import { createApi } from './api-access.ts';
import { type FnletProcess, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

const path = '/apis/fnlet.dev/v1alpha1/namespaces/default/brokers/orders';
const sender = `export default async (request) => {
  const { url, id } = await request.json();
  const headers = { 'ce-specversion': '1.0', 'ce-id': id, 'ce-source': '/shop', 'ce-type': 'order' };
  const answer = await fetch(url, { method: 'POST', headers, body: 'one' });
  return answer.status + ' ' + await answer.text();
};`;

let fnlet: FnletProcess;
before(async () => {
  fnlet = await startFnlet();
  const api = await createApi(fnlet.endpoints.kubeconfig);
  await api.applyFunction('sender', { source: { inline: sender } });
  await api.waitReady('sender');
  await api.close();
});
after(() => fnlet[Symbol.asyncDispose]());

async function applyBroker(): Promise<void> {
  const config = await loadKubeconfig({ file: fnlet.endpoints.kubeconfig, env: {} });
  const transport = createHttpTransport(config);
  const type = { group: 'fnlet.dev', version: 'v1alpha1', kind: 'Broker', plural: 'brokers' };
  const client = createClient(transport, { fieldManager: 'test' });
  const metadata = { name: 'orders', namespace: 'default' };
  const broker = { apiVersion: 'fnlet.dev/v1alpha1', kind: 'Broker', metadata, spec: {} };
  await client.of<KubeObject & { spec: object }>({ ...type, namespaced: true }).apply(broker);
  await transport.close();
}

async function readStatus(): Promise<{ events: number; url: string; ready: boolean }> {
  const api = await createApi(fnlet.endpoints.kubeconfig);
  const { status = {} } = Object(await api.getJson(path));
  await api.close();
  const { events = 0, address = {}, conditions = [] } = Object(status);
  const ready = conditions.some((each: unknown) => Object(each).type === 'Ready');
  return { events, url: address.url ?? '', ready };
}

async function send(url: string, id: string): Promise<string> {
  const body = JSON.stringify({ url, id });
  const answer = await fetch(`${fnlet.endpoints.gateway}/default/sender`, { method: 'POST', body });
  return answer.text();
}

test('a function sends events to a Broker by its name, and by that of the ingress of Knative', async () => {
  await applyBroker();
  await until(async () => (await readStatus()).ready, { what: 'the Broker to be ready' });
  const { url } = await readStatus();
  assert.equal(url, 'http://orders-broker.default.svc.cluster.local/');
  assert.equal(await send(url, '1'), '202 {"ids":["1"]}\n');
  const knative = 'http://broker-ingress.knative-eventing.svc.cluster.local/default/orders';
  assert.equal(await send(knative, '2'), '202 {"ids":["2"]}\n');
  assert.match(await send(url, ''), /^400 .*attribute/);
});

test('nobody outside gets in', async () => {
  const answer = await fetch(`${fnlet.endpoints.gateway}/default/orders-broker`, {
    method: 'POST',
  });
  assert.equal(answer.status, 404);
});

test('what it has accepted is there after kill -9', async () => {
  const { url } = await readStatus();
  assert.match(await send(url, '3'), /^202 /);
  const { dataDirectory } = fnlet;
  await fnlet.stop('SIGKILL');
  fnlet = await startFnlet({ dataDirectory });
  await until(async () => (await readStatus()).events === 3, { what: 'all three events' });
  assert.match(await send(url, '4'), /^202 /);
});
