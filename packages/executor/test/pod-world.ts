import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiServer, createApiServer, type TlsIdentity } from '@fnlet/apiserver';
import { type Clock, silentLogger, systemClock, systemRandom } from '@fnlet/base';
import { type Client, createClient } from '@fnlet/client';
import { openMemoryStore } from '@fnlet/store';
import { ArtifactArchives } from '../src/cluster/artifact-archives.ts';
import { createPodExecutor, type PodExecutor } from '../src/cluster/pod-executor.ts';
import { type IdentifyPod, identifyByTokenReview } from '../src/cluster/pod-identity.ts';
import type { InstanceAddress, RunnableRevision } from '../src/executor.ts';
import { podType } from '../src/instance-pod.ts';
import { PodKubelet } from './pod-kubelet.ts';
import { until } from './until.ts';

const sources = {
  good: 'export default () => process.env.GREETING;\n',
  bad: '\n\nexport default ( ;\n',
};

export interface PodWorldOptions {
  /** Where it may write. */
  readonly root: string;
  readonly tls: TlsIdentity;
  /** An API that is there, as the administrator and the executor reach it. Default: one of its own. */
  readonly api?: { readonly admin: Client; readonly executor: Client };
  /** Of the executor. Default: the machine's. */
  readonly clock?: Clock;
}

/** A cluster in which one executor after the other owns the Pods. */
export class PodWorld implements AsyncDisposable {
  /** As an administrator. */
  readonly client: Client;
  /** Of the executor. */
  readonly #own: Client;
  readonly #clock: Clock;
  readonly #server: ApiServer | undefined;
  readonly #directory: string;
  readonly #tls: TlsIdentity;
  /** Of the executor that there is. */
  #abort = new AbortController();
  readonly #port = Promise.withResolvers<number>();
  /** The Pods that have made themselves known to the executor that there is, by uid. */
  readonly known: Set<string> = new Set();
  executor: PodExecutor;
  kubelet: Promise<PodKubelet>;
  #running: Promise<void>;

  constructor({ root, tls, api, clock: ownClock = systemClock }: PodWorldOptions) {
    this.#clock = ownClock;
    this.#directory = mkdtempSync(join(root, 'cluster-'));
    this.#tls = tls;
    for (const [name, text] of Object.entries(sources)) {
      mkdirSync(join(this.#directory, name, 'source'), { recursive: true });
      writeFileSync(join(this.#directory, name, 'source', 'handler.mjs'), text);
    }
    const { clock, random, logger } = {
      clock: systemClock,
      random: systemRandom,
      logger: silentLogger,
    };
    if (api === undefined) {
      const store = openMemoryStore();
      this.#server = createApiServer({ store, clock, random, logger, tokens: [] });
      this.client = createClient(this.#server.transport(), { fieldManager: 'fnlet', clock });
    } else {
      this.#server = undefined;
      this.client = api.admin;
    }
    this.#own = api?.executor ?? this.client;
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
      client: this.#own,
      certificate: this.#tls,
      identify: this.#identify(),
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
      ...{ clock: this.#clock, random: systemRandom, logger: silentLogger },
    });
  }

  #identify(): IdentifyPod {
    const identify = identifyByTokenReview(this.client);
    return async (token, signal) => {
      const pod = await identify(token, signal);
      if (pod !== undefined) this.known.add(pod.uid);
      return pod;
    };
  }

  async #start(executor: PodExecutor, port: number): Promise<void> {
    await this.#server?.start();
    this.#port.resolve(await executor.listen({ host: '127.0.0.1', port }));
    await executor.run(this.#abort.signal);
  }

  /** The controller ends, and nothing of it writes any more; then another one comes. */
  async restart(): Promise<void> {
    await this.executor.release();
    this.#abort.abort();
    this.#abort = new AbortController();
    await this.#running;
    this.known.clear();
    this.executor = this.#createExecutor();
    this.#running = this.#start(this.executor, await this.#port.promise);
  }

  /** With a source that is there; those with the handler `unloadable` do not load. */
  withSource(revision: RunnableRevision): RunnableRevision {
    const place = revision.handler === 'unloadable' ? 'bad' : 'good';
    const sourceDirectory = join(this.#directory, place, 'source');
    return { ...revision, handler: 'default', sourceDirectory };
  }

  async until(condition: () => boolean | Promise<boolean>): Promise<void> {
    await until(condition);
  }

  /** So many Instances are there, and ready. */
  ready(count: number): Promise<void> {
    return this.until(() => {
      const phases = this.executor.instances().map(({ phase }) => phase);
      return phases.length === count && phases.every((phase) => phase === 'ready');
    });
  }

  async call(address: InstanceAddress | undefined): Promise<string> {
    const answer = await fetch(`http://${address?.host}:${address?.port}/`);
    return await answer.text();
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
    await this.#server?.[Symbol.asyncDispose]();
  }
}
