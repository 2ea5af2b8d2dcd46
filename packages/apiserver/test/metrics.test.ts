import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { statusError } from '@fnlet/machinery';
import type { PodRuntime, UsageReading } from '../src/index.ts';
import { at, listAt, textAt } from './at.ts';
import { openServer } from './opened-server.ts';

const reading: UsageReading = {
  atMs: Date.UTC(2026, 0, 1),
  windowMs: 1012.34,
  node: { name: 'machine', cores: 1.5, memoryBytes: 2 ** 30 },
  pods: [
    {
      namespace: 'default',
      name: 'a',
      containers: [
        { name: 'one', cores: 0.25, memoryBytes: 2 ** 20 },
        { name: 'two', cores: 0.05, memoryBytes: 2 ** 20 },
      ],
    },
    { namespace: 'other', name: 'b', containers: [] },
    { namespace: 'default', name: 'gone', containers: [] },
  ],
};

const never = (): Promise<never> => Promise.reject(statusError('NotImplemented', 'nothing runs'));
const runtime: PodRuntime = {
  async *logs() {},
  exec: never,
  attach: never,
  portForward: never,
  readUsage: () => Promise.resolve(reading),
};

async function openMeasured(): Promise<Awaited<ReturnType<typeof openServer>>> {
  const server = await openServer({ podRuntime: runtime });
  await server.ask('POST', '/api/v1/namespaces', { body: { metadata: { name: 'other' } } });
  for (const [namespace, name] of [
    ['default', 'a'],
    ['other', 'b'],
  ]) {
    const labels = { app: name };
    const spec = { containers: [{ name: 'one', image: 'x' }] };
    await server.ask('POST', `/api/v1/namespaces/${namespace}/pods`, {
      body: { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels }, spec },
    });
  }
  return server;
}

const root = '/apis/metrics.k8s.io/v1beta1';

describe('metrics.k8s.io', () => {
  it('tells what the containers of a Pod use, with its labels', async () => {
    await using server = await openMeasured();
    const { status, body } = await server.ask('GET', `${root}/namespaces/default/pods/a`);
    assert.equal(status, 200);
    assert.deepEqual(body, {
      kind: 'PodMetrics',
      apiVersion: 'metrics.k8s.io/v1beta1',
      metadata: {
        namespace: 'default',
        name: 'a',
        labels: { app: 'a' },
        creationTimestamp: '2026-01-01T00:00:00Z',
      },
      timestamp: '2026-01-01T00:00:00Z',
      window: '1.012s',
      containers: [
        { name: 'one', usage: { cpu: '250000000n', memory: '1024Ki' } },
        { name: 'two', usage: { cpu: '50000000n', memory: '1024Ki' } },
      ],
    });
  });

  it('lists by namespace and selector, and only Pods that are there', async () => {
    await using server = await openMeasured();
    const names = async (path: string, query = {}): Promise<readonly string[]> => {
      const { body } = await server.ask('GET', `${root}${path}`, { query });
      return listAt(body, '/items').map((item) => textAt(item, '/metadata/name'));
    };
    assert.deepEqual(await names('/pods'), ['a', 'b']);
    assert.deepEqual(await names('/namespaces/other/pods'), ['b']);
    assert.deepEqual(await names('/pods', { labelSelector: 'app=a' }), ['a']);
    assert.deepEqual(await names('/pods', { fieldSelector: 'metadata.name=b' }), ['b']);
    assert.deepEqual(await names('/nodes'), ['machine']);
  });

  it('is shown as a table, summed up over containers', async () => {
    await using server = await openMeasured();
    const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const { body } = await server.ask('GET', `${root}/namespaces/default/pods`, { headers });
    assert.deepEqual(at(body, '/rows/0/cells'), ['a', '300000000n', '2048Ki', '1.012s']);
  });

  it('is only read', async () => {
    await using server = await openMeasured();
    const pod = `${root}/namespaces/default/pods/a`;
    assert.equal((await server.ask('GET', `${root}/namespaces/default/pods/gone`)).status, 404);
    assert.equal((await server.ask('DELETE', pod)).status, 405);
    assert.equal((await server.ask('POST', `${root}/namespaces/default/pods`)).status, 405);
    assert.equal((await server.ask('GET', `${root}/pods`, { query: { watch: '1' } })).status, 405);
  });

  it('is in discovery only where there are readings, and nothing of it is stored', async () => {
    const { readUsage: _, ...blind } = runtime;
    await using without = await openServer({ podRuntime: blind });
    assert.equal((await without.ask('GET', root)).status, 404);
    await using server = await openMeasured();
    const { body } = await server.ask('GET', root);
    assert.deepEqual(
      listAt(body, '/resources').map((item) => [at(item, '/name'), at(item, '/verbs')]),
      [
        ['nodes', ['get', 'list']],
        ['pods', ['get', 'list']],
      ],
    );
  });
});

describe('/metrics', () => {
  it('counts requests and objects, for those who may read it', async () => {
    await using server = await openServer({});
    await server.ask('GET', '/api/v1/namespaces');
    const { headers, body } = await server.ask('GET', '/metrics');
    assert.match(headers['content-type'] ?? '', /^text\/plain; version=0.0.4/);
    assert.match(
      textAt(body, ''),
      /^apiserver_request_total\{verb="LIST",.*resource="namespaces".*\} 1$/m,
    );
    assert.match(textAt(body, ''), /^apiserver_storage_objects\{resource="namespaces"\} 4$/m);
    assert.match(textAt(body, ''), /^process_resident_memory_bytes \d+$/m);
    assert.equal((await server.ask('GET', '/metrics', { anonymous: true })).status, 403);
  });
});
