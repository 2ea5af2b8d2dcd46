/** A target whose answers may be events: those go into the Broker that the events came from. */
import { errorMessage } from '@fnlet/base';
import type { DeliveryAnswer, EventTarget } from '../delivery/event-target.ts';
import type { CloudEvent } from '../event/cloud-event.ts';
import { EventError } from '../event/event-error.ts';
import { contentModeOf, parseHttpEvents } from '../event/http-event.ts';
import type { AcceptEvents } from './broker-ingress.ts';
import { brokerLimits } from './limits.ts';

/** The extension that says how often an event has led to another, up to this one. */
const hopsAttribute = 'fnlethops';

/**
 * Delivered is what the target took and whose replies are kept. What comes with another status than
 * 200, or is no event, is no reply (Knative's data plane). A reply that claims to be an event and is
 * none fails for good: it would be the same again.
 */
export function createReplyingTarget(target: EventTarget, accept: AcceptEvents): EventTarget {
  return {
    async deliver(attempt, signal) {
      const answer = await target.deliver(attempt, signal);
      if (answer.status !== 200 || contentModeOf(answer.headers) === undefined) return answer;
      try {
        await accept(repliesOf(attempt.events, answer));
        return answer;
      } catch (error) {
        const status = error instanceof EventError ? 422 : 503;
        return { ...answer, status, trouble: errorMessage(error) };
      }
    },
  };
}

function repliesOf(
  events: readonly CloudEvent[],
  { headers, body }: DeliveryAnswer,
): readonly CloudEvent[] {
  const hops = Math.max(...events.map(hopsOf)) + 1;
  if (hops > brokerLimits.hopsMax) {
    const most = brokerLimits.hopsMax;
    throw new EventError(
      'InvalidEvent',
      `Cannot keep reply: found ${hops} replies to replies, expected at most ${most}`,
      { remedy: 'Let a filter of the Trigger leave out what it leads to itself' },
    );
  }
  return parseHttpEvents(headers, body).map(({ attributes, data }) => ({
    attributes: { ...attributes, [hopsAttribute]: hops },
    data,
  }));
}

/** Over HTTP it is a text. */
function hopsOf({ attributes }: CloudEvent): number {
  const hops = Number(attributes[hopsAttribute] ?? 0);
  return Number.isInteger(hops) && hops > 0 ? hops : 0;
}
