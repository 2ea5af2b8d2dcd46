/** `fnlet dev` in a cluster, with a function that a Pod of a pool cannot run. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { developmentUntilAnnotation } from '@fnlet/api';
import { isJsonObject, type JsonObject } from '@fnlet/base';
import {
  type Condition,
  findCondition,
  type KubeObject,
  type ResourceType,
} from '@fnlet/machinery';
import { developmentMs } from '../packages/cli/src/limits.ts';
import {
  functionType,
  podType,
  testNamespace,
  clusterWaitMs as timeoutMs,
} from './cluster-objects.ts';
import { ClusterParts } from './cluster-parts.ts';
import { until } from './until.ts';

const program = join(import.meta.dirname, '..', 'packages', 'cli', 'bin', 'fnlet.js');
const key = { namespace: testNamespace, name: 'limited' };

const deploymentType: ResourceType = {
  ...{ group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments' },
  namespaced: true,
};

interface Told extends KubeObject {
  readonly spec?: JsonObject;
  readonly status?: { readonly revision?: string; readonly conditions?: readonly Condition[] };
}

function isRunning({ status }: KubeObject): boolean {
  return isJsonObject(status) && status.phase === 'Running';
}

function counted(part: unknown): unknown {
  return isJsonObject(part) ? part.replicas : undefined;
}

/** A function with a limit, whose code somebody edits. */
class Workshop implements AsyncDisposable {
  readonly #cluster: ClusterParts;
  readonly #url: string;
  readonly #printed: string[] = [];
  #dev: ChildProcess | undefined;

  private constructor(cluster: ClusterParts, url: string) {
    this.#cluster = cluster;
    this.#url = `${url}/${key.namespace}/${key.name}`;
  }

  static async open(): Promise<Workshop> {
    const cluster = await ClusterParts.start();
    await cluster.controller();
    const { url } = await cluster.gateway();
    return new Workshop(cluster, url);
  }

  get printed(): string {
    return this.#printed.join('');
  }

  /** As somebody has it in a manifest. */
  async limit(memory: string): Promise<void> {
    const functions = this.#cluster.client.of<Told>(functionType);
    const resources = { limits: { memory } };
    const source = { inline: "export default () => 'applied';" };
    const found = await functions.tryGet(key);
    if (found !== undefined) {
      await functions.patch(key, { type: 'merge', patch: { spec: { resources } } });
      return;
    }
    await functions.create({
      ...{ apiVersion: 'fnlet.dev/v1alpha1', kind: 'Function', metadata: key },
      spec: { runtime: 'nodejs24', source, resources },
    });
    await this.awaited('a Deployment', async () => (await this.executor()) === 'Deployment');
  }

  async save(word: string): Promise<void> {
    await writeFile(this.#file, `export default () => '${word}';\n`);
    if (this.#dev === undefined) this.#begin();
    const answer = async (): Promise<boolean> => (await (await fetch(this.#url)).text()) === word;
    await this.awaited(`the answer "${word}"`, answer);
  }

  async get(): Promise<Told> {
    return await this.#cluster.client.of<Told>(functionType).get(key);
  }

  async executor(): Promise<string | undefined> {
    return findCondition((await this.get()).status?.conditions, 'ExecutorReady')?.reason;
  }

  async pods(labelSelector: string): Promise<readonly KubeObject[]> {
    const { items } = await this.#cluster.client.of<KubeObject>(podType).list({ labelSelector });
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  /**
   * The uids of the Pods that wait for an edit, once there are as many as there are to be: one, or
   * more where several were taken in a row.
   */
  async spares(): Promise<readonly (string | undefined)[]> {
    let uids: readonly (string | undefined)[] = [];
    await this.awaited('Pods that wait', async () => {
      const { items } = await this.#cluster.client.of(deploymentType).list({
        labelSelector: 'fnlet.dev/pool,fnlet.dev/function',
      });
      const pods = (await this.pods('fnlet.dev/pool')).filter(({ metadata: { labels } }) =>
        labels?.['fnlet.dev/pool']?.startsWith('fnlet-dev-'),
      );
      uids = pods.map(({ metadata }) => metadata.uid);
      const isCalm = items.every(
        ({ spec, status }) => counted(spec) === uids.length && counted(status) === uids.length,
      );
      return uids.length > 0 && pods.every(isRunning) && isCalm;
    });
    return uids;
  }

  async awaited<T>(what: string, look: () => Promise<T>): Promise<NonNullable<T>> {
    return await until(look, { what, timeoutMs }).catch((error: unknown) => {
      throw new Error(`${this.printed}\n${this.#cluster.output()}`, { cause: error });
    });
  }

  /** As Ctrl-C does, or `kill -9`. */
  async end(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
    const child = this.#dev;
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  /** Until when the command has said that the code is being worked on. */
  async until(): Promise<string | undefined> {
    return (await this.get()).metadata.annotations?.[developmentUntilAnnotation];
  }

  /** As if so much time had passed since the command said so. */
  async endTerm(): Promise<void> {
    const annotations = { [developmentUntilAnnotation]: new Date(Date.now() - 1).toISOString() };
    const patch = { metadata: { annotations } };
    await this.#cluster.client.of<Told>(functionType).patch(key, { type: 'merge', patch });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#dev?.kill('SIGKILL');
    await this.#cluster[Symbol.asyncDispose]();
  }

  get #file(): string {
    return join(this.#cluster.api.dataDirectory, `${key.name}.js`);
  }

  #begin(): void {
    const env = { ...process.env, KUBECONFIG: this.#cluster.api.endpoints.kubeconfig };
    const args = [program, 'dev', this.#file];
    const dev = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [dev.stdout, dev.stderr]) {
      stream.on('data', (chunk: Buffer) => this.#printed.push(chunk.toString()));
    }
    this.#dev = dev;
  }
}

test('each edit is given to a Pod of the function that runs, and a Deployment comes back', async () => {
  await using workshop = await Workshop.open();
  await workshop.limit('256Mi');
  await workshop.save('first');
  await workshop.awaited('a pool', async () => (await workshop.executor()) === 'OwnPool');
  for (const word of ['second', 'third']) {
    const waiting = await workshop.spares();
    await workshop.save(word);
    await workshop.awaited('a Pod that waited to be an Instance', async () => {
      const { status } = await workshop.get();
      const pods = await workshop.pods(`fnlet.dev/revision=${status?.revision}`);
      return pods.some(({ metadata }) => waiting.includes(metadata.uid));
    });
  }
  // What a Pod has from its beginning on: others start, and whoever edits is told why.
  const before = (await workshop.get()).status?.revision;
  await workshop.limit('300Mi');
  await workshop.awaited('the reason', async () => {
    const { status } = await workshop.get();
    const executor = findCondition(status?.conditions, 'ExecutorReady');
    const isTold = executor?.message?.includes('take a change of spec.resources: others start');
    return isTold === true || (status?.revision !== before && executor?.reason === 'OwnPool');
  });
  await workshop.save('fourth');
  await workshop.awaited('its Pod to have the limit', async () => {
    const { status } = await workshop.get();
    const pods = await workshop.pods(`fnlet.dev/revision=${status?.revision}`);
    return JSON.stringify(pods).includes('"memory":"300Mi"');
  });
  await workshop.end('SIGINT');
  assert.equal(await workshop.until(), undefined);
  await workshop.awaited('a Deployment of its own', async () => {
    const { spec, status } = await workshop.get();
    const executor = findCondition(status?.conditions, 'ExecutorReady');
    return isJsonObject(spec) && !('development' in spec) && executor?.reason === 'Deployment';
  });
  assert.match(workshop.printed, /function\/limited stays/);
});

test('a command that was killed keeps no Pod that waits: a Deployment comes back in time', async () => {
  await using workshop = await Workshop.open();
  await workshop.limit('256Mi');
  await workshop.save('first');
  await workshop.awaited('a pool', async () => (await workshop.executor()) === 'OwnPool');
  await workshop.spares();
  const leftMs = Date.parse((await workshop.until()) ?? '') - Date.now();
  assert.ok(leftMs > 0 && leftMs <= developmentMs, `${leftMs} ms are left`);
  await workshop.end('SIGKILL');
  await workshop.endTerm();
  await workshop.awaited('a Deployment of its own', async () => {
    const { spec, status } = await workshop.get();
    const executor = findCondition(status?.conditions, 'ExecutorReady');
    const isTold = executor?.message?.includes('nobody has renewed it since') === true;
    return spec?.development === true && executor?.reason === 'Deployment' && isTold;
  });
});
