import { FnletError } from '@fnlet/base';

/**
 * - `NotFound`: there is no such Broker.
 * - `NotReady`: it cannot keep events yet, or for a while.
 */
export type BrokerErrorCode = 'NotFound' | 'NotReady';

/** Why a Broker takes no events. */
export class BrokerError extends FnletError<BrokerErrorCode> {
  override readonly name = 'BrokerError';
}
