/**
 * One process with all operators of the world, as a Pod would run it: alone, as one of several of
 * which one leads, or as one of several that share the keys.
 */
import { type Random, seededRandom, silentLogger } from '@fnlet/base';
import { createClient } from '@fnlet/client';
import {
  type Controller,
  createEventRecorder,
  createLeaseElection,
  createManager,
  createOperatorController,
  createShardedKeys,
  type Manager,
  type RunningController,
  type ShardedKeys,
} from '@fnlet/reconcile';
import type { Operator } from '@fnlet/sdk/operator';
import type { TestCluster } from '@fnlet/testing';
import { operators } from './operators/catalogue.ts';
import { Mirror, mirrorController } from './operators/mirror.ts';
import type { Fate, Outside, Thing } from './operators/thing.ts';
import type { RunWatch } from './run-watch.ts';
import { SimulatedProcess } from './simulated-process.ts';

/** How processes share the work. */
export type Sharing = 'alone' | 'elected' | 'sharded';

export interface ReplicaOptions {
  readonly cluster: TestCluster;
  /** Who it is for the API; another process comes back under the same name. */
  readonly user: string;
  /** How many had this name before. */
  readonly life: number;
  readonly sharing: Sharing;
  readonly seed: number;
  readonly watch: RunWatch;
  readonly outside: Outside;
  /** Whether things may go wrong inside of the operators' functions. */
  readonly isFateful: () => boolean;
}

/** The group whose members may do what operators need. */
export const operatorsGroup = 'sim:operators';

/** The namespace of the Leases. */
export const leaseNamespace = 'default';

export class Replica {
  readonly process: SimulatedProcess;
  readonly #options: ReplicaOptions;
  readonly #random: Random;
  readonly #stop = new AbortController();
  readonly #manager: Manager;
  readonly #controllers: readonly Controller[];
  readonly #mirror: RunningController;
  readonly #ended: Promise<void>;
  /** Why it ended though nobody asked it to. */
  failure: unknown;

  constructor(options: ReplicaOptions) {
    const { cluster, user, life, seed } = options;
    this.#options = options;
    this.#random = seededRandom(seed + 7919 * life + user.length * 31 + Number(user.at(-1)));
    const groups = [operatorsGroup, 'system:authenticated'];
    this.process = new SimulatedProcess(cluster.clock, cluster.transport({ name: user, groups }));
    const shared = this.#shared;
    const client = createClient(this.process, { fieldManager: 'sim', clock: this.process });
    const keys = this.#createKeys();
    const election = this.#createElection();
    this.#manager = createManager({ ...shared, client, election, ownership: keys });
    const events = createEventRecorder({
      ...shared,
      client: this.#manager.client,
      component: 'sim',
    });
    this.#manager.addService(events);
    if (keys !== undefined) {
      this.#manager.addService({ name: 'sharding', run: (signal) => keys.run(signal) });
    }
    const fate: Fate = {
      clock: this.process,
      outside: options.outside,
      strikes: (share) => options.isFateful() && this.#random.next() < share,
    };
    this.#controllers = operators(fate).map((operator) =>
      createOperatorController({
        ...shared,
        operator: this.#watched(operator),
        manager: this.#manager,
        events,
        ownership: keys,
      }),
    );
    for (const controller of this.#controllers) this.#manager.addController(controller);
    this.#mirror = this.#manager.controller(this.#watchedMirror());
    this.#ended = this.#manager.run(this.#stop.signal).catch((error: unknown) => {
      this.failure = error;
    });
  }

  get isLeader(): boolean {
    return this.#manager.isLeader;
  }

  /** Ends it between two steps of the machine. */
  kill(): void {
    this.process.kill();
    this.#options.watch.forget(this);
  }

  /** Asks it to end, as a SIGTERM does; resolves when it has. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  /** Asks for a run of everything. */
  resync(mirrors: readonly Thing[]): void {
    for (const controller of this.#controllers) controller.resync();
    for (const { metadata } of mirrors) {
      this.#mirror.enqueue({ namespace: metadata.namespace ?? '', name: metadata.name });
    }
  }

  get #shared() {
    return { clock: this.process, random: this.#random, logger: silentLogger };
  }

  #createKeys(): ShardedKeys | undefined {
    if (this.#options.sharing !== 'sharded') return undefined;
    const client = createClient(this.process, { fieldManager: 'sim-keys', clock: this.process });
    const group = { namespace: leaseNamespace, name: 'keys' };
    return createShardedKeys({ ...this.#shared, client, group, replica: this.#options.user });
  }

  #createElection(): ReturnType<typeof createLeaseElection> | undefined {
    const { sharing, user, life } = this.#options;
    if (sharing !== 'elected') return undefined;
    const client = createClient(this.process, { fieldManager: 'sim-lease', clock: this.process });
    const lease = { namespace: leaseNamespace, name: 'leader' };
    return createLeaseElection({ ...this.#shared, client, lease, identity: `${user}-${life}` });
  }

  #watched(operator: Operator): Operator {
    const { reconcile, cleanup, name: what } = operator;
    const noted =
      (ask: Operator['reconcile']): Operator['reconcile'] =>
      (request) => {
        const { namespace = '', name } = request.object.metadata;
        const run = { who: this, what, key: { namespace, name } };
        return this.#options.watch.during(run, () => ask(request));
      };
    const told = { ...operator, reconcile: noted(reconcile) };
    return cleanup === undefined ? told : { ...told, cleanup: noted(cleanup) };
  }

  #watchedMirror(): ReturnType<typeof mirrorController> {
    const options = mirrorController();
    return {
      ...options,
      reconcile: (key, context) =>
        this.#options.watch.during({ who: this, what: Mirror.plural, key }, () =>
          options.reconcile(key, context),
        ),
    };
  }
}
