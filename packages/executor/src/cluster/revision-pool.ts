import type { Obstacle } from '../executor.ts';
import type { OnObstacle, Runner, RunnerOrder } from '../runner.ts';
import type { PodRunner } from './pod-runner.ts';

interface Waiting {
  readonly rank: number;
  readonly deliver: (runner: Runner) => void;
  readonly onObstacle: OnObstacle;
}

/**
 * The Pods of one Revision that a Deployment of its own keeps, and who waits for one.
 *
 * I1. Nobody waits while a Pod is idle.
 * I2. The Deployment is never smaller than what serves: a Pod leaves it only after it was told to
 *     end, or another one might go in its place.
 */
export class RevisionPool {
  readonly #onSize: () => void;
  readonly #idle = new Set<PodRunner>();
  /** Given to an Instance, and not told to end. */
  readonly #held = new Set<PodRunner>();
  readonly #waiting = new Set<Waiting>();
  #obstacle: Obstacle | undefined;
  #wanted = 0;
  #surge = 0;
  #closed = false;

  /** @param onSize the Deployment is to have another size now */
  constructor(onSize: () => void) {
    this.#onSize = onSize;
  }

  /** So many Pods the Deployment is to have. */
  get size(): number {
    return Math.max(this.#wanted, this.#held.size - this.#surge);
  }

  /**
   * So many Instances are wanted.
   *
   * @param surge how many more there are while the Deployment replaces its Pods: it makes these by
   *   itself
   */
  want(count: number, surge: number): void {
    this.#resize(() => {
      this.#wanted = count;
      this.#surge = surge;
    });
  }

  /** A Pod is there, without code. */
  add(runner: PodRunner): void {
    this.#idle.add(runner);
    this.#serve();
    if (this.#idle.has(runner)) runner.rehearse();
  }

  /** A Pod serves already, and is taken over. */
  hold(runner: PodRunner): void {
    this.#resize(() => this.#held.add(runner));
  }

  /** Why no Pod comes; `undefined`: nothing stands in the way. */
  obstruct(obstacle: Obstacle | undefined): void {
    this.#obstacle = obstacle;
    for (const { onObstacle } of [...this.#waiting]) onObstacle(obstacle);
  }

  has(runner: PodRunner): boolean {
    return this.#idle.has(runner);
  }

  /** A Pod was told to end: whoever ends it brings the Deployment to its size first. */
  release(runner: PodRunner): void {
    this.#idle.delete(runner);
    this.#held.delete(runner);
  }

  /** A Pod is gone. */
  remove(runner: PodRunner): void {
    this.#resize(() => this.release(runner));
  }

  /** Orders one; returns the way to cancel that. */
  take(
    { rank }: Pick<RunnerOrder, 'rank'>,
    deliver: (runner: Runner) => void,
    onObstacle: OnObstacle,
  ): () => void {
    const order = { rank, deliver, onObstacle };
    this.#waiting.add(order);
    this.#serve();
    if (this.#waiting.has(order)) onObstacle(this.#obstacle);
    return () => this.#waiting.delete(order);
  }

  /** Gives none away any more. */
  close(): void {
    this.#closed = true;
    this.#waiting.clear();
  }

  #resize(change: () => void): void {
    const before = this.size;
    change();
    if (this.size !== before) this.#onSize();
  }

  #serve(): void {
    if (this.#closed) return;
    const orders = [...this.#waiting].sort((one, other) => one.rank - other.rank);
    for (const runner of this.#idle) {
      const order = orders.shift();
      if (order === undefined) return;
      this.#idle.delete(runner);
      this.#waiting.delete(order);
      this.#resize(() => this.#held.add(runner));
      order.deliver(runner);
    }
  }
}
