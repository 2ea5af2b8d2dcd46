/**
 * Runners that are Pods: warm ones of pools that Deployments keep full, those of Revisions with a
 * Deployment of their own, and those that an earlier owner has left behind.
 *
 * I1. A Pod of a pool is given code once; whatever becomes of it then, it never joins a pool again.
 *     One of a Revision's own may begin anew, for there is one code that it ever has.
 * I2. A Pod that serves a Revision is taken over by the next Instance that is wanted of it, which
 *     waits for Pods that the API shows and that have not connected yet. One that nobody takes over
 *     ends after `orphanMs`.
 * I3. What a Pod without code is for, and where it is called, is what the API shows, and nothing
 *     that it says itself: user code may speak for it. Until then nobody gets it.
 * I4. A Pod that somebody has told to end gets no code and no calls any more.
 */
import type { Clock, Timer } from '@fnlet/base';
import type { LoadFailure, PodHello, PodInstance } from '@fnlet/invocation';
import type { Obstacle } from '../executor.ts';
import type { PoolBounds } from '../pool-size.ts';
import type { OnObstacle, Runner, RunnerExit, RunnerOrder, RunnerSupply } from '../runner.ts';
import { clusterLimits } from './limits.ts';
import { isOwnPool, type PoolSize } from './plan-pool.ts';
import type { PodIdentity } from './pod-identity.ts';
import { PodPool } from './pod-pool.ts';
import { type PodCare, PodRunner } from './pod-runner.ts';
import { RevisionPool } from './revision-pool.ts';
import type { RunnerConnection } from './runner-connection.ts';

export interface PodSupplyOptions {
  readonly care: Omit<PodCare, 'disconnected'>;
  /** Runtimes that Pods are made for. */
  readonly runtimes: ReadonlySet<string>;
  readonly bounds: PoolBounds;
  /** So many Pods of this pool are wanted now. */
  readonly onPoolSize: (size: PoolSize) => void;
  /** Whether a Revision has Pods of its own. */
  readonly isOwn: (revision: string) => boolean;
  /** The pool that a Revision alone, and those like it, take Pods of. Default: its runtime's. */
  readonly ownPoolOf: (revision: string) => string | undefined;
  /** The Deployment of this Revision is to have another size. */
  readonly onOwnSize: (revision: string) => void;
  /** What a Pod is for; `undefined`: the API has not shown it yet. */
  readonly placeOf: (pod: PodIdentity) => PodPlace | undefined;
  /** Pods that the API shows as Instances of this Revision. */
  readonly podsOf: (revision: string) => readonly ShownPod[];
  /** How the process of a Pod has ended; `undefined`: it runs, as far as the API shows. */
  readonly exitOf: (pod: PodIdentity) => RunnerExit | undefined;
  readonly clock: Clock;
}

/** What the API shows a Pod to be for. */
export type PodPlace =
  /** It waits in the pool of a runtime, or of one function. */
  | { readonly kind: 'pool'; readonly pool: string }
  /** It belongs to the Deployment of this Revision. */
  | { readonly kind: 'own'; readonly revision: string }
  /** It is an Instance, or something else by now. */
  | { readonly kind: 'other' }
  /** It was told to end. */
  | { readonly kind: 'leaving' };

/** A Pod that the API shows as an Instance. */
export interface ShownPod {
  readonly uid: string;
  /** Whether its kubelet says that it serves. */
  readonly isReady: boolean;
}

/** Somebody who needs a Runner. */
interface Customer {
  readonly order: RunnerOrder;
  readonly deliver: (result: Runner | LoadFailure) => void;
  readonly onObstacle: OnObstacle;
}

/** Somebody who waits: for a Pod that was there before this owner, or for any. */
interface Waiting extends Customer {
  cancel: () => void;
}

interface Reunion extends Waiting {
  readonly timer: Timer;
  /** Takes any Pod from now on. */
  readonly giveUp: () => void;
  cancel: () => void;
}

export class PodSupply implements RunnerSupply {
  readonly #options: PodSupplyOptions;
  readonly #care: PodCare;
  readonly #pools = new Map<string, PodPool>();
  /** Of Revisions with a Deployment of their own, by their ids. */
  readonly #own = new Map<string, RevisionPool>();
  /** The pool of each Runner of these. */
  readonly #homes = new Map<PodRunner, RevisionPool>();
  /** Connections of Pods that the API has not shown with an address yet, by the uid of the Pod. */
  readonly #unplaced = new Map<string, readonly [RunnerConnection, PodHello]>();
  /** All that live, by the uid of their Pod. */
  readonly #runners = new Map<string, PodRunner>();
  /** Which serve a Revision that nobody here has asked for yet. */
  readonly #orphans = new Map<PodRunner, { readonly revision: string; readonly timer: Timer }>();
  readonly #reunions = new Set<Reunion>();
  /** Who waits for any Pod. */
  readonly #waiting = new Set<Waiting>();
  /** Pods that were told to end, by their uids, until they are gone. */
  readonly #ending = new Set<string>();

  constructor(options: PodSupplyOptions) {
    this.#options = options;
    this.#care = {
      ...options.care,
      disconnected: ({ uid }) => this.#lookAfter(uid),
      end: (pod, graceMs) => {
        this.#ending.add(pod.uid);
        const runner = this.#runners.get(pod.uid);
        if (runner !== undefined) this.#homes.get(runner)?.release(runner);
        options.care.end(pod, graceMs);
      },
    };
  }

  /** So many Instances of a Revision with Pods of its own are wanted; see RevisionPool. */
  want(revision: string, count: number, surge: number): void {
    this.#ownPool(revision).want(count, surge);
  }

  /** The size that the Deployment of a Revision is to have; `undefined`: nobody has said it yet. */
  ownSize(revision: string): number | undefined {
    return this.#own.get(revision)?.size;
  }

  /** The Revision is gone, and its Deployment with it. */
  forgetOwn(revision: string): void {
    this.#own.get(revision)?.close();
    this.#own.delete(revision);
  }

  take(
    order: RunnerOrder,
    deliver: (result: Runner | LoadFailure) => void,
    onObstacle: OnObstacle,
  ): () => void {
    const [orphan] = [...this.#orphans].find(([, at]) => at.revision === order.revision) ?? [];
    if (orphan !== undefined) {
      this.#adopt(orphan);
      deliver(orphan);
      return () => {};
    }
    const customer = { order, deliver, onObstacle };
    return this.#awaitReunion(customer) ?? this.#takeWarm(customer);
  }

  /** Why no more Pods come of a Revision's own Deployment; `undefined`: nothing is in the way. */
  obstructOwn(revision: string, obstacle: Obstacle | undefined): void {
    this.#own.get(revision)?.obstruct(obstacle);
  }

  /** Why no more Pods come of a pool; `undefined`: nothing is in the way. */
  obstructPool(
    { namespace, pool }: Pick<PoolSize, 'namespace' | 'pool'>,
    obstacle: Obstacle | undefined,
  ): void {
    this.#pools.get(`${namespace}/${pool}`)?.obstruct(obstacle);
  }

  /**
   * The namespace of a pool is gone, and its Pods with it: another of its name has another pool.
   *
   * @returns false where somebody waits for the pool
   */
  forgetPool({ namespace, pool }: Pick<PoolSize, 'namespace' | 'pool'>): boolean {
    const key = `${namespace}/${pool}`;
    const known = this.#pools.get(key);
    if (known?.isWaitedFor === true) return false;
    known?.close();
    this.#pools.delete(key);
    return true;
  }

  /**
   * What a pool of one function is used for.
   *
   * @param use `now`: a Revision of it is awake, and one Pod more waits for the next; `later`: its
   *   Pods stay for a while; `never`: the function has others now
   */
  keepOwnPool(namespace: string, pool: string, use: 'now' | 'later' | 'never'): void {
    const known = this.#pools.get(`${namespace}/${pool}`);
    if (use === 'never') known?.retire();
    else if (use === 'now') this.#poolOf(namespace, pool).keep(1);
    else known?.keep(0);
  }

  /** Whether a Pod has connected, and has not ended since. */
  isConnected(uid: string): boolean {
    return this.#runners.has(uid) || this.#unplaced.has(uid);
  }

  #takeWarm({ order, deliver, onObstacle }: Customer): () => void {
    const { namespace, revision, runtime } = order;
    if (this.#options.runtimes.has(runtime)) {
      const { isOwn, ownPoolOf } = this.#options;
      const pool = isOwn(revision)
        ? this.#ownPool(revision)
        : this.#poolOf(namespace, ownPoolOf(revision) ?? runtime);
      const waiting: Waiting = { order, deliver, onObstacle, cancel() {} };
      this.#waiting.add(waiting);
      const taken = (runner: Runner): void => {
        this.#waiting.delete(waiting);
        deliver(runner);
      };
      const cancel = pool.take(order, taken, onObstacle);
      waiting.cancel = () => {
        this.#waiting.delete(waiting);
        cancel();
      };
      return waiting.cancel;
    }
    const message = `Cannot run runtime "${runtime}": no Pods are made for it, expected one that is`;
    deliver({ code: 'LoadError', message });
    return () => {};
  }

  /** Waits for a Pod that is to come back, if there is one that nobody waits for yet. */
  #awaitReunion(customer: Customer): (() => void) | undefined {
    const { revision } = customer.order;
    const { clock } = this.#options;
    const unseen = this.#unseen(revision);
    const awaited = this.#awaited(revision);
    if (unseen.length <= awaited.length) return undefined;
    const { reunionMs, readyReunionMs } = clusterLimits;
    const serve = unseen.filter(({ isReady }) => isReady).length;
    const waitsMs = serve > awaited.length ? readyReunionMs : reunionMs;
    const timer = clock.after(waitsMs, () => reunion.giveUp());
    const reunion: Reunion = {
      ...customer,
      timer,
      giveUp: () => {
        timer.cancel();
        this.#reunions.delete(reunion);
        reunion.cancel = this.#takeWarm(customer);
      },
      cancel: () => {
        timer.cancel();
        this.#reunions.delete(reunion);
      },
    };
    this.#reunions.add(reunion);
    return () => reunion.cancel();
  }

  /** Pods that are to come back. */
  #unseen(revision: string): readonly ShownPod[] {
    const pods = this.#options.podsOf(revision);
    return pods.filter(({ uid }) => !this.#runners.has(uid) && !this.#ending.has(uid));
  }

  #awaited(revision: string): readonly Reunion[] {
    return [...this.#reunions].filter(({ order }) => order.revision === revision);
  }

  /** I2: a Pod that has ended, or has come without its code, is not one that comes back. */
  #reviewReunions(): void {
    for (const revision of new Set([...this.#reunions].map(({ order }) => order.revision))) {
      const awaited = this.#awaited(revision);
      for (const reunion of awaited.slice(this.#unseen(revision).length)) reunion.giveUp();
    }
  }

  /** A Runner has connected; see RunnerFront. */
  onRunner(connection: RunnerConnection, hello: PodHello): void {
    this.#onConnected(connection, hello);
    this.#reviewReunions();
  }

  #onConnected(connection: RunnerConnection, hello: PodHello): void {
    const { pod } = connection;
    const known = this.#runners.get(pod.uid);
    if (known === undefined) {
      this.#onNew(connection, hello);
      return;
    }
    known.reconnected(connection, hello.state);
    if (hello.state.phase !== 'warm' || this.#isIdle(known)) return;
    // I4
    const home = this.#ending.has(pod.uid) ? undefined : this.#homes.get(known);
    this.#forget(known);
    if (home !== undefined) home.add(this.#settle(connection, hello, home));
    // I1: its file system has seen the code of somebody.
    else this.#care.end(pod, 0);
  }

  /** The API shows this Pod now. */
  onShown(uid: string): void {
    const waiting = this.#unplaced.get(uid);
    if (waiting === undefined) this.#lookAfter(uid);
    else {
      this.#unplaced.delete(uid);
      this.#onNew(...waiting);
    }
    this.#reviewReunions();
  }

  /**
   * A process that has ended connects no more, and its kubelet may wait for minutes before it is
   * started anew. Only the API can tell that from a connection that was lost.
   */
  #lookAfter(uid: string): void {
    const runner = this.#runners.get(uid);
    if (runner === undefined || runner.isConnected) return;
    const exit = this.#options.exitOf(runner.pod);
    if (exit === undefined) return;
    const isOwn = this.#homes.has(runner);
    this.#forget(runner);
    runner.ended(exit);
    // I1
    if (!isOwn) this.#care.end(runner.pod, 0);
  }

  /**
   * Somebody has told this Pod to end, be it this owner.
   *
   * @returns the Revision that has lost an Instance by that
   */
  onLeaving(uid: string): string | undefined {
    this.#unplaced.delete(uid);
    if (this.#ending.has(uid)) return undefined;
    this.#ending.add(uid);
    this.#reviewReunions();
    const runner = this.#runners.get(uid);
    if (runner === undefined) return undefined;
    this.#adopt(runner);
    // Whoever makes Pods does not count it any more.
    this.#homes.get(runner)?.release(runner);
    for (const pool of this.#pools.values()) pool.remove(runner);
    runner.leave();
    return runner.revision;
  }

  #onNew(connection: RunnerConnection, hello: PodHello): void {
    const { pod } = connection;
    const { state, runtime } = hello;
    const place = this.#options.placeOf(pod);
    // I4
    if (place?.kind === 'leaving' || this.#ending.has(pod.uid)) return;
    // Where it is called is what the API shows, too: it may have connected by way of somebody else.
    if (place === undefined || this.#care.hostOf(pod) === undefined) {
      this.#unplaced.set(pod.uid, [connection, hello]);
      return;
    }
    const home = place.kind === 'own' ? this.#ownPool(place.revision) : undefined;
    const runner = this.#settle(connection, hello, home);
    if (state.phase === 'ready') this.#keepOrphan(runner, state.instance);
    else if (state.phase === 'warm' && home !== undefined) home.add(runner);
    else if (state.phase === 'warm' && place.kind === 'pool' && fits(place.pool, runtime)) {
      this.#poolOf(pod.namespace, place.pool).add(runner);
    } else this.#care.end(pod, 0);
  }

  #settle(
    connection: RunnerConnection,
    { state }: PodHello,
    home: RevisionPool | undefined,
  ): PodRunner {
    const runner = new PodRunner(connection, state, this.#care);
    this.#runners.set(runner.pod.uid, runner);
    if (home !== undefined) this.#homes.set(runner, home);
    if (home !== undefined && state.phase !== 'warm') home.hold(runner);
    return runner;
  }

  /** A Pod is gone. */
  onGone(uid: string): void {
    this.#unplaced.delete(uid);
    this.#ending.delete(uid);
    const runner = this.#runners.get(uid);
    if (runner !== undefined) {
      this.#forget(runner);
      runner.ended({ code: null, signal: null });
    }
    this.#reviewReunions();
  }

  /** The API counts this Pod no more among those of its pool. */
  onClaimed(uid: string): void {
    const runner = this.#runners.get(uid);
    if (runner === undefined) return;
    for (const pool of this.#pools.values()) pool.remove(runner);
  }

  async close(): Promise<void> {
    for (const pool of [...this.#pools.values(), ...this.#own.values()]) pool.close();
    for (const { timer } of this.#orphans.values()) timer.cancel();
    for (const { timer } of this.#reunions) timer.cancel();
  }

  #poolOf(namespace: string, pool: string): PodPool {
    const key = `${namespace}/${pool}`;
    const known = this.#pools.get(key);
    if (known !== undefined) return known;
    const { clock, onPoolSize } = this.#options;
    const { max } = this.#options.bounds;
    const bounds = isOwnPool(pool)
      ? { min: 0, max, lookbackMs: clusterLimits.developmentMs }
      : this.#options.bounds;
    const onSize = (replicas: number, isPressing: boolean): void =>
      onPoolSize({ namespace, pool, replicas, isPressing });
    const made = new PodPool({ bounds, clock, onSize });
    this.#pools.set(key, made);
    return made;
  }

  #ownPool(revision: string): RevisionPool {
    const known = this.#own.get(revision);
    if (known !== undefined) return known;
    const pool = new RevisionPool(() => this.#options.onOwnSize(revision));
    this.#own.set(revision, pool);
    return pool;
  }

  #isIdle(runner: PodRunner): boolean {
    if (this.#homes.get(runner)?.has(runner) === true) return true;
    for (const pool of this.#pools.values()) if (pool.has(runner)) return true;
    return false;
  }

  #keepOrphan(runner: PodRunner, { namespace, revision: name }: PodInstance): void {
    const revision = `${namespace}/${name}`;
    const all = [...this.#reunions, ...this.#waiting];
    const waiting = all.find(({ order }) => order.revision === revision);
    if (waiting !== undefined) {
      waiting.cancel();
      waiting.deliver(runner);
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

  #forget(runner: PodRunner): void {
    this.#runners.delete(runner.pod.uid);
    this.#adopt(runner);
    this.#homes.get(runner)?.remove(runner);
    this.#homes.delete(runner);
    for (const pool of this.#pools.values()) pool.remove(runner);
  }
}

/** Whether a Pod that says that it has this runtime may be one of the pool. */
function fits(pool: string, runtime: string): boolean {
  return isOwnPool(pool) || pool === runtime;
}
