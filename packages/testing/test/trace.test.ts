import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, type Logger, seededRandom, silentLogger } from '@fnlet/base';
import { createClient, type Transport } from '@fnlet/client';
import { createEventRecorder, createManager, createOperatorController } from '@fnlet/reconcile';
import { ConfigMap, operator, ready } from '@fnlet/sdk/operator';
import { startTestCluster } from '../src/index.ts';
import { Site } from './site-operator.ts';

/** What a transport was asked, with its trace. */
interface Asked {
  readonly method: string;
  readonly path: string;
  readonly trace: string | undefined;
}

function listening(transport: Transport, asked: Asked[]): Transport {
  return {
    request(request) {
      const { method, path, headers = {} } = request;
      const { traceparent } = headers;
      asked.push({ method, path, trace: traceparent?.split('-')[1] });
      return transport.request(request);
    },
    close: () => transport.close(),
    [Symbol.asyncDispose]: () => transport.close(),
  };
}

test('the API requests of a reconcile carry the trace that its log lines name', async () => {
  await using cluster = await startTestCluster({ objects: [{ ...Site.crd }] });
  const { clock } = cluster;
  const asked: Asked[] = [];
  const told: JsonObject[] = [];
  const logger: Logger = {
    ...silentLogger,
    debug: (message, fields = {}) => {
      if (message === 'Reconciled') told.push(fields);
    },
  };
  const shared = { clock, random: seededRandom(1), logger };
  const transport = listening(cluster.transport(), asked);
  const client = createClient(transport, { fieldManager: 'sites', clock });
  const manager = createManager({ client, ...shared });
  const events = createEventRecorder({ client: manager.client, component: 'sites', ...shared });
  manager.addService(events);
  const sites = operator(Site, {
    owns: [ConfigMap],
    concurrency: 2,
    reconcile: ({ object: { metadata } }) => ({
      children: [ConfigMap.of({ metadata: { name: metadata.name }, data: {} })],
      conditions: [ready()],
    }),
  });
  manager.addController(createOperatorController({ operator: sites, manager, events, ...shared }));
  const abort = new AbortController();
  const running = manager.run(abort.signal);
  for (const name of ['a', 'b']) {
    const metadata = { name, namespace: 'default' };
    await cluster.client
      .of({ group: 'example.dev', version: 'v1', kind: 'Site', plural: 'sites', namespaced: true })
      .create({ apiVersion: 'example.dev/v1', kind: 'Site', metadata, spec: {} });
  }
  await cluster.settle();
  abort.abort();
  await running;
  for (const name of ['a', 'b']) {
    const own = new RegExp(`/(sites|configmaps)/${name}(/|$)`);
    const writes = asked.filter(({ path }) => own.test(path));
    assert.ok(writes.length >= 2, 'a child and a status');
    const traces = new Set(
      told.filter(({ key }) => key === `default/${name}`).map((one) => one.traceId),
    );
    for (const { trace } of writes) assert.ok(traces.has(trace), `${name} ${trace}`);
  }
  const others = asked.filter(({ path }) => !/\/(sites|configmaps)\/[ab]/.test(path));
  assert.ok(
    others.some(({ method }) => method === 'GET'),
    'watches are there',
  );
  assert.deepEqual(new Set(others.map(({ trace }) => trace)), new Set([undefined]));
  const [first] = told;
  assert.equal(first?.outcome, 'done');
  assert.equal(first?.attempt, 1);
  for (const phase of ['tookMs', 'functionMs', 'childrenMs', 'statusMs']) {
    assert.equal(typeof first?.[phase], 'number', phase);
  }
  assert.equal(first?.requests, 2);
});
