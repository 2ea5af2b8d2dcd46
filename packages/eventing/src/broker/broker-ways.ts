import type { DeliveryPolicy } from '@fnlet/api';
import type { ObjectKey } from '@fnlet/machinery';
import type { CloudEvent } from '../event/cloud-event.ts';

/** What Triggers need to know of a Broker. */
export interface FoundBroker {
  readonly uid: string;
  /** For Triggers that have none of their own. */
  readonly delivery: DeliveryPolicy | undefined;
}

/** How Triggers reach Brokers. */
export interface BrokerWays {
  /** A Broker that takes events. */
  find(key: ObjectKey): FoundBroker | undefined;
  /**
   * Keeps events in a Broker.
   *
   * @throws BrokerError `NotFound`, `NotReady`; EventError `TooLarge`; LogError
   */
  accept(key: ObjectKey, events: readonly CloudEvent[]): Promise<void>;
  /**
   * Keeps events in all Brokers of this name, whatever their namespaces; in none where there are
   * none.
   *
   * @throws LogError when one of them could not; the others have them
   */
  acceptEverywhere(name: string, events: readonly CloudEvent[]): Promise<void>;
  /** Calls back with each Broker that comes, goes or is edited, until the returned function is called. */
  subscribe(listener: (key: ObjectKey) => void): () => void;
}
