import { FnletError } from '@fnlet/base';
import type { BrokerWays } from '@fnlet/eventing';
import type { ObjectKey } from '@fnlet/machinery';

/** Brokers as Triggers reach them, also before there is one. */
export class LateBrokers implements BrokerWays {
  #brokers: BrokerWays | undefined;
  readonly #listeners = new Set<(key: ObjectKey) => void>();

  /** From now on there are some. */
  begin(brokers: BrokerWays): void {
    this.#brokers = brokers;
    brokers.subscribe((key) => {
      for (const listener of this.#listeners) listener(key);
    });
  }

  find(key: ObjectKey): ReturnType<BrokerWays['find']> {
    return this.#brokers?.find(key);
  }

  accept(...given: Parameters<BrokerWays['accept']>): Promise<void> {
    if (this.#brokers !== undefined) return this.#brokers.accept(...given);
    const [{ namespace, name }] = given;
    return Promise.reject(
      new FnletError('NotFound', `Cannot find Broker "${namespace}/${name}": there is none`),
    );
  }

  acceptEverywhere(...given: Parameters<BrokerWays['acceptEverywhere']>): Promise<void> {
    return this.#brokers?.acceptEverywhere(...given) ?? Promise.resolve();
  }

  subscribe(listener: (key: ObjectKey) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
