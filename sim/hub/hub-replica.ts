import { seededRandom, silentLogger } from '@fnlet/base';
import { createClient } from '@fnlet/client';
import type { ObjectKey } from '@fnlet/machinery';
import { createHub } from '@fnlet/operators';
import { createShardedKeys } from '@fnlet/reconcile';
import { openMemoryStore, type Store } from '@fnlet/store';
import type { TestCluster } from '@fnlet/testing';
import type { RunWatch } from '../run-watch.ts';
import { SimulatedProcess } from '../simulated-process.ts';
import type { Caller, simulatedFunction } from './simulated-function.ts';

export interface HubReplicaOptions {
  readonly cluster: TestCluster;
  /** Who it is for the API; another process comes back under the same name. */
  readonly user: string;
  readonly seed: number;
  readonly watch: RunWatch;
  readonly call: ReturnType<typeof simulatedFunction>;
  /** What operators know, where replicas share that. Default: it dies with the process. */
  readonly store?: Store | undefined;
  /** Where replicas share what they have settled. Default: in their stores. */
  readonly records?: ObjectKey | undefined;
  /** Whether it runs only keys that are its own. Default: true; otherwise its world is broken. */
  readonly isSharing?: boolean | undefined;
}

/** The group whose members may do what a hub needs. */
export const hubGroup = 'sim:hub';

/** One process with a hub, one of several that share the keys. */
export class HubReplica {
  readonly process: SimulatedProcess;
  readonly #watch: RunWatch;
  readonly #stop = new AbortController();
  /** Why it ended though nobody asked it to. */
  failure: unknown;

  constructor(options: HubReplicaOptions) {
    const { cluster, user, seed, watch, call, store, records, isSharing = true } = options;
    this.#watch = watch;
    const groups = [hubGroup, 'system:authenticated'];
    const clock = new SimulatedProcess(cluster.clock, cluster.transport({ name: user, groups }));
    this.process = clock;
    const shared = { clock, random: seededRandom(seed), logger: silentLogger };
    const client = createClient(clock, { fieldManager: 'fnlet', clock });
    const group = { namespace: 'default', name: 'hub' };
    const ownership = createShardedKeys({ ...shared, client, group, replica: user });
    const caller: Caller = { who: this, clock };
    const hub = createHub({
      ...{ ...shared, client, invoke: call(caller) },
      ownership: isSharing ? ownership : undefined,
      store: store ?? openMemoryStore(),
      records,
    });
    const running = [ownership.run(this.#stop.signal), hub.run(this.#stop.signal)];
    Promise.all(running).catch((error: unknown) => {
      this.failure = error;
    });
  }

  /** Has it give its keys away, and end; that takes some seconds of the world. */
  leave(): void {
    this.#stop.abort();
  }

  /** Ends it between two steps of the machine. */
  kill(): void {
    this.process.kill();
    this.#watch.forget(this);
  }
}
