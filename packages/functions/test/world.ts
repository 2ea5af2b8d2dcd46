import assert from 'node:assert/strict';
import {
  type FunctionObject,
  type FunctionSpec,
  functionCrd,
  functionType,
  type RevisionObject,
  type RuntimeObject,
  revisionCrd,
  revisionType,
  runtimeCrd,
  runtimeType,
} from '@fnlet/api';
import { type ApiServer, createApiServer } from '@fnlet/apiserver';
import { seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import {
  type Client,
  createClient,
  type ResourceClient,
  type TransportResponse,
} from '@fnlet/client';
import {
  createMemoryExecutor,
  type Instance,
  type InstancesUsage,
  type MemoryExecutor,
  type MemoryLoad,
} from '@fnlet/executor';
import type { Specialisation } from '@fnlet/invocation';
import { type Condition, findCondition, type ResourceType, resourcePath } from '@fnlet/machinery';
import { eventType, type KubeEvent } from '@fnlet/reconcile';
import { openMemoryStore, type Store } from '@fnlet/store';
import { configMapType, secretType, serviceType } from '../src/core-kinds.ts';
import { createFunctions, type Functions } from '../src/functions.ts';
import { MemoryArtifacts } from './memory-artifacts.ts';
import { MemoryGateway } from './memory-gateway.ts';
import { MemoryMounts } from './memory-mounts.ts';
import { MemoryRuntimes } from './memory-runtimes.ts';
import { MemorySources } from './memory-sources.ts';

const crdType: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

export const namespace = 'default';

/** What outlives a restart of the process. */
export interface Machine {
  readonly clock: VirtualClock;
  readonly store: Store;
  readonly artifacts: MemoryArtifacts;
  readonly sources: MemorySources;
  readonly runtimes: MemoryRuntimes;
  /** Decides how the next Instances load. */
  load: (specialisation: Specialisation) => MemoryLoad;
}

export function createMachine(): Machine {
  const clock = new VirtualClock();
  return {
    clock,
    store: openMemoryStore(),
    artifacts: new MemoryArtifacts(),
    sources: new MemorySources(),
    runtimes: new MemoryRuntimes(),
    load: () => ({}),
  };
}

/** The embedded API and everything of this room, in one process and on a virtual clock. */
export class World implements AsyncDisposable {
  readonly machine: Machine;
  /** How much virtual time something may take to come true. */
  patienceMs: number = 5_000;
  readonly client: Client;
  readonly functions: ResourceClient<FunctionObject>;
  readonly revisions: ResourceClient<RevisionObject>;
  readonly runtimes: ResourceClient<RuntimeObject>;
  readonly executor: MemoryExecutor;
  readonly gateway: MemoryGateway;
  /** How often it was said that somebody takes webhooks. */
  webhooks: number = 0;
  /** Names of the runtimes that turned out to be of no more use. */
  readonly unusedRuntimes: string[] = [];
  readonly mounts: MemoryMounts = new MemoryMounts();
  /** By Function: how many calls wait to be answered later. */
  readonly lags: Map<string, number> = new Map();
  /** Until these Instances are seen by whoever looks at Pods. */
  untilShown: (instances: readonly Instance[]) => Promise<void> = () => Promise.resolve();
  /** What Instances use. */
  usages: (instances: readonly Instance[]) => InstancesUsage['instances'] = () => [];
  /** What other servers answer. */
  fetchText: (url: string) => Promise<string> = (url) => Promise.reject(new Error(`no ${url}`));
  readonly #server: ApiServer;
  readonly #room: Functions;
  readonly #abort = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(machine: Machine) {
    this.machine = machine;
    const { clock, store, artifacts, runtimes } = machine;
    const base = { clock, random: seededRandom(1), logger: silentLogger };
    this.#server = createApiServer({ ...base, store });
    this.client = createClient(this.#server.transport(), { fieldManager: 'test', clock });
    this.functions = this.client.of<FunctionObject>(functionType);
    this.revisions = this.client.of<RevisionObject>(revisionType);
    this.runtimes = this.client.of<RuntimeObject>(runtimeType);
    this.executor = createMemoryExecutor({ ...base, load: (what) => machine.load(what) });
    this.gateway = new MemoryGateway(clock, (id) => this.#room.onDemand(id));
    this.#room = createFunctions({
      ...base,
      client: this.client,
      executor: this.executor,
      untilShown: (instances) => this.untilShown(instances),
      gateway: this.gateway,
      artifacts,
      sources: machine.sources,
      onWebhooks: () => this.webhooks++,
      runtimes,
      onRuntimeUnused: (name) => this.unusedRuntimes.push(name),
      mounts: this.mounts,
      readUsage: () => Promise.resolve({ instances: this.usages(this.executor.instances()) }),
      fetchText: (url) => this.fetchText(url),
      lagOf: ({ name }) => this.lags.get(name) ?? 0,
      api: { host: '127.0.0.1', port: '7443', caPem: 'CA' },
      gatewayUrl: 'http://gateway',
      bodyBytesMax: 1000,
    });
  }

  async start(): Promise<this> {
    const started = this.#server.start();
    await this.#pump(started);
    const crds = this.client.of(crdType);
    for (const crd of [functionCrd, revisionCrd, runtimeCrd])
      await this.#pump(crds.apply(crd, { force: true }));
    for (const { metadata } of [functionCrd, revisionCrd, runtimeCrd]) {
      await this.until(async () => {
        const crd = await crds.get({ namespace: '', name: metadata.name });
        return JSON.stringify(crd.status ?? '').includes('Established');
      });
    }
    this.#running = this.#room.run(this.#abort.signal);
    await this.#pump(this.#room.restored);
    return this;
  }

  /** Creates a Function or changes its spec; returns it as written. */
  async apply(name: string, spec: Partial<FunctionSpec>): Promise<FunctionObject> {
    const object = {
      apiVersion: 'fnlet.dev/v1alpha1',
      kind: 'Function',
      metadata: { name, namespace },
      spec: { runtime: 'nodejs24', source: { inline: 'one' }, ...spec },
    };
    return this.#pump(this.functions.apply(object, { force: true }));
  }

  /** Creates a Function that may be wrong; returns the answer of the API. */
  async post(name: string, spec: object): Promise<TransportResponse> {
    return this.#pump(
      this.client.transport.request({
        method: 'POST',
        path: resourcePath(functionType, { namespace }),
        body: {
          apiVersion: 'fnlet.dev/v1alpha1',
          kind: 'Function',
          metadata: { name },
          spec: { runtime: 'nodejs24', source: { inline: 'one' }, ...spec },
        },
      }),
    );
  }

  async put(kind: 'Secret' | 'ConfigMap', name: string, data: object): Promise<void> {
    const type = kind === 'Secret' ? secretType : configMapType;
    const object = { apiVersion: 'v1', kind, metadata: { name, namespace }, data };
    await this.#pump(this.client.of(type).apply(object, { force: true }));
  }

  async remove(kind: 'Secret' | 'ConfigMap', name: string): Promise<void> {
    const type = kind === 'Secret' ? secretType : configMapType;
    await this.#pump(this.client.of(type).delete({ namespace, name }));
  }

  async get(name: string): Promise<FunctionObject> {
    return this.#pump(this.functions.get({ namespace, name }));
  }

  /** Waits until a condition has this status for the newest generation. */
  async condition(name: string, type: string, status: Condition['status']): Promise<Condition> {
    let found: Condition | undefined;
    await this.until(async () => {
      const object = await this.functions.get({ namespace, name });
      found = findCondition(object.status?.conditions, type);
      const { generation } = object.metadata;
      return found?.status === status && found.observedGeneration === generation;
    });
    assert.ok(found);
    return found;
  }

  async ready(name: string): Promise<FunctionObject> {
    await this.condition(name, 'Ready', 'True');
    return this.get(name);
  }

  async events(name: string): Promise<KubeEvent[]> {
    const { items } = await this.#pump(this.client.of<KubeEvent>(eventType).list({ namespace }));
    return items.filter(({ involvedObject }) => involvedObject.name === name);
  }

  async services(): Promise<readonly string[]> {
    const { items } = await this.#pump(this.client.of(serviceType).list({ namespace }));
    return items.map(({ metadata }) => metadata.name);
  }

  /** Calls a Function; gives the name of the Revision that answered. */
  async call(name: string): Promise<string> {
    const { revisionId } = await this.#pump(this.gateway.call(namespace, name));
    return revisionId.slice(namespace.length + 1);
  }

  /** Lets time pass until all calls are over; rejects as the first of them that fails. */
  async untilAnswered(calls: readonly Promise<unknown>[]): Promise<void> {
    let isAnswered = false;
    const all = Promise.all(calls).finally(() => {
      isAnswered = true;
    });
    all.catch(() => {});
    await this.until(() => isAnswered);
    await all;
  }

  /** Lets time pass, in small steps, until something holds. */
  async until(holds: () => boolean | Promise<boolean>): Promise<void> {
    const endMs = this.machine.clock.now() + this.patienceMs;
    while (!(await this.#pump(Promise.resolve(holds())))) {
      if (this.machine.clock.now() > endMs) throw new Error(`Did not come true: ${holds}`);
      await this.machine.clock.advance(5);
    }
  }

  advance(durationMs: number): Promise<void> {
    return this.machine.clock.advance(durationMs);
  }

  // As a kill would, but for the API server, whose store is shared.
  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await this.#pump(this.#running);
    await this.#pump(this.executor.close(0));
    await this.#pump(this.#server.close());
  }

  /** Waits for a promise on the virtual clock. */
  async #pump<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settled = (): void => {
      isSettled = true;
    };
    promise.then(settled, settled);
    for (let rounds = 0; !isSettled; rounds++) {
      if (rounds > 2000) throw new Error('A promise does not settle');
      await this.machine.clock.advance(rounds < 20 ? 0 : 5);
    }
    return promise;
  }
}
