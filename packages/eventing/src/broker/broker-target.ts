import { errorMessage, hasCode } from '@fnlet/base';
import type { DeliveryAnswer, EventTarget } from '../delivery/event-target.ts';
import type { AcceptEvents } from './broker-ingress.ts';

const nothing = new Uint8Array();

/** Delivers events to a Broker: an event that it has already is delivered. */
export function createBrokerTarget(accept: AcceptEvents): EventTarget {
  return {
    async deliver({ events }): Promise<DeliveryAnswer> {
      try {
        await accept(events);
        return { status: 202, headers: {}, body: nothing };
      } catch (error) {
        const status = hasCode(error, 'TooLarge') ? 413 : 503;
        return { status, headers: {}, body: nothing, trouble: errorMessage(error) };
      }
    },
  };
}
