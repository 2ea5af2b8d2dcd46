/**
 * Replicas that share Triggers by Leases of one API, and events by one log, on a virtual clock and
 * from one seed. Each can leave, die at any moment, or be cut off from the API for a while.
 */
import { functionCrd, functionType, type TriggerObject, triggerCrd, triggerType } from '@fnlet/api';
import { type Random, randomInt, seededRandom, silentLogger } from '@fnlet/base';
import { createClient, type Transport, TransportError } from '@fnlet/client';
import type { Invocation, InvocationAnswer } from '@fnlet/invocation';
import type { KubeObject } from '@fnlet/machinery';
import { createShardedKeys } from '@fnlet/reconcile';
import { type Log, openMemoryLog } from '@fnlet/store/log';
import { startTestCluster, type TestCluster } from '@fnlet/testing';
import { createEventing } from '../src/index.ts';
import { dead, mortalStream } from './mortal-stream.ts';

/** One try to deliver an event, as the target saw it. */
export interface SeenDelivery {
  readonly id: string;
  /** Of which Trigger. */
  readonly trigger: string;
  /** When the event was due. */
  readonly scheduledMs: number;
  readonly startMs: number;
  readonly replica: Replica;
  isTaken: boolean;
}

export class ReplicaWorld implements AsyncDisposable {
  readonly cluster: TestCluster;
  readonly log: Log;
  readonly random: Random;
  readonly seen: SeenDelivery[] = [];
  readonly replicas: Replica[] = [];
  /** Which part of the tries the target fails. */
  failing = 0.1;

  private constructor(cluster: TestCluster, seed: number) {
    this.cluster = cluster;
    this.random = seededRandom(seed);
    this.log = openMemoryLog({ clock: cluster.clock });
  }

  static async start(seed: number): Promise<ReplicaWorld> {
    const cluster = await startTestCluster({ objects: [functionCrd, triggerCrd] });
    const world = new ReplicaWorld(cluster, seed);
    const spec = { runtime: 'nodejs24', source: { inline: 'x' } };
    const metadata = { namespace: 'default', name: 'target' };
    const target = { apiVersion: 'fnlet.dev/v1alpha1', kind: 'Function', metadata, spec };
    await cluster.client.of<KubeObject>(functionType).create(Object(target));
    return world;
  }

  /** Those that are not dead and have not left. */
  get living(): readonly Replica[] {
    return this.replicas.filter(({ isAlive, hasLeft }) => isAlive && !hasLeft);
  }

  join(): Replica {
    const replica = new Replica(this, `replica-${this.replicas.length}`);
    this.replicas.push(replica);
    return replica;
  }

  async applyTrigger(name: string, spec: object): Promise<void> {
    const metadata = { namespace: 'default', name };
    const object = { apiVersion: 'fnlet.dev/v1alpha1', kind: 'Trigger', metadata, spec };
    await this.cluster.client.of<TriggerObject>(triggerType).apply(Object(object), { force: true });
  }

  /** Lets time pass in small steps. */
  async pass(durationMs: number): Promise<void> {
    for (let passedMs = 0; passedMs < durationMs; passedMs += 250) await this.cluster.advance(250);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const replica of this.living) replica.leave();
    await this.pass(15_000);
    await this.cluster.close();
  }
}

export class Replica {
  readonly name: string;
  isAlive = true;
  hasLeft = false;
  isCut = false;
  /** When it died, or was cut off. */
  readonly troubledMs: number[] = [];
  readonly #world: ReplicaWorld;
  readonly #leaving = new AbortController();

  constructor(world: ReplicaWorld, name: string) {
    this.#world = world;
    this.name = name;
    void this.#run();
  }

  /** As `kill -9`: nothing that it began comes back to it, and it does nothing more. */
  kill(): void {
    this.isAlive = false;
    this.#note();
  }

  /** The API does not hear from it any more, nor it from the API; the log and targets do. */
  cut(isCut: boolean): void {
    this.isCut = isCut;
    this.#note();
  }

  /** Gives away what it runs, then ends. */
  leave(): void {
    this.hasLeft = true;
    this.#leaving.abort();
  }

  #note(): void {
    this.troubledMs.push(this.#world.cluster.clock.now());
  }

  async #run(): Promise<void> {
    const { cluster, random } = this.#world;
    const { clock } = cluster;
    const client = createClient(this.#transport(), { fieldManager: 'fnlet', clock });
    const common = { clock, random: seededRandom(randomInt(random, 2 ** 31)) };
    const ownership = createShardedKeys({
      ...{ ...common, client, logger: silentLogger, replica: this.name },
      group: { namespace: 'default', name: 'triggers' },
    });
    const eventing = createEventing({
      ...{ ...common, client, logger: silentLogger },
      gateway: {
        setHttpRoutes: () => {},
        setHttpRoute: () => {},
        removeHttpRoute: () => {},
        setCertificates: () => {},
        setEventSinks: () => {},
      },
      gatewayUrls: Promise.resolve({ http: 'http://127.0.0.1:8080' }),
      delivery: {
        openLog: async () => this.#log(),
        invoke: (call) => this.#invoke(call),
        port: { post: () => Promise.reject(new Error('There is no way out')) },
        brokers: {
          find: () => undefined,
          subscribe: () => () => {},
          accept: () => Promise.reject(new Error('There is no Broker')),
          acceptEverywhere: () => Promise.reject(new Error('There is no Broker')),
        },
        ownership,
      },
    });
    const ended = new AbortController();
    const running = eventing.run(ended.signal);
    await ownership.run(this.#leaving.signal);
    ended.abort();
    await running;
  }

  #transport(): Transport {
    const { cluster } = this.#world;
    const api = cluster.transport();
    const reach = async (): Promise<void> => {
      if (!this.isAlive) await dead;
      if (this.isCut) throw new TransportError('Unreachable', 'the API is cut off');
    };
    const isGone = (): boolean => !this.isAlive || this.isCut;
    return {
      async request(request) {
        await reach();
        const response = await api.request(request);
        await reach();
        return {
          ...response,
          json: () => response.json(),
          bytes: () => response.bytes(),
          async *documents() {
            for await (const document of response.documents()) {
              // What a connection that is cut brings is lost with it.
              if (isGone()) await reach();
              yield document;
            }
          },
        };
      },
      close: () => api.close(),
      [Symbol.asyncDispose]: () => api.close(),
    };
  }

  #log(): Log {
    const { log, random, cluster } = this.#world;
    const { clock } = cluster;
    const mortality = { clock, random, writeMs: 20, isAlive: () => this.isAlive };
    return {
      durability: log.durability,
      stream: async (name, options) => mortalStream(await log.stream(name, options), mortality),
      streams: (prefix) => log.streams(prefix),
      removeStream: (name) => log.removeStream(name),
      close: async () => {},
      [Symbol.asyncDispose]: async () => {},
    };
  }

  async #invoke({ headers }: Invocation): Promise<InvocationAnswer> {
    if (!this.isAlive) return dead;
    const { random, seen, cluster, failing } = this.#world;
    const fields = new Map(headers);
    const one: SeenDelivery = {
      id: fields.get('ce-id') ?? '',
      trigger: fields.get('ce-source') ?? '',
      scheduledMs: Date.parse(fields.get('ce-time') ?? ''),
      startMs: cluster.clock.now(),
      replica: this,
      isTaken: false,
    };
    seen.push(one);
    await new Promise<void>((resolve) => {
      cluster.clock.after(randomInt(random, 900), resolve);
    });
    one.isTaken = random.next() >= failing;
    if (!this.isAlive) return dead;
    const status = one.isTaken ? 200 : 500;
    return { kind: 'answered', status, headers: [], body: new Uint8Array(), truncated: false };
  }
}
