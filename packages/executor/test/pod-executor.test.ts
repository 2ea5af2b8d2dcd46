/** Instances as Pods, on a real API and with real Runners; only the kubelet is the test's. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  type ApiServer,
  createApiServer,
  createCertificates,
  type TlsIdentity,
} from '@fnlet/apiserver';
import { silentLogger, systemClock, systemRandom } from '@fnlet/base';
import { type Client, createClient } from '@fnlet/client';
import { openMemoryStore } from '@fnlet/store';
import { ArtifactArchives } from '../src/cluster/artifact-archives.ts';
import { createPodExecutor, type PodExecutor } from '../src/cluster/pod-executor.ts';
import { identifyByTokenReview } from '../src/cluster/pod-identity.ts';
import type { Executor, RunnableRevision } from '../src/executor.ts';
import { podType } from '../src/instance-pod.ts';
import { type ExecutorHarness, testExecutor } from './executor-contract.ts';
import { PodKubelet } from './pod-kubelet.ts';
import { revisionFixture } from './revision-fixture.ts';

const root = mkdtempSync(join(tmpdir(), 'pod-executor-'));
let tls: TlsIdentity;

before(async () => {
  tls = await createCertificates(systemClock.now());
  for (const [name, text] of [
    ['good', 'export default () => process.env.GREETING;\n'],
    ['bad', '\n\nexport default ( ;\n'],
  ] as const) {
    mkdirSync(join(root, name, 'source'), { recursive: true });
    writeFileSync(join(root, name, 'source', 'handler.mjs'), text);
  }
});

after(() => rmSync(root, { recursive: true, force: true }));

/** A cluster in which one executor after the other owns the Pods. */
class Cluster implements AsyncDisposable {
  readonly server: ApiServer;
  readonly client: Client;
  readonly #directory = mkdtempSync(join(root, 'cluster-'));
  readonly #abort = new AbortController();
  readonly #port = Promise.withResolvers<number>();
  executor: PodExecutor;
  kubelet: Promise<PodKubelet>;
  #running: Promise<void>;

  constructor() {
    const { clock, random, logger } = {
      clock: systemClock,
      random: systemRandom,
      logger: silentLogger,
    };
    this.server = createApiServer({ store: openMemoryStore(), clock, random, logger, tokens: [] });
    this.client = createClient(this.server.transport(), { fieldManager: 'fnlet', clock });
    this.executor = this.#createExecutor();
    writeFileSync(join(this.#directory, 'ca.crt'), tls.caPem);
    this.#running = this.#start(this.executor, 0);
    this.kubelet = this.#port.promise.then(
      (port) =>
        new PodKubelet({
          client: this.client,
          directory: this.#directory,
          url: `https://127.0.0.1:${port}`,
        }),
    );
  }

  #createExecutor(): PodExecutor {
    return createPodExecutor({
      client: this.client,
      certificate: tls,
      identify: identifyByTokenReview(this.client),
      archives: new ArtifactArchives(join(this.#directory, 'archives')),
      runtimes: new Set(['nodejs24']),
      bounds: { min: 1, max: 4 },
      terms: {
        ownerUrl: 'https://fnlet-controller.fnlet-system.svc:8443',
        programs: {
          node: { name: 'node-runner', items: [] },
          python: { name: 'python-runner', items: [] },
        },
        authorityConfigMap: 'fnlet-authority',
        requests: { cpu: '10m', memory: '32Mi' },
      },
      ...{ clock: systemClock, random: systemRandom, logger: silentLogger },
    });
  }

  async #start(executor: PodExecutor, port: number): Promise<void> {
    await this.server.start();
    this.#port.resolve(await executor.listen({ host: '127.0.0.1', port }));
    await executor.run(this.#abort.signal);
  }

  /** The controller ends, and another one comes. */
  async restart(): Promise<void> {
    await this.executor.release();
    this.executor = this.#createExecutor();
    this.#running = Promise.all([
      this.#running,
      this.#start(this.executor, await this.#port.promise),
    ]).then(() => {});
  }

  async podsOf(revision: string): Promise<readonly string[]> {
    const { items } = await this.client
      .of(podType)
      .list({ labelSelector: `fnlet.dev/revision=${revision}` });
    return items.map(({ metadata }) => metadata.name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#port.promise;
    await this.executor.close();
    this.#abort.abort();
    await (await this.kubelet)[Symbol.asyncDispose]();
    await this.#running;
    await this.server[Symbol.asyncDispose]();
  }
}

/** With a source that is there; the contract names none. */
function withSource(revision: RunnableRevision): RunnableRevision {
  const place = revision.handler === 'unloadable' ? 'bad' : 'good';
  return { ...revision, handler: 'default', sourceDirectory: join(root, place, 'source') };
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  // Each of several Pods is a Node that starts, on a machine that may be busy with other tests.
  const endMs = performance.now() + 60_000;
  while (!(await condition())) {
    assert.ok(performance.now() < endMs, 'the condition holds in the end');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

testExecutor('an executor of Pods', (): ExecutorHarness => {
  const cluster = new Cluster();
  const { executor } = cluster;
  const wrapped: Executor = {
    ...executor,
    ensure: (revision, count, wish) => executor.ensure(withSource(revision), count, wish),
  };
  return {
    executor: wrapped,
    crash: ({ id }) => {
      void Promise.all([cluster.kubelet, podNamed(cluster, id)]).then(([kubelet, name]) =>
        kubelet.crash(name),
      );
    },
    until,
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
});

async function podNamed({ client }: Cluster, instance: string): Promise<string> {
  let name: string | undefined;
  await until(async () => {
    const { items } = await client
      .of(podType)
      .list({ labelSelector: `fnlet.dev/instance=${instance}` });
    name = items[0]?.metadata.name;
    return name !== undefined;
  });
  return name ?? '';
}

const ready = (executor: Executor): boolean =>
  executor.instances().some(({ phase }) => phase === 'ready');

test('a Pod that was given code leaves its pool, and the API shows whose it is', async () => {
  await using cluster = new Cluster();
  const revision = withSource(revisionFixture());
  cluster.executor.ensure(revision, 1);
  await until(() => ready(cluster.executor));
  await until(async () => (await cluster.podsOf(revision.revision)).length === 1);
  const [name = ''] = await cluster.podsOf(revision.revision);
  const pod = await cluster.client.of(podType).get({ namespace: 'default', name });
  assert.equal(pod.metadata.labels?.['fnlet.dev/pool'], undefined);
  assert.equal(pod.metadata.labels?.['fnlet.dev/function'], 'hello');
  assert.deepEqual(pod.metadata.ownerReferences, [revision.owner]);
  // Its place is filled.
  const kubelet = await cluster.kubelet;
  await until(() => kubelet.pods.length === 2);
});

test('Pods outlive their controller, and the next one takes them over', async () => {
  await using cluster = new Cluster();
  const revision = withSource(revisionFixture());
  cluster.executor.ensure(revision, 1);
  await until(() => ready(cluster.executor));
  await until(async () => (await cluster.podsOf(revision.revision)).length === 1);
  const [before] = await cluster.podsOf(revision.revision);
  const { address } = cluster.executor.instances()[0] ?? {};
  await cluster.restart();
  await cluster.executor.synced;
  cluster.executor.ensure(revision, 1);
  await until(() => ready(cluster.executor));
  const { address: now } = cluster.executor.instances()[0] ?? {};
  assert.deepEqual(now, address);
  assert.deepEqual(await cluster.podsOf(revision.revision), [before]);
});
