/**
 * Functions that wait for something outside of the cluster: a file, a socket, a process, a timer of
 * the machine. Such work goes on while the clock of a test stands still, so whoever settles waits
 * for it.
 *
 * I1. What is waited for is seen by the resources that keep Node alive: more of a kind than there
 *     were when the first of the functions that run now began. Without any, a function waits for
 *     the test itself, such as for its deadline, and nobody waits for it.
 */
import { sleep, systemClock } from '@fnlet/base';
import { limits } from './limits.ts';
import { TestClusterError } from './test-cluster-error.ts';

type Counts = ReadonlyMap<string, number>;

export class OutsideWork {
  #running = 0;
  #before: Counts = new Map();

  /** The same function, which is waited for while it runs. */
  track<A extends readonly unknown[], R>(work: (...args: A) => R): (...args: A) => R {
    return (...args) => {
      if (this.#running === 0) this.#before = activeResources();
      this.#running += 1;
      const end = (): void => {
        this.#running -= 1;
      };
      try {
        const result = work(...args);
        if (result instanceof Promise) void result.then(end, end);
        else end();
        return result;
      } catch (error) {
        end();
        throw error;
      }
    };
  }

  /**
   * Waits until none of the functions waits for something outside any more; whether one did.
   *
   * @throws TestClusterError `Unsettled` when that takes too long
   */
  async finish(): Promise<boolean> {
    const startMs = systemClock.monotonicMs();
    if (!this.#isWaiting()) return false;
    while (this.#isWaiting()) {
      if (systemClock.monotonicMs() - startMs > limits.outsideMsMax) throw neverEnds();
      await sleep(systemClock, limits.outsideLookMs);
    }
    return true;
  }

  // I1
  #isWaiting(): boolean {
    if (this.#running === 0) return false;
    return [...activeResources()].some(([kind, count]) => count > (this.#before.get(kind) ?? 0));
  }
}

function activeResources(): Counts {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

function neverEnds(): TestClusterError {
  const waited = `after ${limits.outsideMsMax / 1000} s`;
  const found = `found runs that wait for something outside of the cluster ${waited}`;
  return new TestClusterError('Unsettled', `Cannot settle: ${found}, expected none`, {
    remedy: 'Let what the function asks outside answer, or give its request a timeout',
  });
}
