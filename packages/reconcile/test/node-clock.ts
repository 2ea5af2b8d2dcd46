import type { Clock, Timer } from '@fnlet/base';

/**
 * The clock of one simulated machine: it starts anywhere, runs a little faster or slower than the
 * world, and while its process is paused nothing that it waits for happens.
 */
export class NodeClock implements Clock {
  readonly #world: Clock;
  readonly #rate: number;
  readonly #offsetMs: number;
  #held: (() => void)[] | undefined;

  constructor(world: Clock, rate: number, offsetMs: number) {
    this.#world = world;
    this.#rate = rate;
    this.#offsetMs = offsetMs;
  }

  get isPaused(): boolean {
    return this.#held !== undefined;
  }

  now(): number {
    return this.monotonicMs();
  }

  monotonicMs(): number {
    return this.#offsetMs + this.#world.monotonicMs() * this.#rate;
  }

  after(delayMs: number, callback: () => void): Timer {
    let isCancelled = false;
    const run = (): void => {
      if (!isCancelled) callback();
    };
    const timer = this.#world.after(delayMs / this.#rate, () => this.whenAwake(run));
    return {
      cancel() {
        isCancelled = true;
        timer.cancel();
      },
    };
  }

  /** Calls now, or once the process is no longer paused. */
  whenAwake(callback: () => void): void {
    if (this.#held === undefined) callback();
    else this.#held.push(callback);
  }

  pause(): void {
    this.#held ??= [];
  }

  /** What was held comes in the order that `shuffle` gives it. */
  resume(shuffle: (callbacks: readonly (() => void)[]) => readonly (() => void)[]): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const callback of shuffle(held)) callback();
  }
}
