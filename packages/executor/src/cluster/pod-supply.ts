/**
 * Runners that are Pods: warm ones of pools that Deployments keep full, and those that an earlier
 * owner has left behind.
 *
 * I1. A Pod is given code once; whatever becomes of it then, it never joins a pool again.
 * I2. A Pod that serves a Revision is taken over by the next Instance that is wanted of it, which
 *     waits for Pods that the API shows and that have not connected yet. One that nobody takes over
 *     ends after `orphanMs`.
 */
import type { Clock, Timer } from '@fnlet/base';
import type { LoadFailure, PodHello, PodInstance } from '@fnlet/invocation';
import type { PoolBounds } from '../pool-size.ts';
import type { Runner, RunnerOrder, RunnerSupply } from '../runner.ts';
import { clusterLimits } from './limits.ts';
import type { PodIdentity } from './pod-identity.ts';
import { PodPool } from './pod-pool.ts';
import { type PodCare, PodRunner } from './pod-runner.ts';
import type { RunnerConnection } from './runner-connection.ts';

/** A pool as others keep it full. */
export interface PoolSize {
  readonly namespace: string;
  readonly runtime: string;
  readonly replicas: number;
}

export interface PodSupplyOptions {
  readonly care: PodCare;
  /** Runtimes that Pods are made for. */
  readonly runtimes: ReadonlySet<string>;
  readonly bounds: PoolBounds;
  /** So many Pods of this pool are wanted now. */
  readonly onPoolSize: (size: PoolSize) => void;
  /** The uids of Pods that the API shows as Instances of this Revision. */
  readonly podsOf: (revision: string) => readonly string[];
  readonly clock: Clock;
}

/** Somebody who waits for a Pod that was there before this owner. */
interface Reunion {
  readonly order: RunnerOrder;
  readonly deliver: (result: Runner | LoadFailure) => void;
  readonly timer: Timer;
  cancel: () => void;
}

export class PodSupply implements RunnerSupply {
  readonly #options: PodSupplyOptions;
  readonly #pools = new Map<string, PodPool>();
  /** All that live, by the uid of their Pod. */
  readonly #runners = new Map<string, PodRunner>();
  /** Which serve a Revision that nobody here has asked for yet. */
  readonly #orphans = new Map<PodRunner, { readonly revision: string; readonly timer: Timer }>();
  readonly #reunions = new Set<Reunion>();

  constructor(options: PodSupplyOptions) {
    this.#options = options;
  }

  take(order: RunnerOrder, deliver: (result: Runner | LoadFailure) => void): () => void {
    const [orphan] = [...this.#orphans].find(([, at]) => at.revision === order.revision) ?? [];
    if (orphan !== undefined) {
      this.#adopt(orphan);
      deliver(orphan);
      return () => {};
    }
    return this.#awaitReunion(order, deliver) ?? this.#takeWarm(order, deliver);
  }

  #takeWarm(order: RunnerOrder, deliver: (result: Runner | LoadFailure) => void): () => void {
    const { namespace, runtime, mounts = [] } = order;
    if (mounts.length > 0) {
      const paths = mounts.map(({ path }) => `"${path}"`).join(', ');
      const found = `Cannot mount ${paths} in a Pod of a pool, which runs already`;
      const expected = 'a function without spec.mounts and spec.serviceAccountName';
      deliver({ code: 'LoadError', message: `${found}, expected ${expected}` });
      return () => {};
    }
    if (this.#options.runtimes.has(runtime)) {
      return this.#poolOf(namespace, runtime).take(order, deliver);
    }
    const message = `Cannot run runtime "${runtime}": no Pods are made for it, expected one that is`;
    deliver({ code: 'LoadError', message });
    return () => {};
  }

  /** Waits for a Pod that is to come back, if there is one that nobody waits for yet. */
  #awaitReunion(
    order: RunnerOrder,
    deliver: (result: Runner | LoadFailure) => void,
  ): (() => void) | undefined {
    const { podsOf, clock } = this.#options;
    const unseen = podsOf(order.revision).filter((uid) => !this.#runners.has(uid)).length;
    const awaited = [...this.#reunions].filter((one) => one.order.revision === order.revision);
    if (unseen <= awaited.length) return undefined;
    const timer = clock.after(clusterLimits.reunionMs, () => {
      this.#reunions.delete(reunion);
      reunion.cancel = this.#takeWarm(order, deliver);
    });
    const reunion: Reunion = {
      ...{ order, deliver, timer },
      cancel: () => {
        timer.cancel();
        this.#reunions.delete(reunion);
      },
    };
    this.#reunions.add(reunion);
    return () => reunion.cancel();
  }

  /** A Runner has connected; see RunnerFront. */
  onRunner(connection: RunnerConnection, hello: PodHello): void {
    const { pod } = connection;
    const known = this.#runners.get(pod.uid);
    if (known !== undefined) {
      known.reconnected(connection, hello.state);
      // I1: its file system has seen the code of somebody.
      if (hello.state.phase === 'warm' && !this.#isIdle(known)) this.#lose(known, pod);
      return;
    }
    const runner = new PodRunner(connection, hello.state, this.#options.care);
    this.#runners.set(pod.uid, runner);
    const { state, runtime } = hello;
    if (state.phase === 'warm') this.#poolOf(pod.namespace, runtime).add(runner);
    else if (state.phase === 'ready') this.#keepOrphan(runner, state.instance);
    else this.#options.care.end(pod, 0);
  }

  /** A Pod is gone. */
  onGone(uid: string): void {
    const runner = this.#runners.get(uid);
    if (runner === undefined) return;
    this.#forget(runner);
    runner.ended({ code: null, signal: null });
  }

  /** The API counts this Pod no more among those of its pool. */
  onClaimed(uid: string): void {
    const runner = this.#runners.get(uid);
    if (runner === undefined) return;
    for (const pool of this.#pools.values()) pool.remove(runner);
  }

  async close(): Promise<void> {
    for (const pool of this.#pools.values()) pool.close();
    for (const { timer } of this.#orphans.values()) timer.cancel();
    for (const { timer } of this.#reunions) timer.cancel();
  }

  #poolOf(namespace: string, runtime: string): PodPool {
    const key = `${namespace}/${runtime}`;
    const known = this.#pools.get(key);
    if (known !== undefined) return known;
    const { bounds, clock, onPoolSize } = this.#options;
    const onSize = (replicas: number): void => onPoolSize({ namespace, runtime, replicas });
    const pool = new PodPool({ bounds, clock, onSize });
    this.#pools.set(key, pool);
    return pool;
  }

  #isIdle(runner: PodRunner): boolean {
    for (const pool of this.#pools.values()) if (pool.has(runner)) return true;
    return false;
  }

  #keepOrphan(runner: PodRunner, { namespace, revision: name }: PodInstance): void {
    const revision = `${namespace}/${name}`;
    const reunion = [...this.#reunions].find(({ order }) => order.revision === revision);
    if (reunion !== undefined) {
      reunion.cancel();
      reunion.deliver(runner);
      return;
    }
    const timer = this.#options.clock.after(clusterLimits.orphanMs, () => {
      this.#orphans.delete(runner);
      runner.drain();
    });
    this.#orphans.set(runner, { revision, timer });
  }

  #adopt(runner: PodRunner): void {
    this.#orphans.get(runner)?.timer.cancel();
    this.#orphans.delete(runner);
  }

  #lose(runner: PodRunner, pod: PodIdentity): void {
    this.#forget(runner);
    this.#options.care.end(pod, 0);
  }

  #forget(runner: PodRunner): void {
    this.#runners.delete(runner.pod.uid);
    this.#adopt(runner);
    for (const pool of this.#pools.values()) pool.remove(runner);
  }
}
