import type { FanOut, Reader } from './fan-out.ts';

type Next<T> = IteratorResult<readonly T[], undefined>;

/** Who is handed items as they come. */
export interface Follower<T> {
  /** All that wait; false when the next are to wait for `resume`. It must not throw. */
  take(items: readonly T[]): boolean;
  /** There is nothing more; called once. */
  end(): void;
}

/**
 * The live events of one watch on their way to its reader, who takes all that wait at once. Most
 * watches wait for hours: one that is read by `next` holds a single promise, one that is followed
 * none.
 *
 * I1. At most `max` items wait; `push` on a full queue takes nothing and returns false.
 * I2. Items come out in the order they went in; after `end` the rest is still handed out.
 * I3. Who waits is woken by the fan-out when items come, and by `end` at once.
 */
export class EventQueue<T> implements Reader {
  readonly #max: number;
  #fanOut: FanOut;
  #items: T[] = [];
  #hasEnded = false;
  #resolve: ((next: Next<T>) => void) | undefined;
  #follower: Follower<T> | undefined;
  #isHeld = false;
  #isCalled = false;

  constructor(max: number, fanOut: FanOut) {
    this.#max = max;
    this.#fanOut = fanOut;
  }

  push(item: T): boolean {
    if (this.#hasEnded || this.#items.length >= this.#max) return false;
    this.#items.push(item);
    const isAwaited =
      this.#resolve !== undefined || (this.#follower !== undefined && !this.#isHeld);
    if (isAwaited && !this.#isCalled) {
      this.#isCalled = true;
      this.#fanOut.add(this);
    }
    return true;
  }

  /** Nothing more comes: but for `last`, when it is given, and then in place of all that waits. */
  end(last?: T): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (last !== undefined) this.#items = [last];
    this.#settle();
  }

  wake(): void {
    this.#isCalled = false;
    this.#settle();
  }

  /** What waits, or what comes next; one caller at a time. */
  next(): Promise<Next<T>> {
    if (this.#items.length > 0 || this.#hasEnded) return Promise.resolve(this.#take());
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Hands over what waits, and from now on what comes, when `fanOut` says so: not by `next`. */
  follow(follower: Follower<T>, fanOut: FanOut): void {
    this.#follower = follower;
    this.#fanOut = fanOut;
    this.#handOver();
  }

  /** The follower takes items again. */
  resume(): void {
    this.#isHeld = false;
    this.#handOver();
  }

  #handOver(): void {
    const follower = this.#follower;
    if (follower === undefined || this.#isHeld) return;
    const items = this.#items;
    if (items.length > 0) {
      this.#items = [];
      this.#isHeld = !follower.take(items);
    }
    if (!this.#hasEnded || this.#isHeld) return;
    this.#follower = undefined;
    follower.end();
  }

  #settle(): void {
    this.#handOver();
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.(this.#take());
  }

  #take(): Next<T> {
    const value = this.#items;
    if (value.length === 0) return { value: undefined, done: true };
    this.#items = [];
    return { value, done: false };
  }
}
