import { type ApiServer, createApiServer, type PodRuntime } from '@fnlet/apiserver';
import { seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import { type Client, createClient } from '@fnlet/client';
import {
  createMemoryContainers,
  type MemoryContainers,
  type MemoryContainersOptions,
} from '@fnlet/executor';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { eventType, type KubeEvent } from '@fnlet/reconcile';
import { openMemoryStore } from '@fnlet/store';
import type { Machine } from '../src/node.ts';
import { createNodeKeeper } from '../src/node-keeper.ts';
import { type Pod, type PodSpec, podType } from '../src/pod.ts';
import { createWorkloads, type WorkloadsOptions } from '../src/workloads.ts';

export const namespace = 'default';

export const machine: Machine = {
  hostname: 'Laptop',
  address: '127.0.0.1',
  cpus: 4,
  memoryBytes: 8 * 2 ** 30,
  platform: 'linux',
  architecture: 'x64',
  kernelVersion: '6.1',
  osImage: 'Linux',
  kubernetesVersion: 'v1.36.0',
  fnletVersion: '0.1.0',
};

/** The embedded API and everything of this room, in one process and on a virtual clock. */
export class Cluster implements AsyncDisposable {
  readonly clock: VirtualClock = new VirtualClock();
  readonly client: Client;
  readonly containers: MemoryContainers;
  readonly #server: ApiServer;
  readonly #options: WorkloadsOptions;
  #abort = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(
    options: MemoryContainersOptions & Partial<WorkloadsOptions> = {},
    podRuntime?: PodRuntime,
  ) {
    const base = { clock: this.clock, random: seededRandom(1), logger: silentLogger };
    this.#server = createApiServer({
      ...base,
      store: openMemoryStore(),
      ...(podRuntime === undefined ? {} : { podRuntime }),
    });
    this.client = createClient(this.#server.transport(), {
      fieldManager: 'test',
      clock: this.clock,
    });
    this.containers = createMemoryContainers(options);
    this.#options = {
      ...base,
      client: createClient(this.#server.transport(), {
        fieldManager: 'fnlet-workloads',
        clock: this.clock,
      }),
      runtime: this.containers,
      machine,
      nodeProgram: '/bin/node24',
      nodeVersion: '24.0.0',
      allowHostCommands: true,
      programPath: '/bin',
      api: { host: '127.0.0.1', port: '7443', caPem: 'pem' },
      ...options,
    };
  }

  async start(): Promise<this> {
    await this.pump(this.#server.start());
    this.begin();
    return this;
  }

  /** Runs the room on the API as it is. */
  begin(): void {
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    const workloads = createWorkloads(this.#options).run(signal);
    const keeper = createNodeKeeper(this.#options).run(signal);
    this.#running = Promise.all([workloads, keeper]).then(() => {});
  }

  /** Ends the room as the end of its process does: nothing is told, everything is killed. */
  async crash(): Promise<void> {
    this.#abort.abort();
    await this.pump(this.#running);
    await this.containers.close();
  }

  create<T extends KubeObject>(type: ResourceType, object: T): Promise<T> {
    return this.pump(this.client.of<T>(type).create(object));
  }

  get<T extends KubeObject>(type: ResourceType, name: string): Promise<T | undefined> {
    const key = { namespace: type.namespaced ? namespace : '', name };
    return this.pump(this.client.of<T>(type).tryGet(key));
  }

  async list<T extends KubeObject>(type: ResourceType): Promise<readonly T[]> {
    const { items } = await this.pump(this.client.of<T>(type).list({ namespace }));
    return items;
  }

  patch<T extends KubeObject>(type: ResourceType, name: string, patch: object): Promise<T> {
    const document = { ...patch };
    return this.pump(
      this.client.of<T>(type).patch({ namespace, name }, { type: 'merge', patch: document }),
    );
  }

  async delete(type: ResourceType, name: string, gracePeriodSeconds?: number): Promise<void> {
    const options = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
    await this.pump(this.client.of(type).delete({ namespace, name }, options));
  }

  /** A Pod of one container, on this node. */
  createPod(name: string, spec: Partial<PodSpec> = {}): Promise<Pod> {
    return this.create<Pod>(podType, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace },
      spec: {
        nodeName: 'laptop',
        containers: [{ name: 'main', image: 'node', command: ['serve'] }],
        ...spec,
      },
    });
  }

  pod(name: string): Promise<Pod | undefined> {
    return this.get<Pod>(podType, name);
  }

  /** Reasons of the Events about an object, oldest first. */
  async reasons(name: string): Promise<readonly string[]> {
    const events = await this.list<KubeEvent>(eventType);
    return events
      .filter(({ involvedObject }) => involvedObject.name === name)
      .map(({ reason }) => reason);
  }

  /** Lets time pass until the condition holds. */
  async until<T>(
    condition: () => Promise<T> | T,
    patienceMs: number = 5_000,
  ): Promise<NonNullable<T>> {
    const endMs = this.clock.now() + patienceMs;
    while (true) {
      const value = await condition();
      if (value) return value;
      if (this.clock.now() >= endMs) throw new Error(`in vain: ${condition}`);
      await this.clock.advance(10);
    }
  }

  async pump<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settled = promise.finally(() => {
      isSettled = true;
    });
    settled.catch(() => {});
    while (!isSettled) await this.clock.advance(1);
    return settled;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await this.pump(this.#running);
    await this.pump(this.#server.close());
  }
}
