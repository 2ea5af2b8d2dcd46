/** What senders of events are answered. */
import { hasCode } from '@fnlet/base';
import type { ReceivedRequest, ResponderAnswer } from '@fnlet/gateway';
import type { HeaderField } from '@fnlet/invocation';
import type { CloudEvent } from '../event/cloud-event.ts';
import type { HttpHeaders } from '../event/http-event.ts';

/** How errors are told: those of reading events, and those of keeping them. */
const statuses: Readonly<Record<string, number>> = {
  InvalidEvent: 400,
  UnsupportedFormat: 415,
  TooManyEvents: 413,
  TooLarge: 413,
  BadSignature: 401,
  NotFound: 404,
  Gone: 404,
  Full: 503,
  Closed: 503,
  Broken: 503,
  Unavailable: 503,
  NotReady: 503,
};

/** Seconds until events that could not be kept may be sent again. */
const retryAfterSeconds = 5;

/** Events that are kept: 202, with their ids. */
export function acceptedAnswer(events: readonly CloudEvent[]): ResponderAnswer {
  return jsonAnswer(202, { ids: events.map(({ attributes }) => attributes.id) });
}

/** What is wrong, as the sender is told; `undefined` for what is no operating error of events. */
export function errorAnswer(error: unknown): ResponderAnswer | undefined {
  const code = Object.keys(statuses).find((known) => hasCode(error, known));
  const status = code === undefined ? undefined : statuses[code];
  if (status === undefined || !(error instanceof Error)) return undefined;
  const retryAfter: readonly HeaderField[] =
    status === 503 ? [['Retry-After', String(retryAfterSeconds)]] : [];
  return jsonAnswer(status, { status, code, message: error.message }, retryAfter);
}

/** Who has no right to send: RFC 6750 has it say how one is shown. */
export function refusedAnswer(): ResponderAnswer {
  const message = 'Cannot take event: expected the token of this source';
  const challenge: HeaderField = ['WWW-Authenticate', 'Bearer'];
  return jsonAnswer(401, { status: 401, code: 'BadToken', message }, [challenge]);
}

/** Answers what is no POST: who asks to send events may (CloudEvents' webhooks, section 4). */
export function otherMethodAnswer({ method, headers }: ReceivedRequest): ResponderAnswer {
  const allow: HeaderField = ['Allow', 'POST, OPTIONS'];
  if (method !== 'OPTIONS') {
    const message = `Found ${method}, expected POST with events`;
    return jsonAnswer(405, { status: 405, code: 'MethodNotAllowed', message }, [allow]);
  }
  const asked = toHttpHeaders(headers);
  const origin = asked['webhook-request-origin'];
  if (typeof origin !== 'string') return { status: 200, headers: [allow], body: '' };
  const granted: HeaderField[] = [allow, ['WebHook-Allowed-Origin', origin]];
  if (asked['webhook-request-rate'] !== undefined) granted.push(['WebHook-Allowed-Rate', '*']);
  return { status: 200, headers: granted, body: '' };
}

/** Headers by name, in lower case; those that came more than once are lists. */
export function toHttpHeaders(fields: readonly HeaderField[]): HttpHeaders {
  const headers: Record<string, string | string[]> = {};
  for (const field of fields) {
    const value = field[1];
    const key = field[0].toLowerCase();
    const before = headers[key];
    if (before === undefined) headers[key] = value;
    else headers[key] = [...(typeof before === 'string' ? [before] : before), value];
  }
  return headers;
}

function jsonAnswer(
  status: number,
  value: object,
  extra: readonly HeaderField[] = [],
): ResponderAnswer {
  const headers: readonly HeaderField[] = [['Content-Type', 'application/json'], ...extra];
  return { status, headers, body: `${JSON.stringify(value)}\n` };
}
