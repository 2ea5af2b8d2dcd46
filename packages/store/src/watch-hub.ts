import { BoundedChannel } from '@fnlet/base';
import { limits } from './limits.ts';
import type { Change } from './store.ts';
import { StoreError } from './store-error.ts';

/** One reader's place at the hub. */
export interface Subscription {
  /** Changes since the subscription; ends when the signal aborts. */
  readonly feed: AsyncIterable<Change>;
  /** Gives the place up; idempotent. */
  leave(): void;
}

interface Watcher {
  readonly prefix: string;
  readonly feed: BoundedChannel<Change>;
}

/**
 * Hands committed changes to whoever watches their prefix. A reader that lets more than
 * `watcherBacklogMax` changes pile up is cut off: the store waits for no one.
 */
export class WatchHub {
  readonly #watchers = new Set<Watcher>();

  /** Changes from now on, until `signal` aborts or the place is given up. */
  subscribe(prefix: string, signal: AbortSignal): Subscription {
    const feed = new BoundedChannel<Change>(limits.watcherBacklogMax);
    const watcher = { prefix, feed };
    const leave = (): void => {
      signal.removeEventListener('abort', leave);
      this.#watchers.delete(watcher);
      feed.close();
    };
    this.#watchers.add(watcher);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    return { feed, leave };
  }

  /** `toChange` is called at most once, and only when somebody watches the key. */
  publish(key: string, toChange: () => Change): void {
    let change: Change | undefined;
    for (const watcher of this.#watchers) {
      if (!key.startsWith(watcher.prefix)) continue;
      change ??= toChange();
      if (!watcher.feed.push(change)) this.#cutOff(watcher, change.revision);
    }
  }

  #cutOff(watcher: Watcher, revision: number): void {
    this.#watchers.delete(watcher);
    watcher.feed.fail(
      new StoreError(
        'SlowWatcher',
        `Cannot watch "${watcher.prefix}": more than ${limits.watcherBacklogMax} changes wait ` +
          `at revision ${revision}, expected the reader to keep up`,
        { retry: 'later', remedy: 'List again and watch from there' },
      ),
    );
  }

  /** Ends every watch with `error`. */
  close(error: StoreError): void {
    for (const { feed } of this.#watchers) feed.fail(error);
    this.#watchers.clear();
  }
}
