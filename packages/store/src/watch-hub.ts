import type { Change, ChangeListener } from './store.ts';
import type { StoreError } from './store-error.ts';

interface Subscriber {
  readonly prefix: string;
  readonly listener: ChangeListener;
}

/** Hands committed changes to whoever listens for their prefix. */
export class WatchHub {
  readonly #subscribers = new Set<Subscriber>();

  /** Changes from now on, until the returned function is called; idempotent. */
  subscribe(prefix: string, listener: ChangeListener): () => void {
    const subscriber = { prefix, listener };
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  /** `toChange` is called at most once, and only when somebody listens for the key. */
  publish(key: string, toChange: () => Change): void {
    let change: Change | undefined;
    for (const { prefix, listener } of this.#subscribers) {
      if (!key.startsWith(prefix)) continue;
      change ??= toChange();
      listener.changed(change);
    }
  }

  /** Ends every subscription with `error`. */
  close(error: StoreError): void {
    const subscribers = [...this.#subscribers];
    this.#subscribers.clear();
    for (const { listener } of subscribers) listener.ended(error);
  }
}
