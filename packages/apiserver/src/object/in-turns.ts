import { turnObjectsMax } from '../limits.ts';

/** The same items, with a pause now and then: whoever else waits for the thread gets it. */
export async function* inTurns<T>(items: Iterable<T>): AsyncGenerator<T, void, undefined> {
  let taken = 0;
  for (const item of items) {
    yield item;
    taken++;
    if (taken % turnObjectsMax === 0) await nextTurn();
  }
}

/** Resolves when everything that waits for the thread now has had it. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
