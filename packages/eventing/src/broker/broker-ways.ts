import type { ObjectKey } from '@fnlet/machinery';
import type { CloudEvent } from '../event/cloud-event.ts';

/** How Triggers reach Brokers. */
export interface BrokerWays {
  /** The uid of a Broker that takes events. */
  find(key: ObjectKey): string | undefined;
  /**
   * Keeps events in a Broker.
   *
   * @throws BrokerError `NotFound`, `NotReady`; LogError
   */
  accept(key: ObjectKey, events: readonly CloudEvent[]): Promise<void>;
  /** Calls back with each Broker that comes or goes, until the returned function is called. */
  subscribe(listener: (key: ObjectKey) => void): () => void;
}
