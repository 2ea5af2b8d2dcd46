import type { ReceivedRequest, Responder, ResponderAnswer } from '@fnlet/gateway';
import type { CloudEvent } from '../event/cloud-event.ts';
import { parseHttpEvents } from '../event/http-event.ts';
import {
  acceptedAnswer,
  errorAnswer,
  otherMethodAnswer,
  toHttpHeaders,
} from '../ingress/event-answers.ts';
import { BrokerError } from './broker-error.ts';
import { brokerLimits } from './limits.ts';

/** Keeps events; rejects with what senders are told. */
export type AcceptEvents = (events: readonly CloudEvent[]) => Promise<void>;

/**
 * Takes CloudEvents in all content modes and answers 202 once they are durable.
 *
 * @param find who keeps the events that are sent to this path
 */
export function createBrokerIngress(find: (path: string) => AcceptEvents | undefined): Responder {
  return {
    bodyBytesMax: brokerLimits.bodyBytesMax,
    async respond(request) {
      try {
        return await answer(request, find);
      } catch (error) {
        const told = errorAnswer(error);
        if (told === undefined) throw error;
        return told;
      }
    },
  };
}

async function answer(
  request: ReceivedRequest,
  find: (path: string) => AcceptEvents | undefined,
): Promise<ResponderAnswer> {
  const [path = ''] = request.target.split('?', 1);
  const accept = find(path);
  if (accept === undefined) {
    throw new BrokerError('NotFound', `Cannot find Broker at "${path}": there is none`);
  }
  if (request.method !== 'POST') return otherMethodAnswer(request);
  const events = parseHttpEvents(toHttpHeaders(request.headers), request.body);
  await accept(events);
  return acceptedAnswer(events);
}
