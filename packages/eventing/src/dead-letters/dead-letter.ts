/**
 * Dead letters are events like any other: what is known of their end are extension attributes,
 * those of Knative (`knativeerror…`, as its brokers send them) and ours.
 */

import type { GivenUpEvent, GiveUpReason } from '../delivery/given-up-event.ts';
import type { AttributeValue, CloudEvent } from '../event/cloud-event.ts';

/** Whose dead letters these are. */
export interface DeadLetterOrigin {
  /** `<namespace>/<name>` of the Trigger. */
  readonly trigger: string;
  /** Where it could not be delivered. */
  readonly destination: string;
}

/** What is known of the end of an event. */
export interface DeadLetterCause {
  readonly trigger: string;
  readonly destination: string;
  readonly reason: GiveUpReason;
  /** Status of the last answer; 0 when there was none. */
  readonly code: number;
  /** What the last answer said, or why there was none; the beginning of it. */
  readonly answer: string;
  readonly attempts: number;
  /** RFC 3339. */
  readonly firstTime: string;
  readonly lastTime: string;
  /** Where the event was in its stream. */
  readonly sequence: number;
}

/** As much of an answer as Knative keeps. */
const answerBytesMax = 1_024;

/** The event with the cause of its end. */
export function deadLetterEvent(givenUp: GivenUpEvent, origin: DeadLetterOrigin): CloudEvent {
  const { event, reason, status, attempts, firstMs, lastMs, sequence } = givenUp;
  const cause = {
    knativeerrordest: origin.destination,
    knativeerrorcode: status,
    knativeerrordata: excerptOf(givenUp.answer),
    fnlettrigger: origin.trigger,
    fnletreason: reason,
    fnletattempts: attempts,
    fnletfirsttime: new Date(firstMs).toISOString(),
    fnletlasttime: new Date(lastMs).toISOString(),
    fnletsequence: sequence,
  };
  return { attributes: { ...event.attributes, ...cause }, data: event.data };
}

/** The cause that an event carries. */
export function readCause({ attributes }: CloudEvent): DeadLetterCause {
  const text = (name: string): string => String(attributes[name] ?? '');
  return {
    trigger: text('fnlettrigger'),
    destination: text('knativeerrordest'),
    reason: reasonOf(attributes.fnletreason),
    code: Number(attributes.knativeerrorcode ?? 0),
    answer: text('knativeerrordata'),
    attempts: Number(attributes.fnletattempts ?? 0),
    firstTime: text('fnletfirsttime'),
    lastTime: text('fnletlasttime'),
    sequence: Number(attributes.fnletsequence ?? 0),
  };
}

/** The event as it was. */
export function withoutCause({ attributes, data }: CloudEvent): CloudEvent {
  const { id, source, type, specversion, ...others } = attributes;
  const kept = Object.entries(others).filter(([name]) => !causeNames.has(name));
  const own = { id, source, type, specversion };
  return { attributes: { ...own, ...Object.fromEntries(kept) }, data };
}

/** The event as it was, marked with how often it was replayed. */
export function replayedEvent(event: CloudEvent): CloudEvent {
  const { attributes, data } = withoutCause(event);
  return { attributes: { ...attributes, fnletreplay: replaysOf(event) + 1 }, data };
}

/** How often an event was replayed. */
export function replaysOf({ attributes: { fnletreplay = 0 } }: CloudEvent): number {
  return Number(fnletreplay);
}

const causeNames: ReadonlySet<string> = new Set([
  'knativeerrordest',
  'knativeerrorcode',
  'knativeerrordata',
  'fnlettrigger',
  'fnletreason',
  'fnletattempts',
  'fnletfirsttime',
  'fnletlasttime',
  'fnletsequence',
]);

const reasons: readonly GiveUpReason[] = ['Refused', 'Exhausted', 'Unreadable', 'TooLarge'];

function reasonOf(value: AttributeValue | undefined): GiveUpReason {
  return reasons.find((reason) => reason === value) ?? 'Exhausted';
}

/** Attributes hold no control characters (CloudEvents 1.0, section 3.1), and no half characters. */
function excerptOf(answer: Uint8Array): string {
  const bytes = answer.subarray(0, answerBytesMax);
  const text = new TextDecoder().decode(bytes, { stream: answer.length > answerBytesMax });
  return text.replaceAll(/\p{Cc}+/gu, ' ').trim();
}
