/** How often an operator asks the API: once for each thing that differs, and never for what it knows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom, silentLogger } from '@fnlet/base';
import { createClient, type Transport } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import { createManager, createOperatorController } from '@fnlet/reconcile';
import {
  ConfigMap,
  Deployment,
  defineKind,
  field,
  type Operator,
  operator,
  ready,
} from '@fnlet/sdk/operator';
import { startTestCluster, type TestCluster } from '../src/index.ts';

const Site = defineKind({
  group: 'example.dev',
  version: 'v1',
  kind: 'Site',
  description: 'A site.',
  spec: { html: field.text('The page.') },
});

const siteType = {
  group: 'example.dev',
  version: 'v1',
  kind: 'Site',
  plural: 'sites',
  namespaced: true,
};

function siteOperator(name: string, options: Pick<Operator, 'namespaces'> = {}): Operator {
  return operator(Site, {
    ...options,
    name,
    owns: [ConfigMap, Deployment],
    reconcile({ object: { metadata, spec } }) {
      const child = `${metadata.name}-${name}`;
      const labels = { app: child };
      const containers = [{ name: 'web', image: 'web', args: [], resources: {} }];
      const template = { metadata: { labels }, spec: { containers } };
      return {
        children: [
          ConfigMap.of({ metadata: { name: child }, data: { html: spec.html } }),
          Deployment.of({
            metadata: { name: child },
            spec: { selector: { matchLabels: labels }, template },
          }),
        ],
        conditions: [ready()],
      };
    },
  });
}

/** The operators in a process that has just started; what they asked for, without lists. */
class Process {
  readonly asked: string[] = [];
  readonly #abort = new AbortController();
  readonly #running: Promise<void>;

  constructor(cluster: TestCluster, operators: readonly Operator[]) {
    const transport = cluster.transport();
    const noting: Transport = {
      ...transport,
      request: (request) => {
        const { method, path, query } = request;
        if (query?.watch === undefined) this.asked.push(`${method} ${path.split('/').at(-1)}`);
        return transport.request(request);
      },
    };
    const shared = { clock: cluster.clock, random: seededRandom(1), logger: silentLogger };
    const client = createClient(noting, { fieldManager: 'process', clock: cluster.clock });
    const manager = createManager({ client, ...shared });
    const events = { record: () => undefined };
    for (const one of operators) {
      const controller = createOperatorController({ operator: one, manager, events, ...shared });
      manager.addController(controller);
    }
    this.#running = manager.run(this.#abort.signal);
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }
}

async function openCluster(): Promise<TestCluster> {
  const cluster = await startTestCluster({ objects: [{ ...Site.crd }] });
  const metadata = { name: 'a', namespace: 'default' };
  const sites = cluster.client.of<KubeObject>(siteType);
  await sites.create({ ...Site.of({ metadata, spec: { html: 'hi' } }) });
  return cluster;
}

test('each child is one request, and the status one', async () => {
  await using cluster = await openCluster();
  const process = new Process(cluster, [siteOperator('one')]);
  await cluster.settle();
  assert.deepEqual(process.asked.toSorted(), ['PATCH a-one', 'PATCH a-one', 'PATCH status']);
  await process.stop();
});

test('where caches do not show all, it looks before it creates', async () => {
  await using cluster = await openCluster();
  const process = new Process(cluster, [siteOperator('one', { namespaces: ['default'] })]);
  await cluster.settle();
  assert.equal(process.asked.filter((request) => request === 'GET a-one').length, 2);
  await process.stop();
});

test('operators that start again ask for nothing, though they share caches and remember nothing', async () => {
  await using cluster = await openCluster();
  const operators = [siteOperator('one'), siteOperator('two')];
  const first = new Process(cluster, operators);
  await cluster.settle();
  // Each writes two children and a status; one status meets the other's, and is sent once more.
  assert.equal(first.asked.filter((request) => request !== 'GET a').length, 7);
  await first.stop();
  const second = new Process(cluster, operators);
  await cluster.settle();
  assert.deepEqual(second.asked, []);
  await second.stop();
});

test('what was changed while no operator ran is put right', async () => {
  await using cluster = await openCluster();
  const first = new Process(cluster, [siteOperator('one')]);
  await cluster.settle();
  await first.stop();
  const patch = { type: 'merge', patch: { data: { html: 'theirs' } } } as const;
  const configMaps = cluster.client.of<KubeObject>({
    ...siteType,
    group: '',
    kind: 'ConfigMap',
    plural: 'configmaps',
  });
  await configMaps.patch({ namespace: 'default', name: 'a-one' }, patch);
  const second = new Process(cluster, [siteOperator('one')]);
  await cluster.settle();
  assert.deepEqual(second.asked, ['PATCH a-one']);
  await second.stop();
});
