/**
 * A Kubernetes API, people, and the processes of some operators, on one virtual clock and from one
 * seed.
 */
import { seededRandom } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { Deployment, Namespace } from '@fnlet/sdk/operator';
import { type RecordedWrite, startTestCluster, type TestCluster } from '@fnlet/testing';
import type { Action, FaultAction, ProcessAction } from './action.ts';
import { kinds } from './operators/catalogue.ts';
import { Mirror } from './operators/mirror.ts';
import { awayNamespace } from './operators/tenant.ts';
import type { Outside } from './operators/thing.ts';
import { Replica, type Sharing } from './replica.ts';
import { roleAt, roleBinding } from './rights.ts';
import { RunWatch } from './run-watch.ts';
import { Users } from './users.ts';

/** An API with the kinds of the world and nothing in it, to begin worlds from. */
export function startEmptyCluster(): Promise<TestCluster> {
  const away = { apiVersion: 'v1', kind: Namespace.kind, metadata: { name: awayNamespace } };
  const definitions: KubeObject[] = kinds.map(({ crd }) => ({ ...crd }));
  return startTestCluster({ objects: [...definitions, away, roleAt('all'), roleBinding] });
}

const sharings: readonly Sharing[] = ['alone', 'elected', 'sharded'];

export class World implements AsyncDisposable {
  readonly cluster: TestCluster;
  readonly users: Users;
  readonly sharing: Sharing;
  readonly watch: RunWatch = new RunWatch();
  readonly outside: Outside = { made: new Set(), undone: new Set() };
  readonly #seed: number;
  readonly #replicas: (Replica | undefined)[] = [];
  #lives = 0;
  #isCalm = false;

  static async open(empty: TestCluster, seed: number): Promise<World> {
    return new World(await empty.fork({ seed }), seed);
  }

  private constructor(cluster: TestCluster, seed: number) {
    this.cluster = cluster;
    this.#seed = seed;
    this.users = new Users(cluster);
    this.sharing = sharings[seed % sharings.length] ?? 'alone';
    const count = this.sharing === 'alone' ? 1 : 2 + Math.floor(seededRandom(seed).next() * 2);
    for (let replica = 0; replica < count; replica++) this.#start(replica);
  }

  /** How many processes share the work. */
  get size(): number {
    return this.#replicas.length;
  }

  /** Objects and statuses that operators wrote, refusals included. */
  get writes(): readonly RecordedWrite[] {
    return this.cluster.writes.entries.filter(
      ({ user, resource }) =>
        user.startsWith(userPrefix) && resource !== 'events' && resource !== 'leases',
    );
  }

  async perform(action: Action): Promise<void> {
    switch (action.type) {
      case 'fault':
      case 'slow':
      case 'drop watches':
        return this.#strike(action);
      case 'kill':
      case 'stop':
      case 'start':
      case 'cut':
      case 'heal':
      case 'deafen':
      case 'hear':
        return this.#steer(action);
      default:
        return this.users.act(action);
    }
  }

  /** Moves time on, while Deployments become ready. */
  async pass(durationMs: number): Promise<void> {
    await this.cluster.advance(durationMs);
    await this.#runDeployments();
  }

  /** From now on nothing goes wrong any more, and everything that is to run does. */
  async calm(): Promise<void> {
    this.#isCalm = true;
    this.cluster.faults.clear();
    await this.users.calm();
    for (const replica of this.#replicas.keys()) {
      for (const type of ['heal', 'hear'] as const) this.#steer({ type, replica });
    }
    // Who was told to stop may take so long for it.
    await this.pass(30_000);
    for (const replica of this.#replicas.keys()) this.#steer({ type: 'start', replica });
  }

  /** Every operator looks at everything once more. */
  async resync(): Promise<void> {
    const { items } = await this.users.of(Mirror).list();
    for (const replica of this.#replicas) replica?.resync(items);
  }

  /** Why processes ended by themselves. */
  get failures(): readonly unknown[] {
    return this.#replicas.flatMap((replica) => replica?.failure ?? []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const replica of this.#replicas) replica?.kill();
    await this.cluster.close();
  }

  #strike(action: FaultAction): void {
    const match = { resource: action.resource };
    for (const [index] of this.#replicas.entries()) {
      const faults = this.cluster.faults.of(userOf(index));
      if (action.type === 'drop watches') faults.dropWatches(match);
      else if (action.type === 'slow') faults.slow({ ...match, ...action });
      else faults[action.fault]({ ...match, times: action.times });
    }
  }

  #steer({ type, replica: index }: ProcessAction): void {
    const replica = this.#replicas[index];
    if (replica === undefined) {
      if (type === 'start') this.#start(index);
      return;
    }
    const { process } = replica;
    switch (type) {
      case 'kill':
        replica.kill();
        this.#replicas[index] = undefined;
        break;
      case 'stop':
        void replica.stop().then(() => {
          if (this.#replicas[index] === replica) this.#replicas[index] = undefined;
        });
        break;
      case 'cut':
        process.isCut = true;
        this.cluster.faults.of(userOf(index)).dropWatches();
        break;
      case 'heal':
        process.isCut = false;
        break;
      case 'deafen':
      case 'hear':
        process.isDeaf = type === 'deafen';
    }
  }

  #start(index: number): void {
    const { cluster, sharing, watch, outside } = this;
    this.#replicas[index] = new Replica({
      ...{ cluster, sharing, watch, outside },
      user: userOf(index),
      life: this.#lives++,
      seed: this.#seed,
      isFateful: () => !this.#isCalm,
    });
  }

  /** As their controller and the kubelets would: what is asked for is there. */
  async #runDeployments(): Promise<void> {
    const deployments = this.users.of(Deployment);
    for (const { metadata, spec, status } of (await deployments.list()).items) {
      const { namespace = '', name, generation = 0 } = metadata;
      const replicas = spec?.replicas ?? 1;
      const isSaid = status?.observedGeneration === generation;
      if (isSaid && (status?.availableReplicas ?? 0) === replicas) continue;
      const counts = { replicas, updatedReplicas: replicas, availableReplicas: replicas };
      const patch = {
        status: { observedGeneration: generation, ...counts, readyReplicas: replicas },
      };
      const where = { subresource: 'status' };
      await deployments.patch({ namespace, name }, { type: 'merge', patch }, where);
    }
  }
}

const userPrefix = 'operator-';

function userOf(index: number): string {
  return `${userPrefix}${index}`;
}
