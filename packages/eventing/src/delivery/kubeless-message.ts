/** Events as Kubeless hands them to its functions: headers of its own, beside those of CloudEvents. */
import { isUtf8 } from 'node:buffer';
import type { TriggerSource } from '@fnlet/api';
import type { CloudEvent } from '../event/cloud-event.ts';
import { encodeHeaderValue } from '../event/header-value.ts';
import { formatBinary, type HttpEventMessage } from '../event/http-event.ts';

/** Which trigger of Kubeless would have brought the events. */
export interface KubelessOrigin {
  /** What its functions read as event-namespace. */
  readonly eventNamespace: string;
  /** What they read as event-topic. */
  readonly topic: string | undefined;
  /** Whether it is a schedule, whose calls are others than those of messages. */
  readonly isSchedule: boolean;
}

export interface KubelessMessage extends HttpEventMessage {
  readonly method: 'GET' | 'POST';
}

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';

/** What stands for a source; sources that Kubeless did not have go by Fnlet's name. */
export function kubelessOrigin(source: TriggerSource): KubelessOrigin {
  const isSchedule = source.cron !== undefined;
  const topics = source.kafka?.topics ?? [];
  return {
    eventNamespace: namespaceOf(source),
    topic: topics.length === 1 ? topics[0] : undefined,
    isSchedule,
  };
}

/** The names are not of one form in Kubeless either. */
function namespaceOf(source: TriggerSource): string {
  if (source.cron !== undefined) return 'cronjobtrigger.kubeless.io';
  if (source.kafka !== undefined) return 'kafkatriggers.kubeless.io';
  if (source.nats !== undefined) return 'natstriggers.kubeless.io';
  if (source.kinesis !== undefined) return 'kinesistriggers.kubeless.io';
  return 'triggers.fnlet.dev';
}

/**
 * The call of a schedule is GET without data, and of JSON; a message is POST, a JSON object when it
 * is one and a form otherwise, whatever it is. Unlike in Kubeless, the id and the time of an event
 * are the same for each try.
 */
export function kubelessMessage(event: CloudEvent, origin: KubelessOrigin): KubelessMessage {
  const { headers, body } = formatBinary(event);
  const { id, time } = event.attributes;
  const { eventNamespace, topic, isSchedule } = origin;
  const type = isSchedule || isJsonObjectText(body) ? json : form;
  const eventTime = time === undefined ? undefined : formatTime(time, isSchedule);
  return {
    method: isSchedule && event.data === undefined ? 'GET' : 'POST',
    headers: {
      ...headers,
      'content-type': type,
      'event-id': encodeHeaderValue(id),
      ...(eventTime === undefined ? {} : { 'event-time': eventTime }),
      'event-type': type,
      'event-namespace': eventNamespace,
      ...(topic === undefined ? {} : { 'event-topic': topic }),
    },
    body,
  };
}

/** What Go reads as an object; it takes null for an empty one. */
function isJsonObjectText(body: Uint8Array): boolean {
  if (body.length === 0 || !isUtf8(body)) return false;
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString());
    return typeof value === 'object' && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** As `date --rfc-3339=seconds` has it for schedules, and as Go prints a time for messages. */
function formatTime(time: string, isSchedule: boolean): string | undefined {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return undefined;
  const [seconds = '', fraction = ''] = date
    .toISOString()
    .replace('T', ' ')
    .slice(0, -1)
    .split('.');
  if (isSchedule) return `${seconds}+00:00`;
  const digits = fraction.replace(/0+$/, '');
  return `${seconds}${digits === '' ? '' : `.${digits}`} +0000 UTC`;
}
