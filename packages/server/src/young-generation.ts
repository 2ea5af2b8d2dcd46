/**
 * How large V8's young generation may grow. By itself it grows to the bound of the command line in
 * any burst; a burst does with less, and memory is worth more. But where many wait at once, as
 * events do for the disk, a small one is collected while what they need is still needed: that is
 * copied twice, and then kept as if it were old.
 *
 * I1. What it may not have any more it gives back: V8 makes it small again at a collection when
 *     there is little to do.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** What is asked of V8. */
export interface YoungHeap {
  /** Bytes that it takes until it is collected. */
  capacityBytes(): number;
  /** By which factor it grows when much of it survives; 1: it does not. */
  setGrowth(factor: 1 | 2): void;
  /** Calls back after each collection, until the returned function is called. */
  onCollection(listener: () => void): () => void;
}

/** What it is held at: less promotes what is short-lived (decision 007). */
const heldBytes = 4 * 1024 * 1024;

export class YoungGeneration implements Disposable {
  readonly #heap: YoungHeap;
  #growth: 1 | 2 = 2;
  #stop: (() => void) | undefined;

  constructor(heap: YoungHeap) {
    this.#heap = heap;
  }

  /** From now on it grows to 4 MB and no further. */
  hold(): void {
    this.#stop ??= this.#heap.onCollection(() => this.#look());
    this.#look();
  }

  /** It may grow to the bound that it has. */
  release(): void {
    this.#stop?.();
    this.#stop = undefined;
    this.#setGrowth(2);
  }

  [Symbol.dispose](): void {
    this.release();
  }

  #look(): void {
    // A part of each page is V8's own.
    this.#setGrowth(this.#heap.capacityBytes() > 0.9 * heldBytes ? 1 : 2);
  }

  #setGrowth(factor: 1 | 2): void {
    if (factor === this.#growth) return;
    this.#growth = factor;
    this.#heap.setGrowth(factor);
  }
}

/** That of this process. */
export const youngHeap: YoungHeap = {
  capacityBytes() {
    const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
    return young === undefined ? 0 : young.space_used_size + young.space_available_size;
  },
  setGrowth: (factor) => setFlagsFromString(`--semi-space-growth-factor=${factor}`),
  onCollection(listener) {
    const observer = new PerformanceObserver(listener);
    observer.observe({ entryTypes: ['gc'] });
    return () => observer.disconnect();
  },
};

/**
 * That of this process, when it was told how large it may grow (the first line of `fnlet.js`);
 * `undefined` for others.
 */
export function ownYoungGeneration(
  flags: readonly string[] = process.execArgv,
): YoungGeneration | undefined {
  const isBounded = flags.some((flag) => flag.startsWith('--max-semi-space-size='));
  return isBounded ? new YoungGeneration(youngHeap) : undefined;
}
