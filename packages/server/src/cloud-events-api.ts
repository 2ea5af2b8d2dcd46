/**
 * Events as they come, for those who may see a namespace, by the roles that they have:
 *
 *     GET /apis/events.fnlet.dev/v1alpha1[/namespaces/<ns>]/cloudevents?trigger=|broker=&since=&data=
 *     GET …&watch=true
 *     POST /apis/events.fnlet.dev/v1alpha1/namespaces/<ns>/cloudevents?trigger=
 *
 * The answer is lines of JSON. What is kept since a time comes first: what a Broker keeps, what
 * waits at a Trigger, its dead letters. With `watch` what happens from now on follows, in this
 * process, until the caller goes.
 *
 * What is posted is an event for a Trigger that takes some over HTTP, answered as its endpoint
 * does: 202 once it is kept. Its route demands nothing here; who may do this, roles say.
 */
import type { ApiRequest, ApiResponse, ResourceRoute } from '@fnlet/apiserver/extension';
import { asksForWatch, jsonResponse } from '@fnlet/apiserver/extension';
import { hasCode, isJsonObject } from '@fnlet/base';
import { formatHappening, type TailQuery } from '@fnlet/eventing/tail';
import type { Responder, ResponderAnswer } from '@fnlet/gateway';
import { type ObjectKey, statusError } from '@fnlet/machinery';
import type { LateEventTail } from './late-event-tail.ts';

/** Who takes events for a Trigger; `undefined`: it takes none over HTTP. */
export type FindEndpoint = (trigger: ObjectKey) => Responder | undefined;

/** What is asked, and of what. */
export interface CloudEventsAsked {
  readonly events: LateEventTail;
  /** `undefined`: events are sent to the URLs of Triggers, nowhere else. */
  readonly findEndpoint: FindEndpoint | undefined;
  readonly route: ResourceRoute;
  readonly request: ApiRequest;
}

/** Answers one request about events. */
export async function answerCloudEvents(asked: CloudEventsAsked): Promise<ApiResponse> {
  const { events, route, request } = asked;
  const { name, subresource } = route;
  const isOne = name !== undefined || subresource !== undefined;
  if (!isOne && request.method === 'POST') return send(asked);
  if (isOne || request.method !== 'GET') {
    throw statusError('MethodNotAllowed', 'cloudevents are listed, watched and created');
  }
  const query = readQuery(route, request.query);
  const sinceMs = readSince(request.query);
  const isWatch = asksForWatch(route, request.query);
  const abort = new AbortController();
  const signal = AbortSignal.any([request.signal, abort.signal]);
  // Before the history is read: nothing falls in between, and what is in both is told twice.
  const lines = isWatch ? watch(events, query, signal) : undefined;
  try {
    const before = sinceMs === undefined ? [] : await events.history(query, sinceMs);
    const history = before.map((each) => formatHappening(each, query.withData)).join('');
    return {
      status: 200,
      headers: { 'content-type': 'application/x-ndjson' },
      body: { kind: 'stream', chunks: chunksOf(history, lines) },
    };
  } catch (error) {
    abort.abort();
    throw error;
  }
}

async function send({ findEndpoint, route, request }: CloudEventsAsked): Promise<ApiResponse> {
  const name = request.query.get('trigger') ?? '';
  const { namespace } = route;
  if (namespace === '' || name === '') {
    throw statusError('BadRequest', 'give the namespace and the name of a Trigger');
  }
  if (findEndpoint === undefined) {
    throw statusError('MethodNotAllowed', 'events are sent to the URL of the Trigger here');
  }
  const endpoint = findEndpoint({ namespace, name });
  if (endpoint === undefined) {
    const found = 'it is not there, or does not take events over HTTP';
    throw statusError('NotFound', `Cannot send to Trigger "${namespace}/${name}": ${found}`);
  }
  const { body, headers, method } = request;
  const bytes = body?.kind === 'bytes' ? body.bytes : new Uint8Array();
  if (bytes.length > endpoint.bodyBytesMax) {
    const most = `it takes ${endpoint.bodyBytesMax} bytes`;
    throw statusError('RequestEntityTooLarge', `the event has ${bytes.length} bytes: ${most}`);
  }
  const received = {
    ...{ call: undefined, method, target: '/', body: bytes, remoteAddress: '' },
    headers: [['content-type', headers['content-type'] ?? '']] as const,
  };
  const answer = await endpoint.respond(received, request.signal);
  const text = Buffer.from(answer.body).toString();
  if (answer.status !== 202) return refusalOf(answer, text);
  const document = { apiVersion: 'events.fnlet.dev/v1alpha1', kind: 'CloudEventKept' };
  return jsonResponse(202, document);
}

/** What an endpoint says, as those say it who answer for groups of the API. */
function refusalOf({ status: code, headers }: ResponderAnswer, text: string): ApiResponse {
  const message = messageOf(text);
  const about = { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Failure' };
  const after = headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1];
  const fields = after === undefined ? {} : { 'retry-after': after };
  return jsonResponse(code, { ...about, message, code }, fields);
}

function messageOf(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value) && typeof value.message === 'string') return value.message;
  } catch {
    // It is the message itself.
  }
  return text.trim();
}

function watch(
  { tail }: LateEventTail,
  query: TailQuery,
  signal: AbortSignal,
): AsyncIterable<string> {
  try {
    return tail.watch(query, signal);
  } catch (error) {
    if (!hasCode(error, 'TooMany')) throw error;
    throw statusError('TooManyRequests', error.message, { retryAfterSeconds: 10 });
  }
}

async function* chunksOf(
  history: string,
  lines: AsyncIterable<string> | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (history !== '') yield Buffer.from(history);
  if (lines === undefined) return;
  for await (const text of lines) yield Buffer.from(text);
}

function readQuery({ namespace }: ResourceRoute, query: URLSearchParams): TailQuery {
  const trigger = query.get('trigger') ?? undefined;
  const broker = query.get('broker') ?? undefined;
  if (trigger !== undefined && broker !== undefined) {
    throw statusError('BadRequest', 'give trigger or broker, not both');
  }
  const kind = trigger !== undefined ? 'Trigger' : broker !== undefined ? 'Broker' : undefined;
  return {
    namespace: namespace === '' ? undefined : namespace,
    kind,
    name: trigger ?? broker,
    withData: query.get('data') === 'true',
  };
}

function readSince(query: URLSearchParams): number | undefined {
  const text = query.get('since');
  if (text === null) return undefined;
  const timeMs = Date.parse(text);
  if (!Number.isNaN(timeMs)) return timeMs;
  throw statusError('BadRequest', `since is "${text}", expected a time as 2026-01-31T12:00:00Z`);
}
