import { BoundedChannel } from '@fnlet/base';
import { limits } from './limits.ts';
import type { Change, ChangeListener } from './store.ts';
import { StoreError } from './store-error.ts';

/**
 * Changes on their way to one reader. One that lets more than `watcherBacklogMax` of them pile up
 * is cut off: the store waits for no one.
 */
export class LiveFeed implements ChangeListener, AsyncIterable<Change> {
  readonly #prefix: string;
  readonly #channel = new BoundedChannel<Change>(limits.watcherBacklogMax);

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  changed(change: Change): void {
    if (!this.#channel.push(change)) this.#channel.fail(this.#tooSlow(change.revision));
  }

  ended(error: Error): void {
    this.#channel.fail(error);
  }

  close(): void {
    this.#channel.close();
  }

  [Symbol.asyncIterator](): AsyncGenerator<Change, void, undefined> {
    return this.#channel[Symbol.asyncIterator]();
  }

  #tooSlow(revision: number): StoreError {
    return new StoreError(
      'SlowWatcher',
      `Cannot watch "${this.#prefix}": more than ${limits.watcherBacklogMax} changes wait at ` +
        `revision ${revision}, expected the reader to keep up`,
      { retry: 'later', remedy: 'List again and watch from there' },
    );
  }
}
