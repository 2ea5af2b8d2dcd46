import { turnObjectsMax } from './limits.ts';

/** The same items, with a pause now and then: whoever else waits for the thread gets it. */
export async function* inTurns<T>(items: Iterable<T>): AsyncGenerator<T, void, undefined> {
  let taken = 0;
  for (const item of items) {
    yield item;
    taken++;
    if (taken % turnObjectsMax === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}
