/**
 * Takes what Functions of Kyma publish, in place of its Eventing Publisher Proxy: each event is
 * kept for the Subscriptions of every namespace, before it is answered 204. What nobody subscribed
 * to is forgotten, as there.
 */
import { kymaBrokerName, kymaSubject, kymaSubjectAttribute } from '@fnlet/api';
import type { ReceivedRequest, Responder, ResponderAnswer } from '@fnlet/gateway';
import type { CloudEvent } from '../event/cloud-event.ts';
import { EventError } from '../event/event-error.ts';
import { parseHttpEvents } from '../event/http-event.ts';
import { errorAnswer, otherMethodAnswer, toHttpHeaders } from '../ingress/event-answers.ts';
import { BrokerError } from './broker-error.ts';
import type { BrokerWays } from './broker-ways.ts';
import { brokerLimits } from './limits.ts';

/** Answers at the name of Kyma's publisher. */
export function createKymaPublisher(brokers: Pick<BrokerWays, 'acceptEverywhere'>): Responder {
  return {
    bodyBytesMax: brokerLimits.bodyBytesMax,
    async respond(request) {
      try {
        return await answer(request, brokers);
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
  brokers: Pick<BrokerWays, 'acceptEverywhere'>,
): Promise<ResponderAnswer> {
  const [path = ''] = request.target.split('?', 1);
  if (path !== '/publish') {
    throw new BrokerError('NotFound', `Cannot publish at "${path}": expected /publish`);
  }
  if (request.method !== 'POST') return otherMethodAnswer(request);
  const events = parseHttpEvents(toHttpHeaders(request.headers), request.body);
  await brokers.acceptEverywhere(kymaBrokerName, events.map(withSubject));
  return { status: 204, headers: [], body: '' };
}

/** With what Subscriptions choose by, and the type as Kyma repeats it. */
function withSubject({ attributes, data }: CloudEvent): CloudEvent {
  const { source, type } = attributes;
  const subject = kymaSubject(source, type);
  if (subject.split('.').includes('')) {
    throw new EventError(
      'InvalidEvent',
      `Cannot publish event of type "${type}": found an empty segment, expected none`,
      { attribute: 'type' },
    );
  }
  return {
    attributes: { ...attributes, originaltype: type, [kymaSubjectAttribute]: subject },
    data,
  };
}
