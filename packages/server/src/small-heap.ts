import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

declare global {
  interface ImportMeta {
    /**
     * Writes down what a bundle has compiled until now, for the next start of the same command.
     * Absent where sources run (packages/cli/bin/start-scripts.js).
     */
    readonly keepCompiledCode?: () => void;
  }
}

/**
 * From now on V8 prefers a small heap to a late collection: an idle Fnlet keeps what it needs, not
 * what a burst once took. Called when the start is over, which would be slower by a fifth. In an
 * operator it comes before caches are filled: what stays would make the young generation grow to
 * 48 MB (`npm run bench -- operator-memory`: 95 MB instead of 119, in the same time).
 *
 * Compiled code carries the flags that it was made under, and code made under others is refused at
 * the next start: so what the start has compiled is written down first.
 */
export function preferSmallHeap(): void {
  flushCompileCache();
  import.meta.keepCompiledCode?.();
  setFlagsFromString('--optimize-for-size');
}

/**
 * From now on V8 collects the old generation when it has doubled, as it does by itself, instead of
 * whenever it grew by a tenth: for as long as so much goes through that collections would cost more
 * than the work. {@link preferSmallHeap} ends that, and what it took is given back.
 */
export function preferThroughput(): void {
  setFlagsFromString('--no-optimize-for-size');
}

/**
 * Collects once, in a task of its own (about 25 ms for a Fnlet that has just started). How large
 * the old generation may grow is decided at the end of a collection: one that came before
 * {@link preferSmallHeap} allows three and a half times what it found, 60 MB, before the next.
 */
export function collectOnce(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') collect({ type: 'major', execution: 'async' });
}
