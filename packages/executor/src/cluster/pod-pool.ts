import type { Clock, Timer } from '@fnlet/base';
import type { Obstacle } from '../executor.ts';
import { limits } from '../limits.ts';
import { decidePoolSize, type PoolBounds } from '../pool-size.ts';
import type { OnObstacle, Runner, RunnerOrder } from '../runner.ts';
import type { PodRunner } from './pod-runner.ts';

interface Waiting {
  readonly rank: number;
  readonly deliver: (runner: Runner) => void;
  readonly onObstacle: OnObstacle;
}

export interface PodPoolOptions {
  readonly bounds: PoolBounds;
  readonly clock: Clock;
  /** So many Pods of the pool are wanted now; pressing while somebody waits for one. */
  readonly onSize: (replicas: number, isPressing: boolean) => void;
}

/**
 * The warm Pods of one runtime in one namespace, and who waits for one. Pods that were given code
 * do not belong to it any more.
 *
 * I1. Nobody waits while a Pod is idle.
 */
export class PodPool {
  readonly #options: PodPoolOptions;
  readonly #idle = new Set<PodRunner>();
  readonly #waiting = new Set<Waiting>();
  #obstacle: Obstacle | undefined;
  /** Given away, while the API still counts them among the Pods of the pool. */
  readonly #leaving = new Set<PodRunner>();
  readonly #takes: number[] = [];
  #size = -1;
  /** At least so many wait without code. */
  #least = 0;
  #shrink: Timer | undefined;
  #closed = false;

  constructor(options: PodPoolOptions) {
    this.#options = options;
    this.resize();
  }

  /** A Pod is there, without code. */
  add(runner: PodRunner): void {
    this.#idle.add(runner);
    this.#serve();
    if (this.#idle.has(runner)) runner.rehearse();
  }

  /** Why no Pod comes; `undefined`: nothing stands in the way. */
  obstruct(obstacle: Obstacle | undefined): void {
    this.#obstacle = obstacle;
    for (const { onObstacle } of [...this.#waiting]) onObstacle(obstacle);
  }

  has(runner: PodRunner): boolean {
    return this.#idle.has(runner);
  }

  /** Whether somebody waits for a Pod of it. */
  get isWaitedFor(): boolean {
    return this.#waiting.size > 0;
  }

  /** A Pod has ended, or the API counts it no more. */
  remove(runner: PodRunner): void {
    this.#idle.delete(runner);
    if (this.#leaving.delete(runner)) this.resize();
  }

  /** Orders one; returns the way to cancel that. */
  take(
    { rank }: Pick<RunnerOrder, 'rank'>,
    deliver: (runner: Runner) => void,
    onObstacle: OnObstacle,
  ): () => void {
    this.#takes.push(this.#options.clock.now());
    if (this.#takes.length > limits.takesMax) this.#takes.shift();
    const order = { rank, deliver, onObstacle };
    this.#waiting.add(order);
    this.#serve();
    this.resize();
    if (this.#waiting.has(order)) onObstacle(this.#obstacle);
    return () => {
      if (this.#waiting.delete(order)) this.resize();
    };
  }

  /** So many are to wait at least, until something else is said. */
  keep(least: number): void {
    this.#least = least;
    this.resize();
  }

  /** None is taken any more: those that wait are given up. */
  retire(): void {
    this.#takes.length = 0;
    this.keep(0);
  }

  /** Holds as many as it holds, and gives none away any more. */
  close(): void {
    this.#closed = true;
    this.#shrink?.cancel();
    this.#waiting.clear();
  }

  /**
   * As many as the largest burst of the last minutes took, and one for each that waits; those that
   * leave still have a place each, or it is them that a smaller pool might cost.
   */
  resize(): void {
    if (this.#closed) return;
    const { clock, bounds, onSize } = this.#options;
    const now = clock.now();
    const min = Math.max(bounds.min, this.#least);
    const { size, changesAtMs } = decidePoolSize(this.#takes, now, { ...bounds, min });
    this.#shrink?.cancel();
    this.#shrink =
      changesAtMs === undefined
        ? undefined
        : clock.after(changesAtMs - now + 1, () => this.resize());
    const wanted = size + this.#waiting.size + this.#leaving.size;
    if (wanted === this.#size) return;
    this.#size = wanted;
    onSize(wanted, this.#waiting.size > 0);
  }

  #serve(): void {
    if (this.#closed) return;
    const orders = [...this.#waiting].sort((one, other) => one.rank - other.rank);
    for (const runner of this.#idle) {
      const order = orders.shift();
      if (order === undefined) return;
      this.#idle.delete(runner);
      this.#waiting.delete(order);
      this.#leaving.add(runner);
      order.deliver(runner);
    }
  }
}
